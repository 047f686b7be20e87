import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import {
  AGE_GROUPS,
  CATEGORIES,
  SETTINGS,
  TIMES_OF_DAY,
  TRAVEL_TYPES,
} from '../../../src/domain/activity/vocabulary.ts';
import { BUDGETS } from '../../../src/domain/recommendation/profile.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { priceFactor, priceLevel } from '../../../src/recommend/factors/price.ts';
import { profileFactor } from '../../../src/recommend/factors/profile.ts';
import { planVisit, timeFactor, travelMinutes } from '../../../src/recommend/factors/time.ts';
import { harshness, pleasantness, weatherFactor } from '../../../src/recommend/factors/weather.ts';

/** Saturday, 21 November 2026, 10:00 at UTC+7. */
const NOW = Date.parse('2026-11-21T03:00:00Z');
const ICT = 420;

/** Tolerance for floating-point rounding. */
const NOTHING = 1e-12;

const unit = fc.double({ min: 0, max: 1, noNaN: true });

function inUnit(factor: number): void {
  expect(factor).toBeGreaterThanOrEqual(0);
  expect(factor).toBeLessThanOrEqual(1);
}

function atLeast(factor: number, other: number): void {
  expect(factor).toBeGreaterThanOrEqual(other - NOTHING);
}

describe('the profile', () => {
  const aquarium = { travelTypes: ['family', 'couple'], category: 'aquarium', ageGroups: ['family', 'adult'] } as const;
  const asker = { travelType: 'couple', nationality: null, interests: [], budget: null, ageGroup: null } as const;

  test.each([
    ['with a matching travel type only', {}, 1],
    ['with another travel type only', { travelType: 'business' }, 0.25],
    ['with a matching interest', { interests: ['zoo', 'aquarium'] }, 1],
    ['with other interests', { interests: ['spa'] }, 0.5],
    ['with a matching age group', { ageGroup: 'adult' }, 1],
    ['with another age group', { ageGroup: 'senior' }, 4 / 6],
    ['without any match', { travelType: 'solo', interests: ['spa'], ageGroup: 'senior' }, 0.1],
  ] as const)('%s', (_name, change, factor) => {
    expect(profileFactor(aquarium, { ...asker, ...change })).toBeCloseTo(factor, 12);
  });

  test('is in [0,1], and a better match never lowers it', () => {
    const activity = fc.record({
      travelTypes: fc.subarray([...TRAVEL_TYPES]),
      category: fc.constantFrom(...CATEGORIES),
      ageGroups: fc.subarray([...AGE_GROUPS]),
    });
    const profile = fc.record({
      travelType: fc.constantFrom(...TRAVEL_TYPES),
      nationality: fc.constant(null),
      interests: fc.subarray([...CATEGORIES]),
      budget: fc.constant(null),
      ageGroup: fc.option(fc.constantFrom(...AGE_GROUPS)),
    });
    fc.assert(
      fc.property(activity, profile, (described, who) => {
        const factor = profileFactor(described, who);
        inUnit(factor);
        const fitted = { ...described, travelTypes: TRAVEL_TYPES, ageGroups: AGE_GROUPS };
        atLeast(profileFactor(fitted, who), factor);
        if (who.interests[0] !== undefined) {
          atLeast(profileFactor({ ...described, category: who.interests[0] }, who), factor);
        }
      }),
    );
  });
});

describe('the weather', () => {
  const FINE = { temperatureC: 27, precipitationProbability: 0, windKmh: 10 };
  const DOWNPOUR = { temperatureC: 27, precipitationProbability: 1, windKmh: 10 };
  const hour = fc.record({
    temperatureC: fc.double({ min: -20, max: 55, noNaN: true }),
    precipitationProbability: unit,
    windKmh: fc.double({ min: 0, max: 200, noNaN: true }),
  });

  test.each([
    ['outdoor', [FINE], 1],
    ['mixed', [FINE], 0.85],
    ['indoor', [FINE], 0.7],
    ['outdoor', [DOWNPOUR], 0],
    ['mixed', [DOWNPOUR], 0.5],
    ['indoor', [DOWNPOUR], 1],
    ['outdoor', [FINE, DOWNPOUR], 0.5],
    ['outdoor', [{ ...FINE, temperatureC: 42 }], 0.4],
    ['outdoor', [{ ...FINE, temperatureC: 4 }], 0.4],
    ['outdoor', [{ ...FINE, windKmh: 60 }], 0.4],
  ] as const)('%s under %j', (setting, hours, factor) => {
    expect(weatherFactor(setting, pleasantness(hours))).toBeCloseTo(factor, 12);
  });

  test('is in [0,1]; harsher weather never raises outdoor and never lowers indoor activities', () => {
    fc.assert(
      fc.property(fc.array(hour, { minLength: 1, maxLength: 12 }), unit, (hours, more) => {
        for (const setting of SETTINGS) inUnit(weatherFactor(setting, pleasantness(hours)));
        const wetter = hours.map((each) => ({
          ...each,
          precipitationProbability: Math.max(each.precipitationProbability, more),
        }));
        atLeast(weatherFactor('outdoor', pleasantness(hours)), weatherFactor('outdoor', pleasantness(wetter)));
        atLeast(weatherFactor('indoor', pleasantness(wetter)), weatherFactor('indoor', pleasantness(hours)));
      }),
    );
  });

  test('is harsher with heat above 32 °C, cold below 16 °C and wind', () => {
    const between = (from: number, to: number) => fc.double({ min: from, max: to, noNaN: true });
    fc.assert(
      fc.property(hour, between(32, 60), between(0, 20), (at, hot, step) => {
        const harsh = (change: object): number => harshness({ ...at, ...change });
        atLeast(harsh({ temperatureC: hot + step }), harsh({ temperatureC: hot }));
        atLeast(harsh({ temperatureC: 16 - step }), harsh({ temperatureC: 16 }));
        atLeast(harsh({ windKmh: at.windKmh + step }), harsh({}));
      }),
    );
  });
});

describe('the time', () => {
  const at = (clock: string) => Date.parse(`2026-11-21T${clock}:00+07:00`);
  const BY_DAY = { opensAtMs: at('09:00'), lastEntryMs: at('17:00') };
  const HERE = { nowMs: NOW, utcOffsetMinutes: ICT, distanceKm: null };

  test.each([
    ['now, in a best time of day', ['morning'], '10:00', 'morning'],
    ['at the first hour of a best time of day', ['afternoon', 'night'], '12:00', 'afternoon'],
    ['now, if every best time is after the last entry', ['evening'], '10:00', null],
  ] as const)('of a visit is %s', (_name, bestTimes, start, bestTime) => {
    expect(planVisit(BY_DAY, HERE, bestTimes)).toEqual({ startMs: at(start), bestTime });
  });

  test('of a visit is the first full hour in a best time of day', () => {
    const halfPastTen = { ...HERE, nowMs: at('10:30') };
    expect(planVisit(BY_DAY, halfPastTen, ['afternoon'])).toEqual({ startMs: at('12:00'), bestTime: 'afternoon' });
  });

  test('of a visit is the opening time if that is later, also past midnight', () => {
    const byNight = { opensAtMs: at('18:00'), lastEntryMs: at('18:00') + 6.5 * HOUR_MS };
    expect(planVisit(byNight, HERE, ['evening'])).toEqual({ startMs: at('18:00'), bestTime: 'evening' });
    const late = { ...HERE, nowMs: at('18:00') + 6 * HOUR_MS };
    expect(planVisit(byNight, late, ['evening'])).toEqual({ startMs: late.nowMs, bestTime: null });
    expect(planVisit(byNight, late, ['night'])).toEqual({ startMs: late.nowMs, bestTime: 'night' });
  });

  test('ends at the last entry, and earlier for a guest who is far away', () => {
    const justBefore = { ...HERE, nowMs: BY_DAY.lastEntryMs - MINUTE_MS };
    expect(planVisit(BY_DAY, { ...HERE, nowMs: BY_DAY.lastEntryMs }, [])).toBeNull();
    expect(planVisit(BY_DAY, justBefore, [])).toEqual({ startMs: justBefore.nowMs, bestTime: null });
    expect(planVisit(BY_DAY, { ...justBefore, distanceKm: 1 }, [])).toBeNull();
  });

  test.each([
    ['now, here, at a best time', 0, 'morning', null, 1],
    ['now, here, at another time', 0, null, 0, 0.65],
    ['tomorrow at a best time', 24, 'morning', 0, 0.85],
    ['now, an hour away', 1, 'morning', 20, 0.5 + 0.3 / (1 + 1 / 24) + 0.1],
  ] as const)('%s', (_name, hours, bestTime, distanceKm, factor) => {
    const plan = { startMs: NOW + hours * HOUR_MS, bestTime };
    expect(timeFactor(plan, { nowMs: NOW, distanceKm })).toBeCloseTo(factor, 12);
  });

  test('is in [0,1], and more distance or waiting never raises it', () => {
    const minutes = fc.integer({ min: -600, max: 7 * 24 * 60 });
    const km = fc.double({ min: 0, max: 150, noNaN: true });
    const best = fc.subarray([...TIMES_OF_DAY]);
    fc.assert(
      fc.property(minutes, fc.integer({ min: 1, max: 900 }), km, km, best, (opens, openFor, near, way, bestTimes) => {
        const opensAtMs = NOW + opens * MINUTE_MS;
        const day = { opensAtMs, lastEntryMs: opensAtMs + openFor * MINUTE_MS };
        const factorAt = (distanceKm: number): number => {
          const plan = planVisit(day, { ...HERE, distanceKm }, bestTimes);
          if (plan === null) return 0;
          expect(plan.startMs).toBeGreaterThanOrEqual(Math.max(opensAtMs, NOW + travelMinutes(distanceKm) * MINUTE_MS));
          expect(plan.startMs).toBeLessThan(day.lastEntryMs);
          const factor = timeFactor(plan, { nowMs: NOW, distanceKm });
          inUnit(factor);
          atLeast(factor, timeFactor({ ...plan, startMs: plan.startMs + HOUR_MS }, { nowMs: NOW, distanceKm }));
          return factor;
        };
        atLeast(factorAt(near), factorAt(near + way));
      }),
    );
  });
});

describe('the price', () => {
  test("has its rank among the city's prices", () => {
    const prices = [100, 200, 200, 400];
    expect([50, 100, 150, 200, 400, 500].map((price) => priceLevel(price, prices))).toEqual([
      0, 0.125, 0.25, 0.5, 0.875, 1,
    ]);
    expect(priceLevel(100, [])).toBe(0.5);
  });

  test('has a rank that matches a linear count', () => {
    const some = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(some, fc.integer({ min: 0, max: 21 }), (prices, price) => {
        const below = prices.filter((other) => other < price).length;
        const equal = prices.filter((other) => other === price).length;
        const sorted = prices.toSorted((left, right) => left - right);
        expect(priceLevel(price, sorted)).toBe((below + equal / 2) / prices.length);
      }),
    );
  });

  test.each([
    ['budget', 0, 0, 1],
    ['budget', 1, 0, 0],
    ['mid', 0.5, 0, 1],
    ['mid', 1, 0, 0.25],
    ['luxury', 1, 0, 1],
    ['luxury', 0, 0, 0.5],
    [null, 0, 0, 0.75],
    [null, 1, 0, 0.25],
    ['budget', 1, 0.1, 0.2],
    ['luxury', 1, 0.5, 1],
  ] as const)('for %p at level %d with a discount of %d', (budget, level, discount, factor) => {
    expect(priceFactor(budget, level, discount)).toBeCloseTo(factor, 12);
  });

  test('is in [0,1]; a discount never lowers it, nor does a lower price with a small or unknown budget', () => {
    fc.assert(
      fc.property(fc.constantFrom(...BUDGETS, null), unit, unit, unit, (budget, level, lower, discount) => {
        inUnit(priceFactor(budget, level, discount));
        atLeast(priceFactor(budget, level, discount), priceFactor(budget, level, 0));
        if (budget === 'budget' || budget === null) {
          atLeast(priceFactor(budget, Math.min(level, lower), discount), priceFactor(budget, level, discount));
        }
      }),
    );
  });
});
