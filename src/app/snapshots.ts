import { openSnapshots, type Snapshots } from '../actors/snapshots.ts';
import { DAY_MS, HOUR_MS } from '../eventsourcing/durations.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { SnapshotStore } from '../ports/snapshot-store.ts';
import { runLoop } from '../runtime/running.ts';

/** A snapshot that was not replaced for so long is deleted: of a past date, a deleted key, or another release. */
const KEPT_MS = 30 * DAY_MS;

/** The snapshots of the streams' states. Deletes old ones each hour. */
export function openSnapshotting(context: {
  readonly store: SnapshotStore;
  readonly clock: Clock;
  readonly log: Log;
}): Snapshots {
  const { store, clock } = context;
  const snapshots = openSnapshots(context);
  const deleting = runLoop(async (stopping) => {
    while (!stopping.aborted) {
      await clock.until(clock.nowMs() + HOUR_MS, stopping);
      // A store that does not answer is asked again after an hour.
      await store.removeBefore(clock.nowMs() - KEPT_MS).catch(() => {});
    }
  });
  return {
    ...snapshots,
    async stop() {
      await Promise.all([deleting.stop(), snapshots.stop()]);
    },
  };
}
