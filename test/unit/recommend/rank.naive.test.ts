import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { SUMS } from '../../../projections/groundtruth/read-model.ts';
import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import type { Activity } from '../../../src/domain/activity/activity.ts';
import { addDays, dayOf } from '../../../src/domain/activity/schedule.ts';
import {
  AGE_GROUPS,
  CATEGORIES,
  DIFFICULTIES,
  SETTINGS,
  TIMES_OF_DAY,
  TRAVEL_TYPES,
} from '../../../src/domain/activity/vocabulary.ts';
import { initialTerms } from '../../../src/domain/allotment/terms.ts';
import { testAllotmentOf } from '../../../src/domain/ids.ts';
import { BUDGETS } from '../../../src/domain/recommendation/profile.ts';
import { defaultModel } from '../../../src/domain/recommendation/ranking-model.ts';
import { DAY_MS, HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import type { Forecast } from '../../../src/ports/weather.ts';
import { CityIndex, candidatesOf } from '../../../src/recommend/candidates.ts';
import { MAX_RANKED, type RankingData, type RankingQuery, rank } from '../../../src/recommend/rank.ts';
import { activityId, allotment, anActivity, aSchedule, date, everyDay, hotelId } from '../../support/examples.ts';
import { groupedAllotments, groupedTestAllotments } from './grouped-allotments.ts';
import { naiveCandidatesOf, naiveRank } from './naive-ranking.ts';

const TODAY = date('2026-11-21');
/** Midnight in Bangkok. */
const MIDNIGHT = Date.parse('2026-11-20T17:00:00Z');
const HOTEL = hotelId('pier-house');
/** More than a ranking returns. */
const ACTIVITIES = 3 * MAX_RANKED;

const CLOSED_ON_SUNDAY = { ...everyDay({ open: '09:00', lastEntry: '17:00', close: '18:00' }), sun: null };
const NIGHT = everyDay({ open: '20:00', lastEntry: '01:00', close: '02:00' });
const SEASON = { from: '11-24', to: '11-26', priceMinor: 7_000, capacity: 1 };

const { venue: VENUE } = anActivity();

const someOf = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 });

const anyActivity: fc.Arbitrary<Partial<Activity>> = fc.record({
  category: fc.constantFrom(...CATEGORIES),
  setting: fc.constantFrom(...SETTINGS),
  difficulty: fc.constantFrom(...DIFFICULTIES),
  durationMinutes: fc.constantFrom(30, 150, 600),
  travelTypes: someOf(TRAVEL_TYPES),
  ageGroups: someOf(AGE_GROUPS),
  bestTimes: someOf(TIMES_OF_DAY),
  openings: fc.constantFrom(CLOSED_ON_SUNDAY, NIGHT),
  closedDates: fc.constantFrom([], [TODAY], [addDays(TODAY, 1)]),
  seasons: fc.constantFrom([], [SEASON]),
  capacity: fc.constantFrom(1, 4),
  priceMinor: fc.constantFrom(5_000, 7_000, 20_000, 90_000),
  exclusiveTo: fc.constantFrom(null, null, null, HOTEL),
  venue: fc.constantFrom(...[0, 0.02, 0.3].map((east) => ({ ...VENUE, lon: VENUE.lon + east }))),
});

/** What is stored of one date: nothing, or an allotment in one of its states. */
const anyAllotment = fc.option(
  fc.record({
    taken: fc.integer({ min: 0, max: 5 }),
    revision: fc.integer({ min: 0, max: 1 }),
    setPriceMinor: fc.constantFrom(null, null, 3_000),
    discountPercent: fc.constantFrom(null, 30, 50),
  }),
  { freq: 3 },
);

/** A forecast for three days; the seed changes the rain. */
function forecast(seed: number): Forecast {
  return {
    kind: 'forecast',
    source: 'open-meteo',
    fetchedAt: '2026-11-20T17:00:00.000Z',
    hours: Array.from({ length: 72 }, (_, hour) => ({
      atMs: MIDNIGHT + hour * HOUR_MS,
      temperatureC: 24 + (hour % 12),
      precipitationPercent: (hour * seed) % 100,
      windKmh: (hour * 7) % 40,
      precipitationMm: 0,
      weatherCode: 0,
    })),
  };
}

const asked: fc.Arbitrary<Partial<RankingQuery>> = fc.record({
  mode: fc.constantFrom('live', 'test'),
  profile: fc.record({
    travelType: fc.constantFrom(...TRAVEL_TYPES),
    nationality: fc.constant(null),
    interests: fc.subarray([...CATEGORIES]),
    budget: fc.constantFrom(null, ...BUDGETS),
    ageGroup: fc.constantFrom(null, ...AGE_GROUPS),
  }),
  place: fc.record({
    city: fc.constant('Bangkok'),
    position: fc.constantFrom(null, { lat: 13.9, lon: 100.9 }, { lat: 13.7462, lon: 100.5347 }),
    hotel: fc.constantFrom(null, {
      id: HOTEL,
      name: 'The Pier House',
      address: '5 Pier Road, Bangkok 10200',
      city: 'Bangkok',
      lat: 13.75,
      lon: 100.49,
      rates: [{ activityId: activityId('a005'), percentOff: 35 }],
    }),
    hotelGrant: fc.constantFrom(null, { by: 'key' }),
  }),
  filters: fc.record({
    indoor: fc.constantFrom(null, null, true, false),
    difficulty: fc.constantFrom(null, null, ...DIFFICULTIES),
    maxPriceThbMinor: fc.constantFrom(null, null, 2_000, 5_000, 50_000),
    categories: fc.option(fc.subarray([...CATEGORIES]), { freq: 1 }),
  }),
  days: fc.constantFrom(null, null, { from: addDays(TODAY, 2), to: addDays(TODAY, 9) }, { from: TODAY, to: TODAY }),
  guests: fc.integer({ min: 1, max: 5 }),
  includeFlashDeals: fc.boolean(),
  model: fc.constantFrom(2, 2, 0.5, 4).map((groundTruthPower) => ({ ...defaultModel(0), groundTruthPower })),
  nowMs: fc.integer({ min: MIDNIGHT, max: MIDNIGHT + DAY_MS - 1 }),
  weather: fc.constantFrom({ kind: 'unavailable', reason: 'off' } as const, forecast(37), forecast(53)),
});

const scenes = fc.record({
  activities: fc.array(anyActivity, { minLength: ACTIVITIES, maxLength: ACTIVITIES }),
  allotments: fc.array(anyAllotment, { minLength: ACTIVITIES, maxLength: ACTIVITIES }),
  visited: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: ACTIVITIES, maxLength: ACTIVITIES }),
  queries: fc.array(asked, { minLength: 5, maxLength: 5 }),
});
type Scene = typeof scenes extends fc.Arbitrary<infer Made> ? Made : never;

test('a ranking has the activities, scores and factors of one that scores every activity on every date', () => {
  let rankings = 0;
  const property = fc.property(scenes, (scene) => {
    const entries = scene.activities.map((change, index) => {
      const id = activityId(`a${String(index).padStart(3, '0')}`);
      return { activity: anActivity({ ...change, id }), revision: 1, listed: index % 20 !== 19 };
    });
    const data = dataOf(scene, entries);
    const city = new CityIndex('Bangkok', entries);
    for (const change of scene.queries) {
      const query = { ...PLAIN, ...change };
      const naive = naiveRank(naiveCandidatesOf('Bangkok', TODAY, entries, query.days), query, data);
      const expected =
        naive.kind === 'nothing'
          ? naive
          : { ...naive, ranked: naive.ranked.slice(0, MAX_RANKED), candidates: naive.ranked.length };
      expect(rank(candidatesOf(city, TODAY, query.days), query, withoutIds(data))).toEqual(expected);
      if (naive.kind === 'ranking' && naive.ranked.length > MAX_RANKED) rankings++;
    }
  });
  fc.assert(property, { seed: 18, numRuns: 60 });
  // The comparison is of rankings, and not of refusals only.
  expect(rankings).toBeGreaterThan(30);
});

/** Thousands of ids per ranking would cost more than the scores, so a ranking reads allotments by group only. */
function withoutIds(data: RankingData): RankingData {
  const get = (id: string): never => {
    throw new Error(`${id} was looked up`);
  };
  const { allotments, testAllotments } = data;
  return { ...data, allotments: { ...allotments, get }, testAllotments: { ...testAllotments, get } };
}

const PLAIN: RankingQuery = {
  mode: 'live',
  profile: { travelType: 'couple', nationality: null, interests: [], budget: null, ageGroup: null },
  place: { city: 'Bangkok', position: null, hotel: null, hotelGrant: null },
  filters: { indoor: null, difficulty: null, maxPriceThbMinor: null, categories: null },
  days: null,
  guests: 1,
  includeFlashDeals: true,
  model: defaultModel(0),
  nowMs: MIDNIGHT,
  weather: { kind: 'unavailable', reason: 'off' },
};

function dataOf({ allotments, visited }: Scene, entries: readonly { readonly activity: Activity }[]): RankingData {
  const [live, ofTests] = [new Map<string, InventoryDocument>(), new Map<string, InventoryDocument>()];
  entries.forEach(({ activity }, index) => {
    const stored = allotments[index] ?? null;
    if (stored === null) return;
    const { taken, revision, setPriceMinor, discountPercent } = stored;
    const on = addDays(TODAY, index % 4);
    const day = dayOf(activity, on);
    const schedule = aSchedule({ capacity: 3, unitPriceMinor: 20_000, catalogueRevision: revision * 2 });
    const id = allotment(`${activity.id}-${on}`);
    const document: InventoryDocument = {
      ...initialTerms(schedule),
      setPriceMinor,
      deal:
        discountPercent === null || day === null
          ? null
          : { discountPercent, expiresAtMs: day.lastEntryMs - HOUR_MS, by: 'policy' },
      activityId: activity.id,
      city: 'Bangkok',
      date: on,
      taken,
      held: 0,
      cancelledBecause: null,
      cancellationRuns: false,
      currency: 'THB',
      updatedAt: '2026-11-21T03:00:00.000Z',
    };
    live.set(id, document);
    if (index % 3 === 0) ofTests.set(testAllotmentOf(id, TODAY), { ...document, taken: 1 });
  });
  const groundTruth = new Map(
    entries.flatMap(({ activity }, index) => {
      const times = visited[index] ?? 0;
      if (times < 5) return [];
      const expected = Array.from({ length: SUMS }, (_, sum) => 5 + sum);
      const sums = { visited: expected.map((each) => Math.max(0, times - each)), expected };
      return [[activity.id, { activityId: activity.id, latestMs: 0, keys: {}, recent: sums, lasting: sums }] as const];
    }),
  );
  const microUnitsPerUsd = { USD: 1, THB: 1, VND: 1, IDR: 1, MYR: 1, SGD: 1 };
  return {
    allotments: groupedAllotments(live),
    testAllotments: groupedTestAllotments(ofTests),
    groundTruth,
    exchangeRates: () => ({ asOf: date('2026-11-01'), microUnitsPerUsd }),
  };
}
