import type { Clock } from '../ports/clock.ts';
import type { KeyUse, Outcome, Use, UseOfRun } from '../ports/key-use.ts';
import type { Log } from '../ports/log.ts';

const DAY_MS = 86_400_000;
/** What a key did on a day is kept until the next one is over. */
const DAYS_KEPT = 2;

/** Counts answered requests by key, endpoint and outcome, in memory, and stores the sums from time to time. */
export type UseCount = {
  /** Counts one request that was answered; waits for nothing. */
  note(key: string, endpoint: string, outcome: Outcome): void;
  /** What all nodes answered to a key today (UTC): this one until now, others until they stored it last. */
  today(key: string): Promise<Use>;
  /** Stores what changed since the last time. @throws what the store throws; then it is stored the next time */
  flush(): Promise<void>;
};

type Counts = Map<string, Record<Outcome, number>>;
type Counted = { readonly key: string; readonly day: number; readonly use: Counts };

/**
 * @param run names this run of this node, and no other one ever: its sums are its own, so that storing them twice counts once
 */
export function createUseCount(context: {
  readonly store: KeyUse;
  readonly run: string;
  readonly clock: Clock;
  readonly log: Log;
}): UseCount {
  const { store, run, clock, log } = context;
  const days = new Map<number, Map<string, Counted>>();
  const changed = new Set<Counted>();
  let forgottenBefore = 0;
  const dayNow = (): number => Math.floor(clock.nowMs() / DAY_MS);

  function ofToday(key: string): Counted {
    const day = dayNow();
    const known = days.get(day)?.get(key);
    if (known !== undefined) return known;
    const counted = days.get(day) ?? new Map<string, Counted>();
    const own: Counted = { key, day, use: new Map() };
    days.set(day, counted.set(key, own));
    return own;
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
      const today = ofToday(key);
      const counts = today.use.get(endpoint);
      if (counts === undefined) today.use.set(endpoint, { ok: 0, refused: 0, failed: 0, [outcome]: 1 });
      else counts[outcome]++;
      changed.add(today);
    },
    async today(key) {
      const own = ofToday(key);
      const others = (await store.of(key, own.day)).filter((stored) => stored.run !== run);
      return sumOf([own.use, ...others.map(({ use }) => use)]);
    },
    async flush() {
      const group = [...changed];
      changed.clear();
      try {
        if (group.length > 0) await store.put(group.map((each): UseOfRun => ({ run, ...copyOf(each) })));
        await forgetOld();
      } catch (fault) {
        for (const each of group) changed.add(each);
        log.warn('the use of keys was not stored', { keys: group.length, fault });
        throw fault;
      }
    },
  };
}

/** Counting goes on while a copy is being stored. */
function copyOf({ key, day, use }: Counted): Omit<UseOfRun, 'run'> {
  return { key, day, use: new Map([...use].map(([endpoint, counts]) => [endpoint, { ...counts }])) };
}

function sumOf(uses: readonly Use[]): Use {
  const sum: Counts = new Map();
  for (const use of uses) {
    for (const [endpoint, { ok, refused, failed }] of use) {
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
