import { setTimeout as sleep } from 'node:timers/promises';
import { EventStoreUnavailable, refusalIn } from './faults.ts';

/** Deadlines of one call to the port, and of each attempt of it. */
export type RetryPolicy = {
  /** Counted from the last sign of an answer, so that a long read with progress continues. */
  readonly deadlineMs: number;
  /** After this time without a sign of an answer, another attempt starts beside the running ones. */
  readonly attemptMs: number;
};

/** The clock and timers of a call; tests replace them. */
export type Time = {
  readonly nowMs: () => number;
  /** Calls once after `ms`; returns a function that cancels it. */
  readonly later: (ms: number, call: () => void) => () => void;
};

const REAL_TIME: Time = {
  nowMs: () => performance.now(),
  later(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};

/** @param onSign the attempt calls it at each sign that the answer is arriving */
export type Attempt<T> = (signal: AbortSignal, onSign: () => void) => Promise<T>;

const FIRST_RETRY_MS = 25;
const LONGEST_RETRY_MS = 1_000;

/** The time before the n-th repetition (from 0). */
export function retryDelayMs(repetition: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** repetition, LONGEST_RETRY_MS);
}

/**
 * Repeats an idempotent operation, such as a read or an append of the same events, until it is answered or refused, or
 * the deadline has passed. Running attempts continue when the next one starts: a slow server may answer each of them,
 * but none within `attemptMs`. The first answer counts.
 *
 * @param attempt one attempt; its signal aborts when the call has ended
 * @throws StoreRefused, EventStoreRefusal if the server refuses for good; EventStoreUnavailable at the deadline
 */
export function retry<T>(
  what: string,
  { deadlineMs, attemptMs }: RetryPolicy,
  closing: AbortSignal,
  attempt: Attempt<T>,
  time: Time = REAL_TIME,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const ended = new AbortController();
  const beganMs = time.nowMs();
  let [lastSignMs, attemptedMs] = [beganMs, beganMs];
  let [attempts, running, faults] = [0, 0, 0];
  let fault: unknown = new Error(`no answer within ${attemptMs} ms`);
  let cancelTimer = (): void => {};

  function end(settle: () => void): void {
    cancelTimer();
    closing.removeEventListener('abort', close);
    settle();
    ended.abort(new Error('the call has ended'));
  }
  function close(): void {
    end(() => reject(new Error('the event store is closed', { cause: fault })));
  }
  function timeOut(): void {
    const deadline = { name: 'event store', ms: deadlineMs };
    const failed = { call: what, deadline, tookMs: Math.round(time.nowMs() - beganMs), attempts };
    const message = `${what}: no answer from the event store within ${deadlineMs} ms`;
    end(() => reject(new EventStoreUnavailable(message, { cause: fault, failed })));
  }
  function begin(): void {
    attempts++;
    running++;
    attemptedMs = time.nowMs();
    attempt(ended.signal, () => {
      lastSignMs = time.nowMs();
    }).then((answer) => end(() => resolve(answer)), fail);
    if (!ended.signal.aborted) wait();
  }
  /** Waits until the next attempt or the deadline. */
  function wait(): void {
    cancelTimer();
    const nowMs = time.nowMs();
    const silentMs = nowMs - Math.max(lastSignMs, attemptedMs);
    cancelTimer = time.later(Math.max(0, Math.min(attemptMs - silentMs, lastSignMs + deadlineMs - nowMs)), look);
  }
  function look(): void {
    const nowMs = time.nowMs();
    if (nowMs - lastSignMs >= deadlineMs) timeOut();
    else if (nowMs - Math.max(lastSignMs, attemptedMs) >= attemptMs) begin();
    else wait();
  }
  function fail(thrown: unknown): void {
    if (ended.signal.aborted) return;
    running--;
    const refusal = refusalIn(thrown);
    if (refusal !== null) return end(() => reject(refusal));
    fault = thrown;
    if (running > 0) return;
    cancelTimer();
    const delayMs = retryDelayMs(faults++);
    if (lastSignMs + deadlineMs - time.nowMs() <= delayMs) timeOut();
    else cancelTimer = time.later(delayMs, begin);
  }

  closing.addEventListener('abort', close);
  if (closing.aborted) close();
  else begin();
  return promise;
}

/** Waits for `ms`, or until the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** @throws the signal's reason if it aborts first */
export function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(reasonOf(signal));
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Why a signal aborted, as something to throw. */
export function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('the call was aborted', { cause: signal.reason });
}
