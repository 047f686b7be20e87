import type { AllStreamResolvedEvent } from '@eventstore/db-client';
import { type Position, START } from '../../eventsourcing/message.ts';
import {
  type Checkpoint,
  type CheckpointCheck,
  CheckpointNotInLog,
  type EventPlace,
  type LogBatch,
  type LogPage,
  type LogRange,
} from '../../ports/event-store.ts';
import type { Connection } from './connection.ts';
import { EVENTSTOREDB_POSITIONS, isKnownPosition, later, positionOf, readPositionOf } from './positions.ts';
import { collect, LEADER } from './reader.ts';
import { SEARCH_WINDOW } from './server-subscription.ts';
import { type Ownership, storedEvent } from './stored-events.ts';

/** Maximum number of events of one `readAfter`: ten times what a live subscription passes without a checkpoint. */
const READ_AFTER = 10 * SEARCH_WINDOW;

/** The last event of the log, including the engine's own events; null if the log is empty. */
export async function readHead(connection: Connection, signal: AbortSignal): Promise<EventPlace | null> {
  const options = { ...LEADER, direction: 'backwards', fromPosition: 'end', maxCount: 1 } as const;
  return placeOf(await collect<AllStreamResolvedEvent>(connection.readAll(options), signal));
}

/** See `EventStore.check`. */
export async function checkCheckpoint(
  connection: Connection,
  { position, lastEvent }: Checkpoint,
  signal: AbortSignal,
): Promise<CheckpointCheck> {
  if (!isKnownPosition(position)) return { kind: 'no-position' };
  if (position === START) return { kind: 'in-log' };
  const head = await readHead(connection, signal);
  if (head === null || position > head.position) return { kind: 'beyond-end', reason: beyondEnd(position, head) };
  const { format } = EVENTSTOREDB_POSITIONS;
  const places = lastEvent === null ? [position] : [position, lastEvent.position];
  for (const place of places) {
    const found = await readPlace(connection, place, signal);
    if (found === 'no record') return notInLog(`no record of the log begins at ${format(place)}`);
    // If another event follows, the event at this position was deleted.
    if (found?.position === lastEvent?.position && found?.id !== lastEvent?.id)
      return notInLog(`the log holds event ${found?.id} at ${format(place)}, where event ${lastEvent?.id} was applied`);
  }
  return { kind: 'in-log' };
}

/**
 * See `RemoteLog.readAfter`, and the last event read, of whatever program. The client cannot filter a read. The read begins
 * with the event at the position itself.
 */
export async function readAfter(
  connection: Connection,
  { after, categories, ownership }: { after: Position; categories: readonly string[]; ownership: Ownership },
  signal: AbortSignal,
): Promise<LogBatch & { readonly last: EventPlace | null }> {
  const options = { ...LEADER, direction: 'forwards', fromPosition: readPositionOf(after) } as const;
  const read = connection.readAll({ ...options, maxCount: READ_AFTER });
  const sent = await collect<AllStreamResolvedEvent>(read, signal);
  const last = placeOf(sent.slice(-1));
  // A scavenge removes events, so the one at the position may be missing at the end of a log, too.
  if (last === null && after !== START) {
    const head = await readHead(connection, signal);
    if (head === null || after > head.position) throw new CheckpointNotInLog(beyondEnd(after, head));
  }
  const isNamedSo = ownership.names.matcher(categories);
  const events = sent.flatMap(({ event }) =>
    event !== undefined && isNamedSo(event.streamId) ? (storedEvent(event, ownership) ?? []) : [],
  );
  return {
    events: events.filter(({ position }) => position > after),
    upTo: later(after, last?.position ?? after),
    caughtUp: sent.length < READ_AFTER,
    last,
  };
}

/** See `EventStore.readLog`. The events of other programs and of the engine count for the limit. */
export async function readLog(
  connection: Connection,
  { direction, from, categories, limit }: LogRange,
  ownership: Ownership,
  signal: AbortSignal,
): Promise<LogPage> {
  const forwards = direction === 'forwards';
  if (from === 'end' && forwards) return { events: [], next: null };
  // A read forwards begins with the event at the position itself, one backwards with the event before it.
  const maxCount = limit + (forwards && from !== START ? 1 : 0);
  const place = from === 'end' ? 'end' : readPositionOf(from);
  const options = { ...LEADER, direction, fromPosition: place, maxCount } as const;
  const sent = await collect<AllStreamResolvedEvent>(connection.readAll(options), signal);
  const isNamedSo = ownership.names.matcher(categories);
  const events = sent.flatMap(({ event }) =>
    event !== undefined && isNamedSo(event.streamId) ? (storedEvent(event, ownership) ?? []) : [],
  );
  const last = placeOf(sent.slice(-1));
  const inside =
    from === 'end' ? events : events.filter(({ position }) => (forwards ? position > from : position < from));
  return { events: inside, next: last === null || sent.length < maxCount ? null : last.position };
}

/** Why a position is not in the log. */
export function beyondEnd(position: Position, head: EventPlace | null): string {
  const { format } = EVENTSTOREDB_POSITIONS;
  return `the log ends at ${head === null ? 'its start' : format(head.position)}, before ${format(position)}`;
}

function notInLog(reason: string): CheckpointCheck {
  return { kind: 'not-in-log', reason };
}

/** The server's answer to a read at a position where no record begins (24.2.0 and 24.10.4, gRPC code 2). */
const NO_RECORD = /InvalidPosition|invalid position/;

/** The first event at or after a position; null if there is none. */
async function readPlace(
  connection: Connection,
  position: Position,
  signal: AbortSignal,
): Promise<EventPlace | null | 'no record'> {
  const options = { ...LEADER, direction: 'forwards', fromPosition: readPositionOf(position), maxCount: 1 } as const;
  try {
    return placeOf(await collect<AllStreamResolvedEvent>(connection.readAll(options), signal));
  } catch (fault) {
    if (fault instanceof Error && NO_RECORD.test(fault.message)) return 'no record';
    throw fault;
  }
}

function placeOf([resolved]: readonly AllStreamResolvedEvent[]): EventPlace | null {
  return resolved?.event === undefined
    ? null
    : { id: resolved.event.id, position: positionOf(resolved.event.position) };
}
