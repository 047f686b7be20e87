import { type ResolvedEvent, StreamDeletedError, type StreamingRead, StreamNotFoundError } from '@eventstore/db-client';
import type { StoredEvent, StreamRead } from '../../ports/event-store.ts';
import type { Connection } from './connection.ts';
import { reasonOf } from './retry.ts';
import { type Ownership, storedEvent } from './stored-events.ts';

/** Reads from the leader, which has the latest appends. */
export const LEADER = { requiresLeader: true } as const;
const LAST_PAGE = 500;

/** A range of a stream, by its name on the server: from a revision on, or backwards from the end. */
export type PageRange = {
  readonly name: string;
  readonly direction: 'forwards' | 'backwards';
  readonly fromRevision: number | 'end';
  readonly maxCount?: number;
};

export type ServerPage =
  | {
      readonly kind: 'events';
      /** In read order, without events of other programs. */
      readonly events: readonly StoredEvent[];
      /** The number of events that the server sent, and the revision of the last one; null if it sent none. */
      readonly sent: number;
      readonly reached: number | null;
    }
  | Exclude<StreamRead, { kind: 'events' }>;

export async function readPage(
  connection: Connection,
  { name, fromRevision, ...range }: PageRange,
  ownership: Ownership,
  signal: AbortSignal,
  onSign?: () => void,
): Promise<ServerPage> {
  const from = fromRevision === 'end' ? fromRevision : BigInt(fromRevision);
  try {
    const read = connection.readStream(name, { ...LEADER, ...range, fromRevision: from });
    const sent = (await collect<ResolvedEvent>(read, signal, onSign)).flatMap(({ event }) => event ?? []);
    const last = sent.at(-1);
    return {
      kind: 'events',
      events: sent.flatMap((event) => storedEvent(event, ownership) ?? []),
      sent: sent.length,
      reached: last === undefined ? null : Number(last.revision),
    };
  } catch (fault) {
    if (fault instanceof StreamNotFoundError) return { kind: 'no-stream' };
    if (fault instanceof StreamDeletedError) return { kind: 'erased' };
    throw fault;
  }
}

type Pages = (range: PageRange) => Promise<ServerPage>;

/** Reads pages until `maxCount` events are found: some events of a page may belong to other programs. */
export async function readForwards(
  pageOf: Pages,
  name: string,
  fromRevision: number,
  maxCount?: number,
): Promise<StreamRead> {
  const events: StoredEvent[] = [];
  const limit = maxCount === undefined ? {} : { maxCount };
  for (let from = fromRevision; ; ) {
    const page = await pageOf({ name, direction: 'forwards', fromRevision: from, ...limit });
    if (page.kind !== 'events') return page;
    events.push(...page.events);
    if (page.reached !== null) from = page.reached + 1;
    if (maxCount === undefined || page.sent < maxCount) return { kind: 'events', events, upTo: from - 1 };
    const last = events[maxCount - 1];
    if (last !== undefined) return { kind: 'events', events: events.slice(0, maxCount), upTo: last.revision };
  }
}

/** The last event of this installation. Reads backwards in pages if events of other programs follow it. */
export async function readLast(pageOf: Pages, name: string): Promise<StoredEvent | null> {
  let [fromRevision, maxCount]: [number | 'end', number] = ['end', 1];
  for (;;) {
    const page = await pageOf({ name, direction: 'backwards', fromRevision, maxCount });
    if (page.kind !== 'events') return null;
    const [last] = page.events;
    if (last !== undefined) return last;
    if (page.sent < maxCount || page.reached === null || page.reached === 0) return null;
    [fromRevision, maxCount] = [page.reached - 1, LAST_PAGE];
  }
}

/**
 * Collects the events of a read. Reads of this client have no deadline; the signal ends them.
 *
 * @param onSign called at every event
 */
export function collect<E>(read: StreamingRead<E>, signal: AbortSignal, onSign = (): void => {}): Promise<E[]> {
  return new Promise((resolve, reject) => {
    const events: E[] = [];
    const abort = (): void => {
      reject(reasonOf(signal));
      read.cancel().catch(() => undefined);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    read.on('data', (event: E) => {
      events.push(event);
      onSign();
    });
    read.on('error', reject);
    read.on('end', () => resolve(events));
    read.on('close', () => signal.removeEventListener('abort', abort));
  });
}
