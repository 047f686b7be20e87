import { DAY_MS } from '../../eventsourcing/durations.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeyUse, RequestOutcome, Use, UseOfRun } from '../../ports/key-use.ts';
import type { Log } from '../../ports/log.ts';

/** Days kept, today included. */
const DAYS_KEPT = 2;

/** Counts answered requests by key, endpoint and outcome in memory; `flush` stores the sums. */
export type RequestStatistics = {
  /** Counts one answered request. */
  note(key: string, endpoint: string, outcome: RequestOutcome): void;
  /** Today's counts (UTC) of a key: of this node until now, of other nodes until they last stored theirs. */
  today(key: string): Promise<Use>;
  /** Stores the sums that changed. @throws the store's error; the next flush stores them then */
  flush(): Promise<void>;
};

type Counts = Map<string, Record<RequestOutcome, number>>;
type Counted = { readonly key: string; readonly day: number; readonly use: Counts };

/** @param run unique id of this process: it stores its own sums, so that storing them twice counts once */
export function createRequestStatistics(context: {
  readonly store: KeyUse;
  readonly run: string;
  readonly clock: Clock;
  readonly log: Log;
}): RequestStatistics {
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
        log.warn('request statistics not stored', { keys: group.length, fault });
        throw fault;
      }
    },
  };
}

/** A snapshot, since counting continues while it is stored. */
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
