import { exposureLimitsOf, type KeyLimits, type Plan } from '../../domain/apikey/apikey.ts';
import type { ExposureLimits } from '../../domain/exposure/exposure.ts';
import type { KeyId } from '../../domain/ids.ts';
import type { ExposureEntry, ExposureStore, VersionedExposure } from '../../ports/exposure-store.ts';
import { StoreUnavailable } from '../../ports/store-unavailable.ts';

/** Maximum number of counters in memory. */
const COUNTERS_IN_MEMORY = 1_000;
/** Each lost round means that another node wrote; a node writes all its waiting changes in one round. */
const MAX_ROUNDS = 64;

type Entries = readonly ExposureEntry[];
/** A change of the entries, and its result. Unchanged entries are the same list. */
type Change<Result> = (entries: Entries) => { readonly entries: Entries; readonly result: Result };

export type ExposureCounters = {
  /** Applies a change to the newest entries of all nodes. Faults of the store are thrown. */
  change<Result>(counter: string, change: Change<Result>): Promise<Result>;
  read(counter: string): Promise<Entries>;
};

/** What the exposure limits of keys need. */
export type ExposureContext = {
  /** From memory; null for an unknown key. */
  readonly limitsOf: (keyId: KeyId) => ExposureLimits | null;
  readonly counters: ExposureCounters;
};

/** @param keys the keys in memory */
export function exposureContext(
  keys: { get(keyId: KeyId): { readonly plan: Plan; readonly limits: KeyLimits } | undefined },
  store: ExposureStore,
): ExposureContext {
  return {
    limitsOf(keyId) {
      const key = keys.get(keyId);
      return key === undefined ? null : exposureLimitsOf(key);
    },
    counters: exposureCounters(store),
  };
}

type Waiting = {
  readonly apply: (entries: Entries) => Entries;
  readonly resolve: () => void;
  readonly reject: (fault: unknown) => void;
};

/**
 * Counters over a store that is written by compare-and-set. Changes of one counter that wait together share one write. A
 * cached state is used for changes only: if it is old, the write fails. A change that alters nothing is made again on
 * entries that were read after it arrived.
 */
export function exposureCounters(store: ExposureStore): ExposureCounters {
  const cache = new Map<string, VersionedExposure>();
  const queues = new Map<string, Waiting[]>();

  function remember(counter: string, state: VersionedExposure): void {
    cache.delete(counter);
    cache.set(counter, state);
    const [oldest] = cache.keys();
    if (cache.size > COUNTERS_IN_MEMORY && oldest !== undefined) cache.delete(oldest);
  }

  async function applyAll(counter: string, batch: readonly Waiting[]): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const cached = cache.get(counter);
      const before = cached ?? (await store.read(counter));
      const entries = batch.reduce((after, waiting) => waiting.apply(after), before.entries);
      if (entries === before.entries) {
        if (cached === undefined) return;
        cache.delete(counter);
        continue;
      }
      // If the outcome is unknown, the cached state may be old: the next write would only fail once more.
      cache.delete(counter);
      const version = await store.replace(counter, before.version, entries);
      if (version === null) continue;
      remember(counter, { entries, version });
      return;
    }
    throw new StoreUnavailable('usage counters', `other nodes changed ${counter} ${MAX_ROUNDS} times in a row`);
  }

  async function work(counter: string, queue: Waiting[]): Promise<void> {
    // Changes that arrive in this turn of the event loop join the first write.
    await Promise.resolve();
    while (queue.length > 0) {
      const batch = queue.splice(0);
      try {
        await applyAll(counter, batch);
        for (const { resolve } of batch) resolve();
      } catch (fault) {
        for (const { reject } of batch) reject(fault);
      }
    }
    queues.delete(counter);
  }

  return {
    change<Result>(counter: string, change: Change<Result>) {
      return new Promise<Result>((resolve, reject) => {
        let result: { readonly value: Result } | null = null;
        const waiting: Waiting = {
          apply(entries) {
            const changed = change(entries);
            result = { value: changed.result };
            return changed.entries;
          },
          resolve: () => (result === null ? reject(new Error(`${counter}: no result`)) : resolve(result.value)),
          reject,
        };
        const queue = queues.get(counter);
        if (queue !== undefined) {
          queue.push(waiting);
          return;
        }
        const first = [waiting];
        queues.set(counter, first);
        void work(counter, first);
      });
    },
    read: async (counter) => (await store.read(counter)).entries,
  };
}
