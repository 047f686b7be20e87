import { StreamDeletedError } from '@eventstore/db-client';
import type { Position } from '../../eventsourcing/message.ts';
import { type AppendOutcome, assertAppend, categoryOf, type EventStore, NO_STREAM } from '../../ports/event-store.ts';
import type { Log } from '../../ports/log.ts';
import type { EncodedAppend } from './append-message.ts';
import { openAppender } from './appender.ts';
import { Connection } from './connection.ts';
import { subscribeTo } from './event-subscription.ts';
import { beforeAbort, type Patience, persist } from './patience.ts';
import { readHead, readStream } from './reader.ts';
import { retentionOf } from './retention.ts';
import type { EventStoreServer } from './server-url.ts';
import { encodeEvents } from './stored-events.ts';

/** Long enough for a cluster to choose another leader, short enough that a request does not wait in vain. */
const PATIENCE: Patience = { deadlineMs: 10_000, attemptMs: 3_000 };
/** A question whether the store answers is not asked again. */
const HEALTH: Patience = { deadlineMs: 2_000, attemptMs: 2_000 };
const QUIET_MS = 1_000;

export type EventStoreSettings = {
  readonly log: Log;
  /** By category: after so many days the server forgets each event of such streams. Others are kept for ever. */
  readonly keptDays?: Readonly<Record<string, number>>;
  readonly patience?: Patience;
  /** How long a live subscription may be quiet before it is looked whether the log went on without it. */
  readonly quietMs?: number;
};

/** Also says whether the leader answers, for those who ask whether this node is ready. */
export type RemoteEventStore = EventStore & { healthy(): Promise<boolean> };

/**
 * The event store of production: EventStoreDB, one server or a cluster, which any number of processes share. Connects at
 * the first call. Calls that may be repeated are, until they are answered or their deadline has passed; an append is
 * repeated with the very same bytes and ids at the same expected revision, so that it is stored once.
 */
export function connectEventStore(server: EventStoreServer, settings: EventStoreSettings): RemoteEventStore {
  const { log, keptDays = {}, patience = PATIENCE, quietMs = QUIET_MS } = settings;
  const connection = Connection.to(server);
  const appender = openAppender(connection);
  const closing = new AbortController();

  function repeatedly<T>(what: string, attempt: (signal: AbortSignal) => Promise<T>, within = patience): Promise<T> {
    assertOpen();
    return persist(what, within, closing.signal, attempt);
  }

  function assertOpen(): void {
    if (closing.signal.aborted) throw new Error('the event store is closed');
  }

  async function appendEncoded(append: EncodedAppend): Promise<AppendOutcome> {
    const { stream } = append;
    const answer = await repeatedly(`append to ${stream}`, (signal) => appender.attempt(append, signal));
    if (answer.kind !== 'appended') return answer;
    const { revision, position } = answer;
    return { kind: 'appended', revision, position: position ?? (await positionAt(stream, revision)) };
  }

  async function positionAt(stream: string, revision: number): Promise<Position> {
    const range = { fromRevision: revision, maxCount: 1 };
    const read = await repeatedly(`read of ${stream}`, (signal) => readStream(connection, stream, range, signal));
    const [event] = read.kind === 'events' ? read.events : [];
    if (event?.revision !== revision) throw new Error(`${stream} has no event ${revision} that was just appended`);
    return event.position;
  }

  return {
    exclusive: false,
    async append(stream, expectedRevision, events) {
      assertOpen();
      assertAppend(expectedRevision, events);
      const encoded = encodeEvents(stream, events);
      if (expectedRevision === NO_STREAM) {
        const days = keptDays[categoryOf(stream)];
        if (days !== undefined) await appendEncoded(retentionOf(stream, days));
      }
      return appendEncoded({ stream, expectedRevision, events: encoded });
    },
    async read(stream, fromRevision = 0, maxCount) {
      const range = { fromRevision, ...(maxCount === undefined ? {} : { maxCount }) };
      return repeatedly(`read of ${stream}`, (signal) => readStream(connection, stream, range, signal));
    },
    async last(stream) {
      const read = await repeatedly(`read of ${stream}`, (signal) => readStream(connection, stream, 'last', signal));
      return read.kind === 'events' ? (read.events.at(-1) ?? null) : null;
    },
    subscribe({ after, categories = null, maxBatch = 1_000, lingerMs = 0, signal }) {
      assertOpen();
      const either = AbortSignal.any([signal, closing.signal]);
      return subscribeTo(connection, { after, categories, maxBatch, lingerMs, signal: either, quietMs, log });
    },
    async head() {
      return repeatedly('read of the head of the log', (signal) => readHead(connection, signal));
    },
    async erase(stream) {
      await repeatedly(`erasure of ${stream}`, (signal) => tombstone(connection, stream, signal));
    },
    async healthy() {
      const asked = repeatedly('read of the head of the log', (signal) => readHead(connection, signal), HEALTH);
      return asked.then(
        () => true,
        () => false,
      );
    },
    async close() {
      if (closing.signal.aborted) return;
      closing.abort();
      await connection.close();
    },
  };
}

/** A stream need not exist to be closed for ever, and one that is closed already is as it was asked for. */
async function tombstone(connection: Connection, stream: string, signal: AbortSignal): Promise<void> {
  try {
    await beforeAbort(connection.tombstoneStream(stream, { requiresLeader: true }), signal);
  } catch (fault) {
    if (!(fault instanceof StreamDeletedError)) throw fault;
  }
}
