import {
  type AllStreamResolvedEvent,
  type ResolvedEvent,
  StreamDeletedError,
  type StreamingRead,
  StreamNotFoundError,
} from '@eventstore/db-client';
import { type Position, START } from '../../eventsourcing/message.ts';
import type { StreamRead } from '../../ports/event-store.ts';
import type { Connection } from './connection.ts';
import { reasonOf } from './patience.ts';
import { positionOf } from './positions.ts';
import { storedEvent } from './stored-events.ts';

/** From the leader, who knows what was appended last. */
const LEADER = { requiresLeader: true } as const;

export async function readStream(
  connection: Connection,
  stream: string,
  range: { readonly fromRevision: number; readonly maxCount?: number } | 'last',
  signal: AbortSignal,
): Promise<StreamRead> {
  const options =
    range === 'last'
      ? ({ ...LEADER, direction: 'backwards', fromRevision: 'end', maxCount: 1 } as const)
      : { ...LEADER, ...range, fromRevision: BigInt(range.fromRevision) };
  try {
    const resolved = await collect<ResolvedEvent>(connection.readStream(stream, options), signal);
    return {
      kind: 'events',
      events: resolved.flatMap(({ event }) => (event === undefined ? [] : [storedEvent(event)])),
    };
  } catch (fault) {
    if (fault instanceof StreamNotFoundError) return { kind: 'no-stream' };
    if (fault instanceof StreamDeletedError) return { kind: 'erased' };
    throw fault;
  }
}

/** The position of the last event of the log, the engine's own included. */
export async function readHead(connection: Connection, signal: AbortSignal): Promise<Position> {
  const options = { ...LEADER, direction: 'backwards', fromPosition: 'end', maxCount: 1 } as const;
  const [last] = await collect<AllStreamResolvedEvent>(connection.readAll(options), signal);
  return last?.event === undefined ? START : positionOf(last.event.position);
}

/** A read has no deadline of its own in this client: it ends with the signal. */
function collect<E>(read: StreamingRead<E>, signal: AbortSignal): Promise<E[]> {
  return new Promise((resolve, reject) => {
    const events: E[] = [];
    const abort = (): void => {
      reject(reasonOf(signal));
      read.cancel().catch(() => undefined);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    read.on('data', (event: E) => events.push(event));
    read.on('error', reject);
    read.on('end', () => resolve(events));
    read.on('close', () => signal.removeEventListener('abort', abort));
  });
}
