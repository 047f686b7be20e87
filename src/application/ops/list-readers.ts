import { type Position, START, storedPosition } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import { type EventStore, MAX_LOG_PAGE } from '../../ports/event-store.ts';
import { checkpointCodec } from '../../runtime/low-water-checkpoint.ts';
import type { Refused } from '../refusal.ts';
import type { Streams } from '../streams.ts';
import { listParked } from './parked-items.ts';

/** The search for waiting events ends after this time; the lag of the remaining readers is unknown then. */
const SEARCH_MS = 1_000;

/** What a reader of the log follows. */
export type ReaderSource = {
  /** Of a projection with its version, as parked items name it. */
  readonly reader: string;
  /** Null for a process manager. */
  readonly projection: string | null;
  readonly categories: readonly string[];
};

type Context = {
  readonly readerSources: readonly ReaderSource[];
  /** The positions of the projections by name. */
  readonly projections: ReadonlyMap<string, Position>;
  readonly store: Pick<EventStore, 'positions' | 'readLog' | 'last' | 'head'>;
  readonly streams: Pick<Streams, 'parkings'>;
  readonly clock: Clock;
  /** Monotonic, in ms. */
  readonly elapsedMs?: () => number;
};

type ListedReader = {
  readonly reader: string;
  readonly projection: string | null;
  /** Of a process manager: before its oldest open item. */
  readonly position: Position;
  /** Age of the oldest event after the position that the reader follows; 0: none waits; null: not found in time. */
  readonly lagSeconds: number | null;
  /** Items that wait for an operator, or are retried. */
  readonly parked: number;
};

type Listed = { readonly kind: 'list'; readonly head: Position; readonly readers: readonly ListedReader[] };

/** Projections and process managers, with how far they are behind. */
export async function listReaders(context: Context): Promise<Listed | Refused> {
  const { readerSources, store, streams, clock, projections } = context;
  const { elapsedMs = () => performance.now() } = context;
  const parked = await listParked({ streams, clock, readers: readerSources.map(({ reader }) => reader) });
  if (parked.kind === 'refused') return parked;
  const positions = await Promise.all(
    readerSources.map(async ({ reader, projection }) =>
      projection === null ? checkpointOf(reader, store) : (projections.get(projection) ?? START),
    ),
  );
  const head = await store.head();
  const endMs = elapsedMs() + SEARCH_MS;
  const readers: ListedReader[] = [];
  // One after the other: a search reads pages of the log.
  for (const [index, { reader, projection, categories }] of readerSources.entries()) {
    const position = positions[index] ?? START;
    const waiting = position >= head ? null : await firstAfter(position, categories, store, () => elapsedMs() < endMs);
    const lagSeconds =
      waiting === null || waiting === 'unknown' ? null : Math.max(0, (clock.nowMs() - Date.parse(waiting)) / 1_000);
    const undecided = parked.items.filter((item) => item.reader === reader && item.status !== 'skipped');
    readers.push({
      reader,
      projection,
      position,
      lagSeconds: waiting === null ? 0 : lagSeconds,
      parked: undecided.length,
    });
  }
  return { kind: 'list', head, readers };
}

async function checkpointOf(manager: string, { last, positions }: Context['store']): Promise<Position> {
  const stored = await last(`${checkpointCodec.category}-${manager}`);
  return stored === null ? START : storedPosition(checkpointCodec.decode(stored).data.position, positions);
}

/** When the first event of the categories after a position happened; null if there is none, `unknown` out of time. */
async function firstAfter(
  position: Position,
  categories: readonly string[],
  { readLog }: Context['store'],
  inTime: () => boolean,
): Promise<string | null> {
  for (let from: Position | null = position; from !== null; ) {
    if (!inTime()) return 'unknown';
    const page: Awaited<ReturnType<EventStore['readLog']>> = await readLog({
      direction: 'forwards',
      from,
      categories,
      limit: MAX_LOG_PAGE,
    });
    const [first] = page.events;
    if (first !== undefined) return first.cause.at;
    from = page.next;
    // The embedded log reads synchronously: requests take their turn between two pages.
    await new Promise(setImmediate);
  }
  return null;
}
