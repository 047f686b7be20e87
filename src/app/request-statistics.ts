import { createRequestStatistics, type RequestStatistics } from '../application/key/request-statistics.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { RequestStatisticsStore } from '../ports/request-statistics.ts';
import { runLoop } from '../runtime/running.ts';

/** A killed node loses what it counted since it last stored. */
const STORE_EVERY_MS = 2_000;

/** Counts requests by key and stores the sums every two seconds and at the stop. */
export function openRequestStatistics(context: {
  readonly store: RequestStatisticsStore;
  readonly run: string;
  readonly clock: Clock;
  readonly log: Log;
}): RequestStatistics & { stop(): Promise<void> } {
  const { clock } = context;
  const statistics = createRequestStatistics(context);
  // `flush` logs the fault, and the next one stores what this one did not.
  const store = (): Promise<void> => statistics.flush().catch(() => {});
  const storing = runLoop(async (stopping) => {
    while (!stopping.aborted) {
      await clock.until(clock.nowMs() + STORE_EVERY_MS, stopping);
      await store();
    }
  });
  return { ...statistics, stop: () => storing.stop() };
}
