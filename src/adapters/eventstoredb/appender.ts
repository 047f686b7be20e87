import { randomUUID } from 'node:crypto';
import type { BatchAppendResp } from '@eventstore/db-client/generated/streams_pb';
import { type AppendAnswer, appendAnswer, appendRequest, type EncodedAppend, uuidText } from './append-message.ts';
import type { AppendStream, Connection } from './connection.ts';
import { EventStoreUnavailable } from './faults.ts';
import { beforeAbort } from './retry.ts';

/** Maximum number of pending appends; the mailboxes of a node never send as many. */
const MAX_WAITING = 8_192;

type Appender = {
  /** One attempt. @throws if it fails, if the signal aborts before the answer, or if too many appends are pending */
  attempt(append: EncodedAppend, signal: AbortSignal): Promise<AppendAnswer>;
};

/**
 * Sends all appends of this process over one gRPC stream, without batching; correlation ids match the answers. A stream
 * that ends rejects its pending appends, which the caller may attempt again over the next stream. A stream that is
 * silent for the duration of an attempt is replaced but still read: a server that only paused answers late.
 */
export function openAppender(connection: Pick<Connection, 'openAppends'>, attemptMs: number): Appender {
  let current: Promise<OpenStream> | null = null;
  /** Each append once, whatever the number of its pending attempts. */
  const waiting = new Set<EncodedAppend>();

  function open(): Promise<OpenStream> {
    const forget = (): void => {
      if (current === opening) current = null;
    };
    const opening = connection.openAppends().then((stream) => listenTo(stream, attemptMs, forget));
    opening.catch(forget);
    return opening;
  }

  return {
    async attempt(append, signal) {
      if (waiting.size >= MAX_WAITING && !waiting.has(append))
        throw new EventStoreUnavailable(`${MAX_WAITING} appends wait for their answer`);
      waiting.add(append);
      try {
        current ??= open();
        (await beforeAbort(current, signal)).replaceIfSilent();
        current ??= open();
        return await (await beforeAbort(current, signal)).send(append, signal);
      } finally {
        waiting.delete(append);
      }
    },
  };
}

type Waiting = {
  readonly sentMs: number;
  readonly resolve: (answer: AppendAnswer) => void;
  readonly reject: (fault: unknown) => void;
};

type OpenStream = {
  readonly send: (append: EncodedAppend, signal: AbortSignal) => Promise<AppendAnswer>;
  /** Sends no further append over this stream if it has been silent for too long. */
  readonly replaceIfSilent: () => void;
};

/** @param forget called when the stream must not be used any more */
function listenTo(stream: AppendStream, attemptMs: number, forget: () => void): OpenStream {
  /** In the order of sending. */
  const waiting = new Map<string, Waiting>();
  let answeredMs = Number.NEGATIVE_INFINITY;
  let state: 'open' | 'replaced' | 'over' = 'open';

  function end(fault: unknown): void {
    state = 'over';
    forget();
    for (const { reject } of waiting.values()) reject(fault);
    waiting.clear();
  }

  function replaceIfSilent(): void {
    const [oldest] = waiting.values();
    if (state !== 'open' || oldest === undefined || answeredMs >= oldest.sentMs) return;
    if (performance.now() - oldest.sentMs < attemptMs) return;
    state = 'replaced';
    forget();
  }

  function remove(id: string): void {
    waiting.delete(id);
    if (state === 'replaced' && waiting.size === 0) stream.cancel();
  }

  stream.on('data', (response: BatchAppendResp) => {
    answeredMs = performance.now();
    const id = uuidText(response.getCorrelationId());
    const append = waiting.get(id);
    // The answer came after its deadline.
    if (append === undefined) return;
    try {
      append.resolve(appendAnswer(response));
    } catch (fault) {
      append.reject(fault);
    }
    remove(id);
  });
  stream.on('error', end);
  stream.on('end', () => end(new EventStoreUnavailable('the event store ended the stream of appends')));

  return {
    replaceIfSilent,
    async send(append, signal) {
      if (state === 'over') throw new EventStoreUnavailable('the stream of appends has just ended');
      const id = randomUUID();
      const { promise, resolve, reject } = Promise.withResolvers<AppendAnswer>();
      waiting.set(id, { sentMs: performance.now(), resolve, reject });
      stream.write(appendRequest(id, append));
      try {
        return await beforeAbort(promise, signal);
      } catch (fault) {
        replaceIfSilent();
        remove(id);
        throw fault;
      }
    },
  };
}
