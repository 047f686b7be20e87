import type { Log } from '../ports/log.ts';

const EVERY_MS = 10_000;

/** Logs every ten seconds what the catalogue waits for, until it is disposed: such a wait has no deadline. */
export function logWait(waitsFor: string, log: Log, everyMs = EVERY_MS): Disposable {
  const sinceMs = performance.now();
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - sinceMs) / 1_000);
    log.warn('catalogue waits', { waitsFor, seconds });
  }, everyMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
