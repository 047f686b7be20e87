import { describe, expect, test } from 'bun:test';
import { createRequestStatistics } from '../../../../src/application/key/request-statistics.ts';
import type { CountedRun, RequestStatisticsStore } from '../../../../src/ports/request-statistics.ts';
import { movedClock } from '../../../support/clock.ts';
import { faultOf } from '../../../support/fault.ts';
import { collectedLog } from '../../../support/log.ts';

const LATE = Date.parse('2026-11-21T23:59:00Z');
const DAY = Math.floor(LATE / 86_400_000);

/** An in-memory store that fails while `away`. */
function scriptedStore() {
  const puts: (readonly CountedRun[])[] = [];
  const kept = new Map<string, CountedRun>();
  const forgotten: number[] = [];
  const script = { away: false, puts, forgotten };
  const store: RequestStatisticsStore = {
    async put(uses) {
      if (script.away) throw new Error('away');
      puts.push(uses);
      for (const use of uses) kept.set(`${use.key} ${use.day} ${use.run}`, use);
    },
    of: async (keys, day) => [...kept.values()].filter((use) => keys.includes(use.key) && use.day === day),
    lastUses: async (keys) => {
      const uses = [...kept.values()].filter(({ key }) => keys.includes(key));
      const latest = (key: string) => Math.max(...uses.filter((use) => use.key === key).map((use) => use.lastAtMs));
      return new Map(uses.map(({ key }) => [key, latest(key)]));
    },
    async forgetBefore(day) {
      forgotten.push(day);
    },
    close: async () => {},
  };
  return { ...script, script, store };
}

function counting(run: string, store: RequestStatisticsStore) {
  const clock = movedClock(LATE);
  const log = collectedLog();
  const statistics = createRequestStatistics({ store, run, clock, log });
  const today = async (key: string) => (await statistics.of([key])).get(key)?.today;
  return { clock, log, today, ...statistics };
}

describe('request statistics', () => {
  test('are the sums over all runs', async () => {
    const { store } = scriptedStore();
    const [one, other] = [counting('run 1', store), counting('run 2', store)];
    one.note('key_a', 'inventory', 'ok');
    other.note('key_a', 'inventory', 'failed');
    other.note('key_a', 'recommend', 'refused');
    other.note('key_b', 'recommend', 'ok');
    expect(await one.today('key_a')).toEqual(new Map([['inventory', { ok: 1, refused: 0, failed: 0 }]]));
    await other.flush();
    expect(await one.today('key_a')).toEqual(
      new Map([
        ['inventory', { ok: 1, refused: 0, failed: 1 }],
        ['recommend', { ok: 0, refused: 1, failed: 0 }],
      ]),
    );
  });

  test('know the last use of each key: of this run at once, of another one once stored, of none null', async () => {
    const { store } = scriptedStore();
    const [one, other] = [counting('run 1', store), counting('run 2', store)];
    const lastUses = async (): Promise<unknown> =>
      [...(await one.of(['key_a', 'key_b', 'key_c'])).values()].map(({ lastAtMs }) => lastAtMs);
    one.note('key_a', 'inventory', 'ok');
    one.clock.advance(5);
    one.note('key_a', 'inventory', 'refused');
    other.note('key_b', 'inventory', 'ok');
    expect(await lastUses()).toEqual([LATE + 5, null, null]);
    other.clock.advance(86_400_000);
    other.note('key_a', 'inventory', 'ok');
    await other.flush();
    expect(await lastUses()).toEqual([LATE + 86_400_000, LATE, null]);
  });

  test('are stored as whole sums, and only those that changed', async () => {
    const { store, puts } = scriptedStore();
    const count = counting('run 1', store);
    count.note('key_a', 'inventory', 'ok');
    await count.flush();
    await count.flush();
    count.note('key_a', 'inventory', 'ok');
    await count.flush();
    const put = (ok: number) => [
      {
        run: 'run 1',
        key: 'key_a',
        day: DAY,
        counts: new Map([['inventory', { ok, refused: 0, failed: 0 }]]),
        lastAtMs: LATE,
      },
    ];
    expect(puts).toEqual([put(1), put(2)]);
    expect(await count.today('key_a')).toEqual(new Map([['inventory', { ok: 2, refused: 0, failed: 0 }]]));
  });

  test('stay in memory while the store is unavailable, and the failure is logged', async () => {
    const { store, script } = scriptedStore();
    const count = counting('run 1', store);
    script.away = true;
    count.note('key_a', 'inventory', 'ok');
    expect(await faultOf(() => count.flush())).toEqual(new Error('away'));
    expect(count.log.lines.map(({ happening }) => happening)).toEqual(['request statistics not stored']);
    script.away = false;
    await count.flush();
    expect(script.puts).toHaveLength(1);
  });

  test('count a request on the day of its answer, even if stored on the next day; older days are deleted once', async () => {
    const { store, puts, forgotten } = scriptedStore();
    const count = counting('run 1', store);
    count.note('key_a', 'inventory', 'ok');
    count.clock.advance(60_000);
    count.note('key_a', 'inventory', 'ok');
    await count.flush();
    await count.flush();
    expect(puts.flat().map(({ day }) => day)).toEqual([DAY, DAY + 1]);
    expect(forgotten).toEqual([DAY]);
    expect(await count.today('key_a')).toEqual(new Map([['inventory', { ok: 1, refused: 0, failed: 0 }]]));
  });
});
