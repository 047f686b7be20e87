import { SESSION_KEY_READ_MODELS } from '../../domain/session/key-operations.ts';
import type { Projection } from '../../eventsourcing/projection.ts';
import type { Log } from '../../ports/log.ts';
import type { ReadModelStore } from '../../ports/read-model-store.ts';
import { StoreUnavailable } from '../../ports/store-unavailable.ts';
import { type Changes, ReadModelChanges } from '../../runtime/read-model-changes.ts';
import { type Running, runLoop } from '../../runtime/running.ts';
import { strangeAddress } from '../key/authenticate.ts';
import { type Refused, refused, serviceUnavailable } from '../refusal.ts';
import type { Session } from '../session/session.ts';
import { callerOfSession, type SessionContext, type SignedIn } from '../session/session-caller.ts';

/** Poll interval of read models and sessions: a connection gets at most one message of a kind in this time. */
const POLL_INTERVAL_MS = 1_000;
/** A connection without a message gets a comment after so many polls, so that proxies keep it open. */
const QUIET_POLLS = 15;
/** A browser opens at most six connections to a service over HTTP/1.1: two are left for requests. */
export const MAX_PER_SESSION = 4;
/** Of all sessions of a key or token, so that one caller with many sessions leaves connections to the others. */
export const MAX_PER_CREDENTIAL = 16;
export const MAX_PER_NODE = 256;
/** Of the connections of a node. Sessions of keys take no more than the rest. */
export const KEPT_FOR_OPERATORS = 64;
/** When a refused browser should try again, in seconds. */
const RETRY_S = 30;

export type LiveMessage =
  /** Later changes will be reported. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'changed'; readonly readModels: readonly string[] }
  | { readonly kind: 'rebuild'; readonly projections: readonly string[] }
  /** The readiness checks of this node that fail. */
  | { readonly kind: 'readiness'; readonly failed: readonly string[] };

/** The receiving end of a connection. */
export type LiveReader = {
  /** Without messages it sends a comment. False if earlier messages still wait: the connection is dropped. */
  send(messages: readonly LiveMessage[]): boolean;
  end(): void;
};

type Connection = {
  readonly session: Session;
  readonly address: string | null;
  readonly reader: LiveReader;
  isReady: boolean;
  quietPolls: number;
};

type Context = SessionContext & {
  readonly projections: readonly Projection<object>[];
  readonly readModels: Pick<ReadModelStore, 'pointers' | 'lastEvents'>;
  /** The readiness checks of this node by name; those that pass are true. */
  readonly checks: () => Readonly<Record<string, boolean | string>>;
  readonly log: Log;
  readonly wait: (ms: number, over: AbortSignal) => Promise<void>;
};

/** The live connections of this node, and their one watcher, which runs while there are any. */
export class LiveUpdates {
  readonly #context: Context;
  readonly #connections = new Set<Connection>();
  #watching: Running | null = null;
  #closed = false;

  constructor(context: Context) {
    this.#context = context;
  }

  /** `leave` is to be called when the client has gone. */
  connect(
    session: Session,
    address: string | null,
    reader: LiveReader,
  ): { readonly kind: 'connected'; readonly leave: () => void } | Refused {
    if (this.#closed) return serviceUnavailable('the node is stopping', { call: 'live updates' });
    const full = this.#boundReached(session);
    if (full !== null) return full;
    const connection = { session, address, reader, isReady: false, quietPolls: 0 };
    this.#connections.add(connection);
    this.#watching ??= runLoop((stopping) => this.#watch(stopping));
    return { kind: 'connected', leave: () => this.#forget(connection) };
  }

  /** Ends all connections, and refuses new ones from now on. */
  refuseNew(): void {
    this.#closed = true;
    for (const connection of this.#connections) this.#end(connection);
  }

  async stop(): Promise<void> {
    const watching = this.#watching;
    this.refuseNew();
    await watching?.stop();
  }

  #boundReached({ sessionId, credentialHash, kind }: Session): Refused | null {
    const sessions = [...this.#connections].map((connection) => connection.session);
    const ofSession = sessions.filter((other) => other.sessionId === sessionId);
    if (ofSession.length >= MAX_PER_SESSION) return tooMany('The session has', MAX_PER_SESSION);
    const ofCredential = sessions.filter((other) => other.credentialHash === credentialHash);
    if (ofCredential.length >= MAX_PER_CREDENTIAL)
      return tooMany(`All sessions of the ${kind === 'key' ? 'key' : 'token'} together have`, MAX_PER_CREDENTIAL);
    const ofKeys = sessions.filter((other) => other.kind === 'key');
    const forKeys = MAX_PER_NODE - KEPT_FOR_OPERATORS;
    if (kind === 'key' && ofKeys.length >= forKeys) return tooMany('Sessions of keys have, on this node,', forKeys);
    return sessions.length >= MAX_PER_NODE ? tooMany('This node has', MAX_PER_NODE) : null;
  }

  async #watch(stopping: AbortSignal): Promise<void> {
    const changes = new ReadModelChanges(this.#context.projections, this.#context.readModels);
    let failing = this.#failing();
    while (!stopping.aborted) {
      const seen = await this.#poll(changes);
      const nowFailing = this.#failing();
      const turned = String(nowFailing) !== String(failing);
      failing = nowFailing;
      await Promise.all(
        [...this.#connections].map((each) => this.#send(each, seen, turned ? failing : null, stopping)),
      );
      if (!stopping.aborted) await this.#context.wait(POLL_INTERVAL_MS, stopping);
    }
  }

  #failing(): readonly string[] {
    return Object.entries(this.#context.checks()).flatMap(([name, check]) => (check === true ? [] : [name]));
  }

  /** While the read models are unavailable nothing is found; the next poll finds it. */
  async #poll(changes: ReadModelChanges): Promise<Changes> {
    try {
      return await changes.look();
    } catch (fault) {
      // Its health check logs that a store is unavailable.
      if (!(fault instanceof StoreUnavailable)) this.#context.log.error('live updates not found', { fault });
      return { readModels: [], rebuilds: [] };
    }
  }

  async #send(
    connection: Connection,
    { readModels, rebuilds }: Changes,
    failing: readonly string[] | null,
    stopping: AbortSignal,
  ): Promise<void> {
    const caller = await this.#callerOf(connection);
    if (stopping.aborted || !this.#connections.has(connection)) return;
    if (caller === null) return this.#end(connection);
    const shown = caller.kind === 'key' ? readModels.filter((name) => SESSION_KEY_READ_MODELS.has(name)) : readModels;
    const messages: LiveMessage[] = [];
    if (!connection.isReady) messages.push({ kind: 'ready' });
    connection.isReady = true;
    if (shown.length > 0) messages.push({ kind: 'changed', readModels: shown });
    if (caller.kind === 'operator' && rebuilds.length > 0) messages.push({ kind: 'rebuild', projections: rebuilds });
    if (caller.kind === 'operator' && failing !== null) messages.push({ kind: 'readiness', failed: failing });
    connection.quietPolls = messages.length > 0 ? 0 : connection.quietPolls + 1;
    if (messages.length === 0 && connection.quietPolls < QUIET_POLLS) return;
    connection.quietPolls = 0;
    if (!connection.reader.send(messages)) this.#end(connection);
  }

  /** Null if the session, or what signed in, is over or cannot be proven current. */
  async #callerOf({ session, address }: Connection): Promise<SignedIn | null> {
    const found = await callerOfSession(session, this.#context);
    if (found.kind === 'operator') return found;
    return found.kind === 'key' && strangeAddress(found.key, () => address) === null ? found : null;
  }

  #end(connection: Connection): void {
    this.#forget(connection);
    connection.reader.end();
  }

  #forget(connection: Connection): void {
    this.#connections.delete(connection);
    if (this.#connections.size > 0) return;
    void this.#watching?.stop();
    this.#watching = null;
  }
}

function tooMany(whoHas: string, limit: number): Refused {
  return refused(
    'RATE_LIMITED',
    `${whoHas} ${limit} live connections; close one, or load the page again to see changes.`,
    {
      retryAfterSeconds: RETRY_S,
    },
  );
}
