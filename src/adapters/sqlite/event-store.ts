import {
  type AppendOutcome,
  assertAppend,
  assertLogRange,
  type EventStore,
  type NewEvent,
  NO_STREAM,
  type StoredEvent,
} from '../../ports/event-store.ts';
import { openAttempts } from './attempts.ts';
import { type Disk, openOnDisk } from './disk.ts';
import { EventLog, type KeptEvents, PRAGMAS } from './event-log.ts';
import { EMBEDDED_POSITIONS, encodeEvents } from './event-rows.ts';
import { subscribeTo } from './event-subscription.ts';

/** Maximum number of events in a group commit; the rest go into the next. */
const GROUP_EVENTS = 4_000;
/** Maximum number of event-loop turns before a group is committed. */
const COLLECT_TURNS = 4;

/** An append or an erasure that waits for its group. */
type Pending = {
  /** Number of events; 1 for an erasure. */
  readonly size: number;
  /** Runs within the group's transaction. Returns the call that answers the caller after the commit. */
  readonly execute: () => () => void;
  readonly reject: (fault: unknown) => void;
};

/** When what was appended is on the disk: before the append is answered, or when the store is closed. */
export type DurableAt = 'append' | 'close';

export type EventStoreOptions = {
  /** `close`: a power failure before the close may lose or damage everything. */
  readonly durableAt?: DurableAt;
  readonly keptEvents?: KeptEvents;
};

/** The port, and whether its disk accepts writes. */
export type EmbeddedEventStore = EventStore & Pick<Disk, 'writable'>;

/**
 * The embedded event store: one SQLite file in WAL mode with `synchronous=FULL`. Appends that arrive in one turn of the
 * event loop are committed together with one fsync and then answered. This process is the only writer, which
 * `lockDataDirectory` ensures. Erasures join the same groups, and are answered when no byte is left in the files.
 *
 * @param path the database file, created if missing
 * @throws StoreUnavailable if the disk is full, here and at every call
 */
export function openEventStore(
  path: string,
  { durableAt = 'append', keptEvents = {} }: EventStoreOptions = {},
): EmbeddedEventStore {
  const pragmas = durableAt === 'append' ? PRAGMAS : [...PRAGMAS, 'synchronous = OFF'];
  const { log, disk } = openOnDisk('event store', path, pragmas, (db, onDisk) => ({
    log: new EventLog(db, keptEvents),
    disk: onDisk,
  }));
  const wakers = new Set<() => void>();
  const closing = new AbortController();
  const walTruncation = openAttempts('event store', () => disk.write(() => log.truncateWal()));
  const groupCommit = openGroupCommit(log, disk, () => {
    for (const wake of wakers) wake();
  });

  function assertOpen(): void {
    if (closing.signal.aborted) throw new Error('the event store is closed');
  }

  return {
    exclusive: true,
    positions: EMBEDDED_POSITIONS,
    append(stream, expectedRevision, events) {
      return new Promise((resolve, reject) => {
        assertOpen();
        assertAppend(expectedRevision, events);
        const text = encodeEvents(stream, events);
        const execute = () => {
          const outcome = decideAppend(log, { stream, expectedRevision, events, text });
          return () => resolve(outcome);
        };
        groupCommit.enqueue({ size: events.length, execute, reject });
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
    subscribe(options) {
      assertOpen();
      return subscribeTo(log, { wakers, closing: closing.signal }, options);
    },
    async readLog(range) {
      assertOpen();
      assertLogRange(range);
      return disk.read(() => log.page(range));
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
        const execute = () => {
          log.erase(stream);
          // Also if the stream was erased before: the process may have stopped before the truncation.
          return () => walTruncation.request(resolve, reject);
        };
        groupCommit.enqueue({ size: 1, execute, reject });
      });
    },
    async close() {
      if (closing.signal.aborted) return;
      groupCommit.drain();
      closing.abort();
      walTruncation.stop();
      log.close();
    },
    writable: () => disk.writable(),
  };
}

/**
 * Commits the requests that arrive in one turn of the event loop in one transaction with one fsync, then answers them.
 *
 * @param onCommit called after the answers, so that subscriptions continue
 */
function openGroupCommit(log: EventLog, disk: Disk, onCommit: () => void) {
  const pending: Pending[] = [];
  let scheduled = false;

  function schedule(): void {
    if (scheduled) return;
    scheduled = true;
    setImmediate(collect, pending.length, COLLECT_TURNS);
  }

  /** Waits another turn while each turn of the event loop brings more requests. */
  function collect(seen: number, turnsLeft: number): void {
    if (turnsLeft > 0 && pending.length > seen) setImmediate(collect, pending.length, turnsLeft - 1);
    else flush();
  }

  function flush(): void {
    scheduled = false;
    const group = takeGroup();
    if (group.length === 0) return;
    for (const answer of commit(group)) answer();
    onCommit();
    if (pending.length > 0) schedule();
  }

  function takeGroup(): Pending[] {
    let events = 0;
    let taken = 0;
    while (taken < pending.length && events < GROUP_EVENTS) events += pending[taken++]?.size ?? 0;
    return pending.splice(0, taken);
  }

  /** Returns the calls that answer the group. */
  function commit(group: readonly Pending[]): readonly (() => void)[] {
    try {
      return disk.write(() => log.transaction(() => group.map(({ execute }) => execute())));
    } catch (fault) {
      return group.map((request) => () => request.reject(fault));
    }
  }

  return {
    enqueue(request: Pending): void {
      pending.push(request);
      schedule();
    },
    /** Commits everything that is pending. */
    drain(): void {
      while (pending.length > 0) flush();
    },
  };
}

type Append = {
  readonly stream: string;
  readonly expectedRevision: number;
  readonly events: readonly NewEvent[];
  /** The encoded events. */
  readonly text: string;
};

function decideAppend(log: EventLog, { stream, expectedRevision, events, text }: Append): AppendOutcome {
  // The insertion itself detects whether the stream is new, which it nearly always is, unless its first row was deleted.
  if (expectedRevision === NO_STREAM && !log.wasErased(stream) && log.keptOf(stream) === null) {
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
