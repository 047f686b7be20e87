import { DAY_MS } from '../../eventsourcing/durations.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Log } from '../../ports/log.ts';
import type {
  CountedRun,
  RequestCounts,
  RequestOutcome,
  RequestStatisticsStore,
} from '../../ports/request-statistics.ts';

/** Days kept, today included. */
const DAYS_KEPT = 2;

/** The requests of a key today (UTC), and when the last one ever was answered (ms since the epoch); null: none was. */
export type KeyUse = { readonly today: RequestCounts; readonly lastAtMs: number | null };

/** Counts answered requests by key, endpoint and outcome in memory; `flush` stores the sums. */
export type RequestStatistics = {
  /** Counts one answered request. */
  note(key: string, endpoint: string, outcome: RequestOutcome): void;
  /** The use of each of these keys: of this node until now, of other nodes until they last stored theirs. */
  of(keys: readonly string[]): Promise<ReadonlyMap<string, KeyUse>>;
  /** Stores the sums that changed. @throws the store's error; the next flush stores them then */
  flush(): Promise<void>;
};

type MutableCounts = Map<string, Record<RequestOutcome, number>>;
type Counted = { readonly key: string; readonly day: number; readonly counts: MutableCounts; lastAtMs: number };

/** @param run unique id of this process: it stores its own sums, so that storing them twice counts once */
export function createRequestStatistics(context: {
  readonly store: RequestStatisticsStore;
  readonly run: string;
  readonly clock: Clock;
  readonly log: Log;
}): RequestStatistics {
  const { store, run, clock, log } = context;
  const days = new Map<number, Map<string, Counted>>();
  const changed = new Set<Counted>();
  let forgottenBefore = 0;
  const dayNow = (): number => Math.floor(clock.nowMs() / DAY_MS);

  function usedNow(key: string): Counted {
    const lastAtMs = clock.nowMs();
    const day = Math.floor(lastAtMs / DAY_MS);
    const known = days.get(day)?.get(key);
    if (known !== undefined) {
      known.lastAtMs = lastAtMs;
      return known;
    }
    const counted = days.get(day) ?? new Map<string, Counted>();
    const own: Counted = { key, day, counts: new Map(), lastAtMs };
    days.set(day, counted.set(key, own));
    return own;
  }

  /** Of this run. */
  function lastUse(key: string): number {
    return Math.max(0, ...[...days.values()].map((counted) => counted.get(key)?.lastAtMs ?? 0));
  }

  async function forgetOld(): Promise<void> {
    const before = dayNow() - DAYS_KEPT + 1;
    if (before <= forgottenBefore) return;
    await store.forgetBefore(before);
    forgottenBefore = before;
    for (const day of days.keys()) if (day < before) days.delete(day);
  }

  return {
    note(key, endpoint, outcome) {
      const today = usedNow(key);
      const outcomes = today.counts.get(endpoint);
      if (outcomes === undefined) today.counts.set(endpoint, { ok: 0, refused: 0, failed: 0, [outcome]: 1 });
      else outcomes[outcome]++;
      changed.add(today);
    },
    async of(keys) {
      const day = dayNow();
      const [stored, lastUses] = await Promise.all([store.of(keys, day), store.lastUses(keys)]);
      const others = Map.groupBy(
        stored.filter((each) => each.run !== run),
        ({ key }) => key,
      );
      const uses = keys.map((key): [string, KeyUse] => {
        const own = days.get(day)?.get(key)?.counts ?? new Map();
        const today = sumOf([own, ...(others.get(key) ?? []).map(({ counts }) => counts)]);
        return [key, { today, lastAtMs: Math.max(lastUse(key), lastUses.get(key) ?? 0) || null }];
      });
      return new Map(uses);
    },
    async flush() {
      const group = [...changed];
      changed.clear();
      try {
        if (group.length > 0) await store.put(group.map((each): CountedRun => ({ run, ...copyOf(each) })));
        await forgetOld();
      } catch (fault) {
        for (const each of group) changed.add(each);
        log.warn('request statistics not stored', { keys: group.length, fault });
        throw fault;
      }
    },
  };
}

/** A snapshot, since counting continues while it is stored. */
function copyOf({ counts, ...of }: Counted): Omit<CountedRun, 'run'> {
  return { ...of, counts: new Map([...counts].map(([endpoint, outcomes]) => [endpoint, { ...outcomes }])) };
}

function sumOf(all: readonly RequestCounts[]): RequestCounts {
  const sum: MutableCounts = new Map();
  for (const counts of all) {
    for (const [endpoint, { ok, refused, failed }] of counts) {
      const before = sum.get(endpoint) ?? { ok: 0, refused: 0, failed: 0 };
      sum.set(endpoint, {
        ok: before.ok + ok,
        refused: before.refused + refused,
        failed: before.failed + failed,
      });
    }
  }
  return sum;
}
