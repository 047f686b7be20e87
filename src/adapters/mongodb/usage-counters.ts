import { ObjectId } from 'mongodb';
import type { UsageCounters } from '../../ports/usage-counters.ts';
import type { Database } from './database.ts';
import { type UsageDocuments, usageDocuments } from './usage-documents.ts';
import { type Lane, openLane, type Passing } from './usage-lane.ts';

/** Of so many keys the usage is kept in memory: at most 300 instants each. */
const KEYS_IN_MEMORY = 10_000;

const realTime: Passing = {
  nowMs: () => performance.now(),
  later: (ms, call) => void setTimeout(call, ms).unref(),
};

/** @param database stays open when the counters are closed */
export function openUsageCounters(database: Database): UsageCounters {
  return countersOver(usageDocuments(database), realTime, () => new ObjectId().toHexString());
}

/**
 * Usage counters that any number of nodes share (docs/decisions/0034): requests are decided on all that came before them,
 * wherever that came in, or taken from a share that a node got while plenty was left. A refusal is only given on what was
 * read after the request came, with every share settled that somebody still holds.
 *
 * @param newId a share's, used once
 */
export function countersOver(documents: UsageDocuments, time: Passing, newId: () => string): UsageCounters {
  const lanes = new Map<string, Lane>();
  let today = 0;
  let open = true;

  function assertOpen(): void {
    if (!open) throw new Error('the usage counters are closed');
  }

  function laneOf(key: string): Lane {
    const known = lanes.get(key);
    if (known !== undefined) return known;
    if (lanes.size >= KEYS_IN_MEMORY) for (const [other, lane] of lanes) if (lane.idle()) lanes.delete(other);
    const lane = openLane(key, { documents, time, newId, wrote: forgetOthers, open: () => open });
    lanes.set(key, lane);
    return lane;
  }

  /** Once a day documents that count for nothing any more go. Where that fails, the next request of the day tries again. */
  function forgetOthers(day: number): void {
    if (day <= today) return;
    const before = today;
    today = day;
    documents.forgetBefore(day - 1).catch(() => {
      today = before;
    });
  }

  return {
    async take(key, limits, atMs, counting = 'minute and day') {
      assertOpen();
      return laneOf(key).take({ limits, atMs, counting });
    },
    async peek(key, limits, atMs) {
      assertOpen();
      return laneOf(key).look(limits, atMs);
    },
    async close() {
      open = false;
      await Promise.all([...lanes.values()].map((lane) => lane.settle()));
    },
  };
}
