import { createUseCount, type UseCount } from '../application/count-use.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeyUse } from '../ports/key-use.ts';
import type { Log } from '../ports/log.ts';

/** What a killed node counted since it stored the last time is lost. */
const STORE_EVERY_MS = 2_000;

/** Counts the use of keys, and stores it every two seconds and at the stop. */
export function openUseCount(context: {
  readonly store: KeyUse;
  readonly run: string;
  readonly clock: Clock;
  readonly log: Log;
}): UseCount & { stop(): Promise<void> } {
  const { clock } = context;
  const count = createUseCount(context);
  const stopping = new AbortController();
  // A fault is logged where it is counted, and the next time stores what this one did not.
  const store = (): Promise<void> => count.flush().catch(() => {});
  const storing = (async () => {
    while (!stopping.signal.aborted) {
      await clock.until(clock.nowMs() + STORE_EVERY_MS, stopping.signal);
      await store();
    }
  })();
  return {
    ...count,
    async stop() {
      stopping.abort();
      await storing;
    },
  };
}
