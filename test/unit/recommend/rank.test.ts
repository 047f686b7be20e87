import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import type { Activity } from '../../../src/domain/activity/activity.ts';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import { DIFFICULTIES, SETTINGS } from '../../../src/domain/activity/vocabulary.ts';
import { type FlashDeal, initialTerms } from '../../../src/domain/allotment/terms.ts';
import { defaultModel } from '../../../src/domain/recommendation/ranking-model.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import type { Forecast } from '../../../src/ports/weather.ts';
import { CityIndex, candidatesOf, DAYS_AHEAD } from '../../../src/recommend/candidates.ts';
import { type RankingData, type RankingQuery, rank, type ScoredActivity } from '../../../src/recommend/rank.ts';
import { NO_FILTERS } from '../../../src/recommend/request.ts';
import { activityId, anActivity, aSchedule, date, hotelId } from '../../support/examples.ts';
import { aVisitEvidence, credited, foldedEvidence } from '../../support/folded-evidence.ts';
import { groupedAllotments } from './grouped-allotments.ts';

const ANY = { filters: NO_FILTERS, days: null, guests: 1, includeFlashDeals: true, model: defaultModel(0) } as const;
const TODAY = date('2026-11-21');
const TOMORROW = date('2026-11-22');
const NOW = Date.parse('2026-11-21T10:00:00+07:00');
const RATES = {
  asOf: date('2026-11-01'),
  microUnitsPerUsd: {
    USD: 1_000_000,
    THB: 32_000_000,
    VND: 26_000_000_000,
    IDR: 16_000_000_000,
    MYR: 4_200_000,
    SGD: 1_300_000,
  },
};
const NOTHING_KNOWN: RankingData = {
  allotments: groupedAllotments(new Map()),
  testAllotments: groupedAllotments(new Map()),
  groundTruth: new Map(),
  exchangeRates: () => RATES,
};
const HOTEL = {
  id: hotelId('pier-house'),
  name: 'The Pier House',
  address: '5 Pier Road, Bangkok 10200',
  city: 'Bangkok',
  lat: 13.75,
  lon: 100.49,
  rates: [{ activityId: activityId('a'), percentOff: 15 }],
} as const;
const AT_HOTEL = { city: 'Bangkok', position: null, hotel: HOTEL, hotelGrant: { by: 'key' } } as const;

function activity(id: string, change: Partial<Activity> = {}): Activity {
  return anActivity({ id: activityId(id), ...change });
}

function query(change: Partial<RankingQuery> = {}): RankingQuery {
  return {
    mode: 'live',
    profile: { travelType: 'couple', nationality: null, interests: [], budget: null, ageGroup: null },
    place: { city: 'Bangkok', position: null, hotel: null, hotelGrant: null },
    ...ANY,
    nowMs: NOW,
    weather: { kind: 'unavailable', reason: 'off' },
    ...change,
  };
}

type Known = Partial<Omit<RankingData, 'allotments'>> & {
  readonly allotments?: ReadonlyMap<string, InventoryDocument>;
};

function ranked(
  activities: readonly Activity[],
  change: Partial<RankingQuery> = {},
  { allotments = new Map(), ...known }: Known = {},
) {
  const entries = activities.map((each) => ({ activity: each, revision: 0, listed: true }));
  return rank(candidatesOf(new CityIndex('Bangkok', entries), TODAY), query(change), {
    ...NOTHING_KNOWN,
    ...known,
    allotments: groupedAllotments(allotments),
  });
}

/** The ranked activities, best first. */
function found(...args: Parameters<typeof ranked>): readonly ScoredActivity[] {
  const ranking = ranked(...args);
  return ranking.kind === 'ranking' ? ranking.ranked : [];
}

/** Activity id and recommended date. */
function shown(...args: Parameters<typeof ranked>): string[] {
  return found(...args).map(({ activityId: id, date: on }) => `${id} ${on}`);
}

function allotment(id: string, on: string, change: Partial<InventoryDocument>): [string, InventoryDocument] {
  const free = { taken: 0, held: 0, cancelledBecause: null, cancellationRuns: false };
  const document: InventoryDocument = {
    ...initialTerms(aSchedule()),
    activityId: activityId(id),
    city: 'Bangkok',
    date: date(on),
    ...free,
    currency: 'THB',
    updatedAt: '2026-11-21T03:00:00.000Z',
    ...change,
  };
  return [`${id}-${on}`, document];
}

describe('a ranking', () => {
  test('sorts by score, then by id', () => {
    const activities = [activity('b'), activity('a'), activity('c', { travelTypes: ['solo'] })];
    expect(shown(activities)).toEqual([`a ${TODAY}`, `b ${TODAY}`, `c ${TODAY}`]);
    expect(shown(activities, { profile: { ...query().profile, travelType: 'solo' } })[0]).toBe(`c ${TODAY}`);
  });

  test('takes today if it is open and has free slots, else the best later date', () => {
    const full = new Map([allotment('a', TODAY, { taken: 10 })]);
    expect(shown([activity('a')])).toEqual([`a ${TODAY}`]);
    expect(shown([activity('a')], {}, { allotments: full })).toEqual([`a ${TOMORROW}`]);
    expect(shown([activity('a')], { nowMs: NOW + 7 * HOUR_MS })).toEqual([`a ${TOMORROW}`]);
    const lastSlot = new Map([allotment('a', TODAY, { taken: 9 })]);
    expect(shown([activity('a')], {}, { allotments: lastSlot })).toEqual([`a ${TODAY}`]);
  });

  test('prefers a dry day among later days, but today even in rain', () => {
    const forecast: Forecast = {
      kind: 'forecast',
      source: 'open-meteo',
      fetchedAt: '2026-11-21T03:00:00.000Z',
      hours: Array.from({ length: 192 }, (_, hour) => {
        const atMs = Date.parse('2026-11-21T00:00:00Z') + hour * HOUR_MS;
        const dry = hour >= 72 && hour < 96;
        return {
          atMs,
          temperatureC: 28,
          precipitationPercent: dry ? 0 : 90,
          precipitationMm: 3,
          windKmh: 5,
          weatherCode: 61,
        };
      }),
    };
    const outside = activity('a', { setting: 'outdoor' });
    const full = new Map([allotment('a', TODAY, { taken: 10 })]);
    expect(shown([outside], { weather: forecast })).toEqual([`a ${TODAY}`]);
    expect(shown([outside], { weather: forecast }, { allotments: full })).toEqual([`a ${addDays(TODAY, 3)}`]);
    const inside = activity('b', { setting: 'indoor' });
    expect(shown([outside, inside], { weather: forecast })[0]).toBe(`b ${TODAY}`);
  });

  test('is empty if no day has free slots', () => {
    const days = Array.from({ length: DAYS_AHEAD + 1 }, (_, ahead) => addDays(TODAY, ahead));
    const full = new Map(days.map((day) => allotment('a', day, { taken: 10 })));
    expect(ranked([activity('a')], {}, { allotments: full })).toEqual({
      kind: 'nothing',
      relaxations: [],
      unfiltered: 0,
    });
  });

  test("shows the allotment's price minus the hotel's discount", () => {
    const allotments = new Map([allotment('a', TODAY, { setPriceMinor: 12_050 })]);
    const prices = (change: Partial<RankingQuery>) =>
      found([activity('a'), activity('b')], change, { allotments })
        .map(
          ({ activity: { id }, unitPriceMinor, presentPriceMinor, hotelPercentOff }) =>
            [id as string, unitPriceMinor, presentPriceMinor, hotelPercentOff] as const,
        )
        .sort(([left], [right]) => (left < right ? -1 : 1));
    expect(prices({})).toEqual([
      ['a', 12_050, 12_050, 0],
      ['b', 99_000, 99_000, 0],
    ]);
    expect(prices({ place: AT_HOTEL })).toEqual([
      ['a', 12_050, 10_243, 15],
      ['b', 99_000, 99_000, 0],
    ]);
    expect(prices({ place: { ...AT_HOTEL, hotelGrant: null } })).toEqual(prices({}));
  });

  describe('with a flash deal', () => {
    const DEAL = { discountPercent: 30, expiresAtMs: NOW + 1, by: 'policy' } as const;
    /** One activity with a deal today. */
    const sold = (change: Partial<RankingQuery> = {}, deal: FlashDeal = DEAL) => {
      const [scored] = found([activity('a')], change, { allotments: new Map([allotment('a', TODAY, { deal })]) });
      return [scored?.presentPriceMinor, scored?.hotelPercentOff, scored?.deal, scored?.factors.price] as const;
    };
    const [, , , fullPrice = 0] = sold({ includeFlashDeals: false });
    test('shows the discounted price, which raises the price factor', () => {
      const [price, hotel, deal, factor] = sold();
      expect([price, hotel, deal]).toEqual([69_300, 0, DEAL]);
      expect(factor).toBeGreaterThan(fullPrice);
    });

    test.each<readonly [string, Partial<RankingQuery>]>([
      ['at its end', { nowMs: NOW + 1 }],
      ['if the request excludes deals', { includeFlashDeals: false }],
    ])('shows the full price %s', (_, change) => {
      expect(sold(change)).toEqual([99_000, 0, null, fullPrice]);
    });

    test('uses the hotel’s rate if that is larger, or if the request excludes deals', () => {
      expect(sold({ place: AT_HOTEL }).slice(0, 3)).toEqual([69_300, 0, DEAL]);
      expect(sold({ place: AT_HOTEL }, { ...DEAL, discountPercent: 15 }).slice(0, 3)).toEqual([
        84_150,
        0,
        { ...DEAL, discountPercent: 15 },
      ]);
      expect(sold({ place: AT_HOTEL }, { ...DEAL, discountPercent: 14 }).slice(0, 3)).toEqual([84_150, 15, null]);
      expect(sold({ place: AT_HOTEL, includeFlashDeals: false }).slice(0, 3)).toEqual([84_150, 15, null]);
    });
  });

  test("uses a schedule newer than the allotment's, but an operator's terms before both", () => {
    const entry = { activity: activity('a', { priceMinor: 50_000, capacity: 2 }), revision: 1, listed: true };
    const city = candidatesOf(new CityIndex('Bangkok', [entry]), TODAY);
    const priceWith = (change: Partial<InventoryDocument>) => {
      const allotments = groupedAllotments(new Map([allotment('a', TODAY, { taken: 1, ...change })]));
      const ranking = rank(city, query(), { ...NOTHING_KNOWN, allotments });
      const [first] = ranking.kind === 'ranking' ? ranking.ranked : [];
      return first?.date === TODAY ? first.unitPriceMinor : null;
    };
    expect(priceWith({})).toBe(50_000);
    expect(priceWith({ taken: 2 })).toBeNull();
    expect(priceWith({ taken: 2, setCapacity: 3, setPriceMinor: 70_000 })).toBe(70_000);
  });

  test("shows a hotel's exclusive activities to its guests only", () => {
    const activities = [activity('a', { exclusiveTo: HOTEL.id }), activity('b', { exclusiveTo: hotelId('rail-inn') })];
    expect(shown(activities)).toEqual([]);
    expect(shown(activities, { place: { ...AT_HOTEL, hotelGrant: null } })).toEqual([`a ${TODAY}`]);
  });

  test('puts the nearer of two first', () => {
    const { venue } = activity('a');
    const far = activity('a', { venue: { ...venue, lat: venue.lat + 0.3 } });
    expect(shown([far, activity('b')])[0]).toBe(`a ${TODAY}`);
    const place = { city: 'Bangkok', position: venue, hotel: null, hotelGrant: null } as const;
    expect(shown([far, activity('b')], { place })[0]).toBe(`b ${TODAY}`);
  });

  test('puts an activity that was visited more often than expected first', () => {
    const { documents: groundTruth, apply } = foldedEvidence();
    apply(credited(aVisitEvidence({ activityId: activityId('b'), verifiedAtMs: NOW })));
    const [first] = found([activity('a'), activity('b')], {}, { groundTruth });
    expect(first).toMatchObject({ activityId: 'b', evidence: { visited: expect.closeTo(1), sameType: false } });
  });
});

describe('filters', () => {
  const ACTIVITIES = [
    activity('inside', { setting: 'indoor', priceMinor: 50_000 }),
    activity('both', { setting: 'mixed', difficulty: 'moderate', category: 'zoo' }),
    activity('outside', { setting: 'outdoor', difficulty: 'challenging', category: 'adventure', priceMinor: 200_000 }),
  ];
  const ids = (filters: Partial<RankingQuery['filters']>) =>
    found(ACTIVITIES, { filters: { ...NO_FILTERS, ...filters } })
      .map(({ activity: { id } }) => id as string)
      .sort();

  test.each<[Partial<RankingQuery['filters']>, readonly string[]]>([
    [{}, ['both', 'inside', 'outside']],
    [{ indoor: true }, ['inside']],
    [{ difficulty: 'moderate' }, ['both']],
    [{ categories: ['zoo', 'adventure'] }, ['both', 'outside']],
    [{ maxPriceThbMinor: 99_000 }, ['both', 'inside']],
    [{ maxPriceThbMinor: 98_999 }, ['inside']],
  ])('%j leave %j', (filters, left) => {
    expect(ids(filters)).toEqual([...left]);
  });

  test('convert prices in other currencies for the maximum in baht', () => {
    const entry = { activity: activity('dong', { currency: 'VND', priceMinor: 26_000 }), revision: 0, listed: true };
    const city = candidatesOf(new CityIndex('Bangkok', [entry]), TODAY);
    const kindUpTo = (maxPriceThbMinor: number) =>
      rank(city, query({ filters: { ...NO_FILTERS, maxPriceThbMinor } }), NOTHING_KNOWN).kind;
    expect([kindUpTo(3_200), kindUpTo(3_199)]).toEqual(['ranking', 'nothing']);
  });

  test('without results return the number of activities found without each filter, largest first', () => {
    const filters = { indoor: true, difficulty: 'challenging', maxPriceThbMinor: null, categories: null } as const;
    const more = [...ACTIVITIES, activity('steep', { difficulty: 'challenging', setting: 'mixed' })];
    expect(ranked(more, { filters })).toEqual({
      kind: 'nothing',
      relaxations: [
        { filter: 'indoor', activities: 2 },
        { filter: 'difficulty', activities: 1 },
      ],
      unfiltered: 4,
    });
  });

  test('without results return no relaxation if no single filter is the cause', () => {
    const filters = { indoor: true, difficulty: 'easy', maxPriceThbMinor: 100, categories: ['spa'] } as const;
    expect(ranked(ACTIVITIES, { filters })).toMatchObject({ kind: 'nothing', relaxations: [], unfiltered: 3 });
  });

  test('exclude everything they should', () => {
    const filters = fc.record({
      indoor: fc.constantFrom(true, null),
      difficulty: fc.option(fc.constantFrom(...DIFFICULTIES)),
      maxPriceThbMinor: fc.option(fc.integer({ min: 1, max: 300_000 })),
      categories: fc.constantFrom(null, ['zoo'] as const, ['aquarium', 'adventure'] as const),
    });
    const some = fc.array(
      fc.record({
        setting: fc.constantFrom(...SETTINGS),
        difficulty: fc.constantFrom(...DIFFICULTIES),
        priceMinor: fc.integer({ min: 1, max: 300_000 }),
        category: fc.constantFrom('zoo', 'aquarium', 'spa'),
      }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(some, filters, (changes, wished) => {
        const activities = changes.map((change, index) => activity(`a${index}`, change));
        const passed = found(activities, { filters: wished });
        const left = activities.filter(
          ({ setting, difficulty, priceMinor, category }) =>
            (wished.indoor === null || setting === 'indoor') &&
            (wished.difficulty === null || difficulty === wished.difficulty) &&
            (wished.maxPriceThbMinor === null || priceMinor <= wished.maxPriceThbMinor) &&
            (wished.categories === null || wished.categories.some((name) => name === category)),
        );
        expect(new Set(passed.map((each) => each.activity.id))).toEqual(new Set(left.map(({ id }) => id)));
        const scores = passed.map(({ scoreCenti }) => scoreCenti);
        expect(scores).toEqual(scores.toSorted((one, other) => other - one));
      }),
    );
  });
});
