import { Database } from 'bun:sqlite';
import { unreachable } from '../../eventsourcing/message.ts';
import {
  type AppendOutcome,
  assertAppend,
  type EventStore,
  type NewEvent,
  NO_STREAM,
  type StoredEvent,
} from '../../ports/event-store.ts';
import { type Disk, diskOf, openOnDisk } from './disk.ts';
import { EventLog } from './event-log.ts';
import { encodeEvents } from './event-rows.ts';
import { subscribeTo } from './event-subscription.ts';
import { openWalTruncation, type WalTruncation } from './wal-truncation.ts';

/** Maximum number of events in a group commit; the rest go into the next. */
const GROUP_EVENTS = 4_000;
/** Maximum number of event-loop turns before a group is committed. */
const COLLECT_TURNS = 4;

type PendingAppend = {
  readonly kind: 'append';
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly NewEvent[];
  readonly text: string;
  readonly resolve: (outcome: AppendOutcome) => void;
  readonly reject: (fault: unknown) => void;
};

type PendingErasure = {
  readonly kind: 'erasure';
  readonly stream: string;
  readonly resolve: () => void;
  readonly reject: (fault: unknown) => void;
};

type Pending = PendingAppend | PendingErasure;

/** The port, and whether its disk accepts writes. */
export type EmbeddedEventStore = EventStore & Pick<Disk, 'writable'>;

/**
 * The embedded event store: one SQLite file in WAL mode with `synchronous=FULL`. Appends that arrive in one turn of the
 * event loop are committed together with one fsync and then answered. This process is the only writer, which
 * `lockDataDirectory` ensures. Erasures join the same groups, and are answered when no byte is left in the files.
 *
 * @param path the database file, created where missing
 * @throws StoreUnavailable if the disk is full, here and at every call
 */
export function openEventStore(path: string): EmbeddedEventStore {
  const { log, disk } = openOnDisk(
    'event store',
    () => new Database(path, { create: true, strict: true }),
    (db) => ({ log: new EventLog(db), disk: diskOf(db, 'event store') }),
  );
  const wakers = new Set<() => void>();
  const closing = new AbortController();
  const walTruncation = openWalTruncation(() => disk.write(() => log.truncateWal()));
  let pending: Pending[] = [];
  let flushScheduled = false;

  function schedule(): void {
    if (flushScheduled) return;
    flushScheduled = true;
    setImmediate(collectGroup, pending.length, COLLECT_TURNS);
  }

  /** Waits another turn while each turn of the event loop brings more appends. */
  function collectGroup(seen: number, turnsLeft: number): void {
    if (turnsLeft > 0 && pending.length > seen) setImmediate(collectGroup, pending.length, turnsLeft - 1);
    else flush();
  }

  function flush(): void {
    flushScheduled = false;
    const group = takeGroup();
    if (group.length === 0) return;
    const settled = commitGroup(log, disk, walTruncation, group);
    for (const settle of settled) settle();
    for (const wake of wakers) wake();
    if (pending.length > 0) schedule();
  }

  function takeGroup(): Pending[] {
    let events = 0;
    let taken = 0;
    while (taken < pending.length && events < GROUP_EVENTS) events += countOf(pending[taken++]);
    const group = pending.slice(0, taken);
    pending = pending.slice(taken);
    return group;
  }

  function assertOpen(): void {
    if (closing.signal.aborted) throw new Error('the event store is closed');
  }

  return {
    exclusive: true,
    append(stream, expectedRevision, events) {
      return new Promise((resolve, reject) => {
        assertOpen();
        assertAppend(expectedRevision, events);
        const text = encodeEvents(stream, events);
        pending.push({ kind: 'append', stream, expectedRevision, events, text, resolve, reject });
        schedule();
      });
    },
    async read(stream, fromRevision = 0, maxCount) {
      assertOpen();
      return disk.read(() => log.read(stream, fromRevision, maxCount));
    },
    async last(stream) {
      assertOpen();
      const read = disk.read(() => log.read(stream, Math.max(0, log.headOf(stream).revision)));
      return read.kind === 'events' ? (read.events.at(-1) ?? null) : null;
    },
    subscribe({ after, categories, maxBatch = 1_000, lingerMs = 0, signal }) {
      assertOpen();
      return subscribeTo(log, {
        after,
        categories: categories === undefined ? null : new Set(categories),
        maxBatch,
        lingerMs,
        signal: AbortSignal.any([signal, closing.signal]),
        wakers,
      });
    },
    async head() {
      assertOpen();
      return log.head;
    },
    async check(checkpoint) {
      assertOpen();
      return disk.read(() => log.check(checkpoint));
    },
    erase(stream) {
      return new Promise((resolve, reject) => {
        assertOpen();
        pending.push({ kind: 'erasure', stream, resolve, reject });
        schedule();
      });
    },
    async close() {
      if (closing.signal.aborted) return;
      while (pending.length > 0) flush();
      closing.abort();
      walTruncation.stop();
      log.close();
    },
    writable: () => disk.writable(),
  };
}

/** An erasure counts like an event. */
function countOf(request: Pending | undefined): number {
  return request?.kind === 'append' ? request.events.length : 1;
}

/** Commits a group in one durable transaction and returns the calls that answer its members. */
function commitGroup(
  log: EventLog,
  disk: Disk,
  walTruncation: WalTruncation,
  group: readonly Pending[],
): (() => void)[] {
  try {
    return disk.write(() => log.transaction(() => group.map((request) => execute(log, walTruncation, request))));
  } catch (fault) {
    return group.map(
      ({ reject }) =>
        () =>
          reject(fault),
    );
  }
}

function execute(log: EventLog, walTruncation: WalTruncation, request: Pending): () => void {
  switch (request.kind) {
    case 'append': {
      const outcome = decideAppend(log, request);
      return () => request.resolve(outcome);
    }
    case 'erasure':
      log.erase(request.stream);
      // Also if the stream was erased before: the process may have stopped before the truncation.
      return () => walTruncation.request(request.resolve, request.reject);
    default:
      return unreachable(request);
  }
}

function decideAppend(log: EventLog, { stream, expectedRevision, events, text }: PendingAppend): AppendOutcome {
  // The insertion itself detects whether the stream is new, which it nearly always is.
  if (expectedRevision === NO_STREAM && !log.wasErased(stream)) {
    const position = log.insert(stream, 0, events, text);
    if (position !== null) return { kind: 'appended', revision: events.length - 1, position };
  }
  const head = log.headOf(stream);
  if (head.erased) return { kind: 'erased' };
  if (head.revision === expectedRevision) {
    const position = log.insert(stream, expectedRevision + 1, events, text);
    if (position === null)
      throw new Error(`${stream} has events after its head ${head.revision}: another process writes this file`);
    return { kind: 'appended', revision: expectedRevision + events.length, position };
  }
  const again = expectedRevision < head.revision && repeatedAppend(log, stream, expectedRevision, events);
  return again || { kind: 'wrong-revision', actual: head.revision };
}

/** The outcome of the first append if the same events follow the expected revision already. */
function repeatedAppend(
  log: EventLog,
  stream: string,
  expectedRevision: number,
  events: readonly NewEvent[],
): AppendOutcome | false {
  const read = log.read(stream, expectedRevision + 1, events.length);
  const stored: readonly StoredEvent[] = read.kind === 'events' ? read.events : [];
  const last = stored[events.length - 1];
  if (last === undefined || !events.every((event, index) => stored[index]?.id === event.id)) return false;
  return { kind: 'appended', revision: last.revision, position: last.position };
}
