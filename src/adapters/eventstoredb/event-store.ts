import { StreamDeletedError } from '@eventstore/db-client';
import { type Position, START } from '../../eventsourcing/message.ts';
import {
  type AppendOutcome,
  assertAppend,
  assertLogRange,
  type EventStore,
  NO_STREAM,
  type RemoteLog,
} from '../../ports/event-store.ts';
import type { Log } from '../../ports/log.ts';
import type { AppendAnswer, EncodedAppend } from './append-message.ts';
import { openAppender } from './appender.ts';
import { Connection } from './connection.ts';
import { subscribeTo } from './event-subscription.ts';
import type { LogReplaced } from './faults.ts';
import { openForeignEvents } from './foreign-events.ts';
import { LogIdentity } from './log-identity.ts';
import { checkCheckpoint, readAfter, readHead, readLog } from './log-places.ts';
import { EVENTSTOREDB_POSITIONS } from './positions.ts';
import { type PageRange, readForwards, readLast, readPage, type ServerPage } from './reader.ts';
import { openRetention, type RetentionSettings } from './retention.ts';
import { type Attempt, beforeAbort, type RetryPolicy, retry } from './retry.ts';
import type { EventStoreServer } from './server-url.ts';
import { ServerVersion } from './server-version.ts';
import { encodeEvents } from './stored-events.ts';
import { streamNames } from './stream-names.ts';

/** Long enough for a cluster to elect another leader, short enough for a waiting request. */
const RETRY_POLICY: RetryPolicy = { deadlineMs: 10_000, attemptMs: 3_000 };
/** Of `readAfter`, whose callers soon ask again. */
const SHORT_RETRY_POLICY: RetryPolicy = { deadlineMs: 2_000, attemptMs: 1_000 };

export type EventStoreSettings = RetentionSettings & {
  readonly log: Log;
  readonly retryPolicy?: RetryPolicy;
  /** Prefix of every stream name on the server; see `isStreamPrefix`. */
  readonly streamPrefix?: string;
  /** How long a newly elected leader may lack the end of the log before the log counts as replaced. */
  readonly electionMs?: number;
  /** Called once if the server returns with another log; from then on every call throws LogReplaced. */
  readonly onReplaced?: (fault: LogReplaced) => void;
};

const DEFAULTS: Required<Omit<EventStoreSettings, 'log' | keyof RetentionSettings>> = {
  retryPolicy: RETRY_POLICY,
  streamPrefix: '',
  electionMs: 10_000,
  onReplaced: () => {},
};

export type RemoteEventStore = EventStore &
  RemoteLog & {
    /** Reads and logs the server's version. @throws StoreRefused if Waymark does not support it */
    checkVersion(): Promise<void>;
  };

/**
 * The event store for production: EventStoreDB, one server or a cluster, shared by any number of processes. Connects at
 * the first call. Calls are repeated until they are answered or their deadline has passed; an append is repeated with
 * the same bytes, ids and expected revision, so that it is stored once.
 */
export function connectEventStore(server: EventStoreServer, settings: EventStoreSettings): RemoteEventStore {
  const { log, retryPolicy, electionMs, onReplaced, streamPrefix } = { ...DEFAULTS, ...settings };
  const names = streamNames(streamPrefix);
  const foreign = openForeignEvents(log);
  const ownership = { names, foreign };
  const connection = Connection.to(server);
  const appender = openAppender(connection, retryPolicy.attemptMs);
  const retention = openRetention(settings, attemptAppend);
  const version = new ServerVersion(connection, log);
  const closing = new AbortController();
  const identity = new LogIdentity({
    check: (newest, signal) => checkCheckpoint(connection, { position: newest.position, lastEvent: newest }, signal),
    onReplaced,
    closing: closing.signal,
    electionMs,
  });

  function repeatedly<T>(what: string, attempt: Attempt<T>, within = retryPolicy): Promise<T> {
    assertOpen();
    return retry(what, within, closing.signal, identity.guarded(attempt));
  }

  function assertOpen(): void {
    if (closing.signal.aborted) throw new Error('the event store is closed');
  }

  function attemptAppend(append: EncodedAppend): Promise<AppendAnswer> {
    return repeatedly(`append to ${append.stream}`, (signal) => appender.attempt(append, signal));
  }

  async function appendEncoded(append: EncodedAppend): Promise<AppendOutcome> {
    const answer = await attemptAppend(append);
    if (answer.kind !== 'appended') return answer;
    const { revision, position } = answer;
    return { kind: 'appended', revision, position: position ?? (await positionAt(append.stream, revision)) };
  }

  async function positionAt(name: string, revision: number): Promise<Position> {
    const page = await pageOf({ name, direction: 'forwards', fromRevision: revision, maxCount: 1 });
    const [event] = page.kind === 'events' ? page.events : [];
    if (event?.revision !== revision) throw new Error(`${name} has no event ${revision} that was just appended`);
    return event.position;
  }

  function pageOf(range: PageRange): Promise<ServerPage> {
    return repeatedly(`read of ${range.name}`, (signal, onSign) =>
      readPage(connection, range, ownership, signal, onSign),
    );
  }

  return {
    exclusive: false,
    positions: EVENTSTOREDB_POSITIONS,
    async append(stream, expectedRevision, events) {
      assertOpen();
      assertAppend(expectedRevision, events);
      const name = names.onServer(stream);
      const encoded = encodeEvents(name, events);
      await retention.set(stream, name, expectedRevision === NO_STREAM);
      return appendEncoded({ stream: name, expectedRevision, events: encoded });
    },
    async read(stream, fromRevision = 0, maxCount) {
      return readForwards(pageOf, names.onServer(stream), fromRevision, maxCount);
    },
    last: async (stream) => readLast(pageOf, names.onServer(stream)),
    subscribe({ after, categories = null, maxBatch = 1_000, lingerMs = 0, reader = null, signal }) {
      assertOpen();
      const following = { after, categories, maxBatch, lingerMs, reader, ownership, identity, log };
      return subscribeTo(connection, { ...following, signal: AbortSignal.any([signal, closing.signal]) });
    },
    async head() {
      const last = await repeatedly('read of the head of the log', (signal) => readHead(connection, signal));
      if (last !== null) identity.saw(last);
      return last?.position ?? START;
    },
    async readLog(range) {
      assertLogRange(range);
      return repeatedly('read of the log', (signal) => readLog(connection, range, ownership, signal));
    },
    async readAfter(after, categories) {
      const following = { after, categories, ownership };
      const { last, ...batch } = await repeatedly(
        'read of the end of the log',
        (signal) => readAfter(connection, following, signal),
        SHORT_RETRY_POLICY,
      );
      if (last !== null) identity.saw(last);
      void version.follow();
      return batch;
    },
    check: async (checkpoint) =>
      repeatedly('check of a checkpoint', (signal) => checkCheckpoint(connection, checkpoint, signal)),
    async erase(stream) {
      const name = names.onServer(stream);
      await repeatedly(`erasure of ${name}`, (signal) => tombstone(connection, name, signal));
    },
    async checkVersion() {
      await repeatedly('read of the server version', (signal) => beforeAbort(version.check(), signal));
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      foreign.close();
      await connection.close();
    },
  };
}

/** Deletes the stream permanently, whether or not it exists. A stream that is already deleted is not a fault. */
async function tombstone(connection: Connection, stream: string, signal: AbortSignal): Promise<void> {
  try {
    await beforeAbort(connection.tombstoneStream(stream, { requiresLeader: true }), signal);
  } catch (fault) {
    if (!(fault instanceof StreamDeletedError)) throw fault;
  }
}
