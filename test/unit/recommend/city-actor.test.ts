import { describe, expect, test } from 'bun:test';
import type { ActivityDocument } from '../../../projections/activities/read-model.ts';
import { ACTOR_LIMITS, type ActorLimits } from '../../../src/actors/limits.ts';
import { createActorSystem } from '../../../src/actors/system.ts';
import type { CityName } from '../../../src/domain/activity/cities.ts';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import { defaultModel } from '../../../src/domain/recommendation/ranking-model.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';
import { openCities, openPreparedCities, RANKING_MS } from '../../../src/recommend/city-actor.ts';
import type { RankingQuery } from '../../../src/recommend/rank.ts';
import { NO_FILTERS } from '../../../src/recommend/request.ts';
import { movedClock } from '../../support/clock.ts';
import { activityId, anActivity, date } from '../../support/examples.ts';
import { collectedLog } from '../../support/log.ts';
import { groupedAllotments } from './grouped-allotments.ts';

const RATES = {
  asOf: date('2026-11-01'),
  microUnitsPerUsd: { USD: 1, THB: 1, VND: 1, IDR: 1, MYR: 1, SGD: 1 },
};

/** A city whose catalogue the test changes. Counts the reads of the catalogue. */
function scene(change: Partial<ActorLimits> = {}, rankingMs = 0) {
  const clock = movedClock();
  const entries = new Map<string, Pick<ActivityDocument, 'activity' | 'listed' | 'revision'>>();
  let changes = 0;
  let readings = 0;
  let elapsedMs = 0;
  let broken = false;
  const limits = { ...ACTOR_LIMITS, restartMs: 0, longestRestartMs: 0, ...change };
  const system = createActorSystem({ clock, log: collectedLog(), limits });
  const data = {
    catalogue: {
      inGroup(name: CityName) {
        if (name !== 'Bangkok') return [];
        readings++;
        if (broken) throw new Error('the catalogue cannot be read');
        return entries.values();
      },
      // Each ranking asks once.
      changesIn() {
        elapsedMs += rankingMs;
        return changes;
      },
    },
    allotments: groupedAllotments(new Map()),
    testAllotments: groupedAllotments(new Map()),
    groundTruth: new Map(),
    exchangeRates: () => RATES,
  };
  let cities = openCities(system, data, () => elapsedMs);
  const ask = (days: RankingQuery['days'] = null, name: CityName = 'Bangkok') => {
    const query: RankingQuery = {
      mode: 'live',
      profile: { travelType: 'solo', nationality: null, interests: [], budget: null, ageGroup: null },
      place: { city: name, position: null, hotel: null, hotelGrant: null },
      filters: NO_FILTERS,
      days,
      guests: 1,
      includeFlashDeals: true,
      model: defaultModel(0),
      nowMs: clock.nowMs(),
      weather: { kind: 'unavailable', reason: 'off' },
    };
    return cities.ask(name, query, clock.nowMs() + 1_000);
  };
  return {
    clock,
    list(id: string): void {
      entries.set(id, { activity: anActivity({ id: activityId(id) }), revision: 0, listed: true });
      changes++;
    },
    break(how: boolean): void {
      broken = how;
    },
    get readings(): number {
      return readings;
    },
    get residents(): readonly string[] {
      return ['Bangkok', 'Phuket', 'Pattaya', 'Krabi'].filter((name) => cities.resident(name) !== undefined);
    },
    /** Opens the actors again, as a start does. */
    async prepare(): Promise<void> {
      cities = await openPreparedCities(system, data);
    },
    ask,
    async shown(days: RankingQuery['days'] = null): Promise<readonly string[]> {
      const reply = await ask(days);
      if (reply.kind !== 'ranking') throw new Error(reply.kind);
      return reply.ranked.map(({ activityId: id, date: on }) => `${id} ${on}`);
    },
    [Symbol.asyncDispose]: () => system.drain(),
  };
}

describe('the actor of a city', () => {
  test('reads the catalogue once for many requests, and again after a change', async () => {
    await using city = scene();
    city.list('a');
    const answers = await Promise.all(Array.from({ length: 50 }, () => city.shown()));
    expect(answers.every(([first]) => first === 'a 2026-11-21')).toBe(true);
    expect(city.readings).toBe(1);
    city.list('b');
    expect(await city.shown()).toEqual(['a 2026-11-21', 'b 2026-11-21']);
    expect(city.readings).toBe(2);
  });

  test("switches to a new day at the city's midnight", async () => {
    await using city = scene();
    city.list('a');
    expect(await city.shown()).toEqual(['a 2026-11-21']);
    city.clock.advance(DAY_MS);
    expect(await city.shown()).toEqual(['a 2026-11-22']);
    city.clock.advance(20 * DAY_MS);
    expect(await city.shown()).toEqual(['a 2026-12-12']);
    expect(city.readings).toBe(1);
  });

  test('reads the catalogue once for all dates', async () => {
    await using city = scene();
    city.list('a');
    const day = (ahead: number) => addDays(date('2026-11-21'), ahead);
    for (let ahead = 0; ahead < 40; ahead++)
      expect(await city.shown({ from: day(ahead), to: day(ahead) })).toEqual([`a ${day(ahead)}`]);
    expect(city.readings).toBe(1);
  });

  test.each([
    [RANKING_MS, 1],
    [RANKING_MS - 1, 2],
    [0, 4],
  ])('lets other work run after 5 ms: of rankings that take %d ms, %d come in a row', async (rankingMs, inARow) => {
    await using city = scene({}, rankingMs);
    city.list('a');
    const order: string[] = [];
    const asked = Array.from({ length: 4 }, () => city.ask().then(() => order.push('ranking')));
    const turn = (): void => {
      order.push('other work');
      if (order.length < 8) setImmediate(turn);
    };
    setImmediate(turn);
    await Promise.all(asked);
    const rows = order.join(' ').match(/(?:ranking ?)+/g) ?? [];
    expect(rows.map((row) => row.trim().split(' ').length)).toEqual(Array(4 / inARow).fill(inARow));
  });

  test('finds the index that an earlier actor of the city has made', async () => {
    await using city = scene({ resident: 2 });
    city.list('a');
    expect(await city.shown()).toEqual(['a 2026-11-21']);
    for (const other of ['Phuket', 'Pattaya', 'Krabi'] as const) await city.ask(null, other);
    expect(city.residents).not.toContain('Bangkok');
    expect(await city.shown()).toEqual(['a 2026-11-21']);
    expect(city.readings).toBe(1);
  });

  test('of a large city is prepared at the start, that of a small one is not', async () => {
    const readings: number[] = [];
    for (const activities of [499, 500]) {
      await using city = scene();
      for (let listed = 0; listed < activities; listed++) city.list(`a${listed}`);
      await city.prepare();
      readings.push(city.readings);
      await city.shown();
      readings.push(city.readings);
    }
    // Each is counted, which is one reading, then indexed: the small one by its first request.
    expect(readings).toEqual([1, 2, 2, 2]);
  });

  test('refuses requests when its mailbox is full', async () => {
    await using city = scene({ mailbox: 3 });
    city.list('a');
    const replies = await Promise.all(Array.from({ length: 5 }, () => city.ask()));
    expect(replies.map((reply) => (reply.kind === 'unavailable' ? reply.reason : reply.kind))).toEqual([
      'ranking',
      'ranking',
      'ranking',
      'mailbox-full',
      'mailbox-full',
    ]);
  });

  test('continues after a fault', async () => {
    await using city = scene();
    city.list('a');
    city.break(true);
    expect(await city.ask()).toMatchObject({
      kind: 'unavailable',
      reason: 'fault',
      cause: { call: 'ask of city-Bangkok' },
    });
    city.break(false);
    expect(await city.shown()).toEqual(['a 2026-11-21']);
  });
});
