import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { HotelId } from '../../../src/domain/activity/activity.ts';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import { AGE_GROUPS, CATEGORIES, DIFFICULTIES, TRAVEL_TYPES } from '../../../src/domain/activity/vocabulary.ts';
import type { Evidence } from '../../../src/domain/recommendation/evidence.ts';
import { BUDGETS } from '../../../src/domain/recommendation/profile.ts';
import { fromColumns, type RankedCandidate } from '../../../src/domain/recommendation/ranked.ts';
import { scoreCenti } from '../../../src/domain/recommendation/score.ts';
import {
  GUARANTEED_ROW_BYTES,
  MAX_BYTES,
  type RankingOutcome,
  servedFacts,
} from '../../../src/recommend/context-log.ts';
import { MAX_RANKED } from '../../../src/recommend/rank.ts';
import { replay } from '../../../src/recommend/replay.ts';
import type { RecommendRequest } from '../../../src/recommend/request.ts';
import { activityId, date, hotelId, keyId } from '../../support/examples.ts';
import { experimentId } from '../../support/experiments.ts';

const TODAY = date('2026-11-21');
const NOW = Date.parse('2026-11-21T03:00:00Z');

type Row = RankingOutcome['ranked'][number];

const MUCH: Evidence = { visited: 9_999, expected: 9_999, sameType: true };

function rowOf(candidate: RankedCandidate): Row {
  return { ...candidate, scoreCenti: scoreCenti(candidate.factors), evidence: MUCH };
}

const factor = fc.integer({ min: 0, max: 1_000 });
const candidate = (id: fc.Arbitrary<string>): fc.Arbitrary<Row> =>
  fc
    .record({
      activityId: id.map(activityId),
      date: fc.integer({ min: 0, max: 7 }).map((days) => addDays(TODAY, days)),
      factors: fc.record({ profile: factor, groundTruth: factor, weather: factor, time: factor, price: factor }),
    })
    .map(rowOf);
/** Ids of the maximum and of the usual length. */
const longId = fc.string({ minLength: 60, maxLength: 60, unit: fc.constantFrom('a', 'b', 'c', '-') });
const usualId = fc.string({ minLength: 26, maxLength: 26, unit: fc.constantFrom('a', 'b', 'c', 'd') });

/** Sorted as a ranking; each activity once. */
function rankings(id: fc.Arbitrary<string>, length: number): fc.Arbitrary<readonly Row[]> {
  return fc
    .uniqueArray(candidate(id), {
      minLength: length,
      maxLength: length,
      selector: (each) => each.activityId,
      size: 'max',
    })
    .map((found) =>
      found.sort((left, right) => right.scoreCenti - left.scoreCenti || (left.activityId < right.activityId ? -1 : 1)),
    );
}

/** A request with every field at its maximum length. */
const LONGEST = {
  keyId: keyId('key_4c9a1f70b2de'),
  mode: 'live',
  profile: {
    travelType: 'business',
    nationality: 'DE',
    interests: CATEGORIES,
    budget: 'luxury',
    ageGroup: 'young_adult',
  },
  place: {
    city: 'Kuala Lumpur',
    position: { lat: -12.345678901234567, lon: -123.45678901234567 },
    hotel: {
      id: 'h'.repeat(60) as HotelId,
      name: 'A hotel',
      address: 'A street',
      city: 'Kuala Lumpur',
      lat: 3,
      lon: 101,
      rates: [],
    },
    hotelGrant: { by: 'token', untilMs: NOW },
  },
  filters: { indoor: true, difficulty: 'challenging', maxPriceThbMinor: 123_456_789_012, categories: CATEGORIES },
  days: { from: TODAY, to: addDays(TODAY, 9) },
  guests: 30,
  limit: 20,
  includeFlashDeals: false,
  exploration: true,
  language: 'en',
} satisfies RecommendRequest;

const USUAL = {
  ...LONGEST,
  profile: { ...LONGEST.profile, interests: CATEGORIES.slice(0, 3) },
  place: { city: 'Kuala Lumpur', position: LONGEST.place.position, hotel: null, hotelGrant: null },
  filters: { ...LONGEST.filters, categories: null },
} satisfies RecommendRequest;

/** With an id and a name of the maximum length. */
const LONGEST_ARM = { id: experimentId(`exp_${'h'.repeat(16)}`), arm: 'a'.repeat(30), groundTruthPower: 4.125 };

/** With a lifted candidate; with `LONGEST_ARM` every field is present. */
function outcome(ranked: readonly Row[], shown: number, experiment?: RankingOutcome['experiment']): RankingOutcome {
  const conditions = {
    temperatureC: 31.4,
    precipitationProbability: 0.25,
    windKmh: 12.5,
    source: 'climate-normals',
  } as const;
  const explored = { propensity: 1_000_000, lifted: { place: 50, groundTruth: 1_000 }, experiment };
  return { from: TODAY, ranked, candidates: ranked.length, shown, ...explored, conditions, nowMs: NOW };
}

/** What the log stores of a candidate. */
function stored({ activityId: id, date: on, factors }: Row): RankedCandidate {
  return { activityId: id, date: on, factors };
}

describe('a context log', () => {
  test('of a usual request holds twenty shown and fifty logged candidates with usual ids in 3 KB', () => {
    fc.assert(
      fc.property(rankings(usualId, 50), (ranked) => {
        const facts = servedFacts(USUAL, outcome(ranked, 20));
        expect(fromColumns(facts.ranked)).toEqual(ranked.map(stored));
        expect(Buffer.byteLength(JSON.stringify(facts))).toBeLessThanOrEqual(MAX_BYTES);
      }),
      { numRuns: 20 },
    );
  });

  test('has at most 1,400 bytes besides its rows', () => {
    const weather = {
      temperatureC: -100 / 3,
      precipitationProbability: 1 / 3,
      windKmh: 1_000 / 3,
    };
    const conditions = { ...weather, source: 'climate-normals' } as const;
    fc.assert(
      fc.property(rankings(usualId, 20), (ranked) => {
        const facts = servedFacts(LONGEST, { ...outcome(ranked, 20, LONGEST_ARM), conditions });
        const without = { ...facts, ranked: { ...facts.ranked, ids: [], days: '', factors: '' } };
        expect(Buffer.byteLength(JSON.stringify(without))).toBeLessThanOrEqual(MAX_BYTES - GUARANTEED_ROW_BYTES);
      }),
      { numRuns: 5 },
    );
  });

  test('never exceeds its maximum size, and contains every shown candidate', () => {
    const asked = fc.record({
      profile: fc.record({
        travelType: fc.constantFrom(...TRAVEL_TYPES),
        nationality: fc.constantFrom('DE', null),
        interests: fc.subarray([...CATEGORIES]),
        budget: fc.option(fc.constantFrom(...BUDGETS)),
        ageGroup: fc.option(fc.constantFrom(...AGE_GROUPS)),
      }),
      filters: fc.record({
        indoor: fc.constantFrom(true, null),
        difficulty: fc.option(fc.constantFrom(...DIFFICULTIES)),
        maxPriceThbMinor: fc.option(fc.nat()),
        categories: fc.option(fc.subarray([...CATEGORIES], { minLength: 1 })),
      }),
    });
    fc.assert(
      fc.property(asked, rankings(longId, 60), fc.integer({ min: 1, max: 20 }), (change, ranked, shown) => {
        const facts = servedFacts({ ...LONGEST, ...change }, outcome(ranked, shown, LONGEST_ARM));
        const logged = fromColumns(facts.ranked);
        expect(Buffer.byteLength(JSON.stringify(facts))).toBeLessThanOrEqual(MAX_BYTES);
        expect(logged.length).toBeGreaterThanOrEqual(shown);
        expect(logged.length).toBeLessThanOrEqual(MAX_RANKED);
        expect(logged).toEqual(ranked.slice(0, logged.length).map(stored));
        expect([facts.candidates, facts.shown]).toEqual([60, shown]);
      }),
      { numRuns: 20 },
    );
  });

  test('keeps every shown candidate, even above the maximum size', () => {
    const ids = Array.from({ length: 50 }, (_, index) => `${index}`.padStart(60, 'a'));
    const factors = { profile: 1, groundTruth: 1, weather: 1, time: 1, price: 1 };
    const ranked = ids.map((id) => rowOf({ activityId: activityId(id), date: TODAY, factors }));
    const logged = (shown: number) => servedFacts(LONGEST, outcome(ranked, shown)).ranked.ids.length;
    expect(logged(50)).toBe(50);
    expect(logged(1)).toBeLessThan(50);
  });

  test("rounds the guest's position to about 100 m", () => {
    expect(servedFacts(LONGEST, outcome([], 0)).position).toEqual({ lat: -12.346, lon: -123.457 });
  });

  test('contains the request and the hotel', () => {
    const { mode, exploration, place, ...rest } = LONGEST;
    const { hotelGrant } = place;
    const hotel = place.hotel === null ? null : { ...place.hotel, id: hotelId('pier-house') };
    expect(
      servedFacts(
        { ...rest, mode, exploration, place: { city: 'Bangkok', position: null, hotel, hotelGrant } },
        outcome([], 0),
      ),
    ).toEqual({
      ...rest,
      city: 'Bangkok',
      position: null,
      hotelId: hotelId('pier-house'),
      hotelGrant: { by: 'token', untilMs: NOW },
      environment: {
        nowMs: NOW,
        weather: { source: 'climate-normals', temperatureC: 31.4, rainProbability: 0.25, windKmh: 12.5 },
      },
      model: 'weights-2',
      candidates: 0,
      ranked: { from: TODAY, ids: [], days: '', factors: '' },
      shown: 0,
      propensity: 1_000_000,
      lifted: { place: 50, groundTruth: 1_000 },
      evidence: '',
      digest: '811c9dc5',
      at: '2026-11-21T03:00:00.000Z',
    });
  });
});

describe('the replay of a context log', () => {
  test('returns the shown activities with the same order and scores', () => {
    fc.assert(
      fc.property(rankings(usualId, 30), fc.integer({ min: 1, max: 20 }), (ranked, shown) => {
        const facts = JSON.parse(JSON.stringify(servedFacts(LONGEST, outcome(ranked, shown, LONGEST_ARM))));
        const expected = ranked.slice(0, shown).map((row) => ({ ...stored(row), scoreCenti: row.scoreCenti }));
        expect(replay(facts)).toEqual(expected);
        expect(replay({ ...facts, model: 'weights-1' })).toEqual(expected);
      }),
      { numRuns: 50 },
    );
  });

  test('returns null for another scoring model', () => {
    expect(replay({ ...servedFacts(LONGEST, outcome([], 0)), model: 'weights-0' })).toBeNull();
  });
});
