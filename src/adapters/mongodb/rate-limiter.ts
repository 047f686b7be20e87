import { ObjectId } from 'mongodb';
import type { RateLimiter } from '../../ports/rate-limiter.ts';
import type { Database } from './database.ts';
import { openQuotaBatcher, type QuotaBatcher, type Time } from './quota-batcher.ts';
import { type UsageDocuments, usageDocuments } from './usage-documents.ts';

/** Maximum number of keys whose usage is cached; at most 300 instants each. */
const KEYS_IN_MEMORY = 10_000;

const realTime: Time = {
  nowMs: () => performance.now(),
  later: (ms, call) => void setTimeout(call, ms).unref(),
};

/** @param database stays open when the limiter is closed */
export function openRateLimiter(database: Database): RateLimiter {
  return rateLimiterOver(usageDocuments(database), realTime, () => new ObjectId().toHexString());
}

/**
 * A rate limiter that any number of nodes share (docs/decisions/0034). A request is decided on all earlier requests of
 * all nodes, or admitted from a quota lease that the node got while plenty was left. A refusal is based on a read after
 * the request arrived, and given only after the live holders of leases have settled them.
 *
 * @param newId generates lease ids, unique over all nodes
 */
export function rateLimiterOver(documents: UsageDocuments, time: Time, newId: () => string): RateLimiter {
  const batchers = new Map<string, QuotaBatcher>();
  let today = 0;
  let open = true;

  function assertOpen(): void {
    if (!open) throw new Error('the rate limiter is closed');
  }

  function batcherOf(key: string): QuotaBatcher {
    const known = batchers.get(key);
    if (known !== undefined) return known;
    if (batchers.size >= KEYS_IN_MEMORY)
      for (const [other, batcher] of batchers) if (batcher.idle()) batchers.delete(other);
    const batcher = openQuotaBatcher(key, { documents, time, newId, onWrite: deleteExpired, open: () => open });
    batchers.set(key, batcher);
    return batcher;
  }

  /** Deletes expired documents once a day. If that fails, the next write of the day tries again. */
  function deleteExpired(day: number): void {
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
      return batcherOf(key).take({ limits, atMs, counting });
    },
    async peek(key, limits, atMs) {
      assertOpen();
      return batcherOf(key).peek(limits, atMs);
    },
    async close() {
      open = false;
      await Promise.all([...batchers.values()].map((batcher) => batcher.settle()));
    },
  };
}
