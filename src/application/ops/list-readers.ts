import { type Position, START, storedPosition } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import { categoryOf, type EventStore, type LogPage, MAX_LOG_PAGE } from '../../ports/event-store.ts';
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
  const followed = readerSources.map(({ categories }, index) => ({ categories, position: positions[index] ?? START }));
  const waiting = await oldestWaiting(followed, head, store, () => elapsedMs() < endMs);
  const nowMs = clock.nowMs();
  const readers = readerSources.map(({ reader, projection }, index): ListedReader => {
    const undecided = parked.items.filter((item) => item.reader === reader && item.status !== 'skipped');
    const lagSeconds = lagOf(waiting[index], nowMs);
    return { reader, projection, position: positions[index] ?? START, lagSeconds, parked: undecided.length };
  });
  return { kind: 'list', head, readers };
}

async function checkpointOf(manager: string, { last, positions }: Context['store']): Promise<Position> {
  const stored = await last(`${checkpointCodec.category}-${manager}`);
  return stored === null ? START : storedPosition(checkpointCodec.decode(stored).data.position, positions);
}

type Followed = { readonly position: Position; readonly categories: readonly string[] };
/** `at`: when the oldest event that waits for a reader happened. `unknown`: not found in time. */
type Waiting =
  | { readonly kind: 'waits'; readonly at: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' };

function lagOf(waiting: Waiting | undefined, nowMs: number): number | null {
  if (waiting === undefined || waiting.kind === 'unknown') return null;
  return waiting.kind === 'none' ? 0 : Math.max(0, (nowMs - Date.parse(waiting.at)) / 1_000);
}

/**
 * Most readers find what waits in one page from their own position. One pass of the log, from the position of the reader
 * that is furthest behind, finds it for those that follow rare events.
 */
async function oldestWaiting(
  followed: readonly Followed[],
  head: Position,
  { readLog }: Context['store'],
  inTime: () => boolean,
): Promise<readonly Waiting[]> {
  const searched = followed.map((reader): Followed & { waiting: Waiting } => ({
    ...reader,
    waiting: { kind: reader.position < head ? 'unknown' : 'none' },
  }));
  const left = () => searched.filter(({ waiting }) => waiting.kind === 'unknown');
  const search = async (from: Position, readers: ReturnType<typeof left>): Promise<Position | null> => {
    const categories = [...new Set(readers.flatMap((reader) => reader.categories))];
    const page: LogPage = await readLog({ direction: 'forwards', from, categories, limit: MAX_LOG_PAGE });
    for (const { stream, position, cause } of page.events)
      for (const reader of readers)
        if (reader.waiting.kind === 'unknown' && position > reader.position && follows(reader, stream))
          reader.waiting = { kind: 'waits', at: cause.at };
    if (page.next === null)
      for (const reader of readers) if (reader.waiting.kind === 'unknown') reader.waiting = { kind: 'none' };
    // The embedded log reads synchronously: requests take their turn between two pages.
    await new Promise(setImmediate);
    return page.next;
  };
  for (const reader of left()) if (inTime()) await search(reader.position, [reader]);
  let from: Position | null = left().reduce((oldest, { position }) => (position < oldest ? position : oldest), head);
  while (from !== null && left().length > 0 && inTime()) from = await search(from, left());
  return searched.map(({ waiting }) => waiting);
}

function follows({ categories }: Followed, stream: string): boolean {
  return categories.includes(categoryOf(stream));
}
