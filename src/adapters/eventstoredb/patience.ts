import { EventStoreUnavailable, refusalIn } from './faults.ts';

/** How long one call to the port may take, and each attempt of it. */
export type Patience = {
  readonly deadlineMs: number;
  /** After so long without an answer an attempt is given up, and the next one begins. */
  readonly attemptMs: number;
};

const FIRST_RETRY_MS = 25;
const LONGEST_RETRY_MS = 1_000;

/** The time before the n-th repetition (from 0). */
export function retryDelayMs(repetition: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** repetition, LONGEST_RETRY_MS);
}

/**
 * Attempts something that may be attempted again, such as a read, or an append of the very same events: until it is
 * answered, refused for good, or the deadline has passed.
 *
 * @param attempt one attempt; its signal aborts when nobody waits for it any more
 * @throws StoreRefused, EventStoreRefusal where trying again is no use; EventStoreUnavailable at the deadline
 */
export async function persist<T>(
  what: string,
  { deadlineMs, attemptMs }: Patience,
  closing: AbortSignal,
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const endsAtMs = performance.now() + deadlineMs;
  for (let repetition = 0; ; repetition++) {
    const leftMs = endsAtMs - performance.now();
    const outcome = await attempted(attempt, Math.max(1, Math.min(attemptMs, leftMs)), closing);
    if (outcome.kind === 'answer') return outcome.answer;
    const { fault } = outcome;
    const refusal = refusalIn(fault);
    if (refusal !== null) throw refusal;
    if (closing.aborted) throw new Error('the event store is closed', { cause: fault });
    const delayMs = retryDelayMs(repetition);
    if (endsAtMs - performance.now() <= delayMs)
      throw new EventStoreUnavailable(`${what}: no answer from the event store within ${deadlineMs} ms`, {
        cause: fault,
      });
    await pause(delayMs, closing);
  }
}

/** Waits, or until the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}

/** @throws the signal's reason, where it aborts first */
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
  return signal.reason instanceof Error ? signal.reason : new Error('given up', { cause: signal.reason });
}

type Attempted<T> =
  | { readonly kind: 'answer'; readonly answer: T }
  | { readonly kind: 'fault'; readonly fault: unknown };

async function attempted<T>(
  attempt: (signal: AbortSignal) => Promise<T>,
  ms: number,
  closing: AbortSignal,
): Promise<Attempted<T>> {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new Error(`no answer within ${Math.round(ms)} ms`)), ms);
  const close = (): void => over.abort(new Error('the event store is closed'));
  closing.addEventListener('abort', close);
  if (closing.aborted) close();
  try {
    return { kind: 'answer', answer: await attempt(over.signal) };
  } catch (fault) {
    return { kind: 'fault', fault };
  } finally {
    clearTimeout(timer);
    closing.removeEventListener('abort', close);
  }
}
