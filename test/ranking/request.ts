import type { SeededRandom } from '../../src/cli/generate/seeded-random.ts';
import { CATEGORIES, type Category, TRAVEL_TYPES, type TravelType } from '../../src/domain/activity/vocabulary.ts';
import { BUDGETS, type Budget } from '../../src/domain/recommendation/profile.ts';
import type { Factors } from '../../src/domain/recommendation/score.ts';
import { perMille } from '../../src/domain/recommendation/score.ts';
import { HOUR_MS } from '../../src/eventsourcing/durations.ts';
import { priceFactor } from '../../src/recommend/factors/price.ts';
import { profileFactor } from '../../src/recommend/factors/profile.ts';
import { timeFactor } from '../../src/recommend/factors/time.ts';
import { weatherFactor } from '../../src/recommend/factors/weather.ts';
import type { SyntheticActivity } from './world.ts';

/** Keys of a world, of which one is large. */
export const KEYS = 20;
/** Share of the requests that come from one of the keys. */
const LARGEST_KEY = 0.6;
const HAS_INTERESTS = 0.2;
const IS_INTEREST = 0.25;
const HAS_BUDGET = 0.5;
const HAS_GOOD_HOUR = 0.8;
const LONGEST_WAIT_MS = 3 * HOUR_MS;
const WORST_WEATHER = 0.3;
const FARTHEST_KM = 3;

export type Traveller = {
  readonly key: string;
  readonly travelType: TravelType;
  readonly interests: readonly Category[];
};

/** A traveller's request: the factors of each activity other than the ground truth, by the formulas of the service. */
export type SyntheticRequest = {
  readonly traveller: Traveller;
  readonly nowMs: number;
  readonly factorsOf: readonly Omit<Factors, 'groundTruth'>[];
};

export function nextRequest(
  activities: readonly SyntheticActivity[],
  { nowMs, keys }: { readonly nowMs: number; readonly keys: number },
  random: SeededRandom,
): SyntheticRequest {
  const { travelType, interests, budget } = nextWishes(random);
  const profile = { travelType, nationality: null, interests, budget, ageGroup: null };
  const pleasantness = 1 - WORST_WEATHER * random.fraction();
  return {
    traveller: { key: nextKey(random, keys), travelType, interests },
    nowMs,
    factorsOf: activities.map((activity) => {
      const startMs = nowMs + random.fraction() * LONGEST_WAIT_MS;
      const plan = { startMs, bestTime: random.chance(HAS_GOOD_HOUR) ? ('morning' as const) : null };
      return {
        profile: perMille(profileFactor(activity, profile)),
        weather: perMille(weatherFactor(activity.setting, pleasantness)),
        time: perMille(timeFactor(plan, { nowMs, distanceKm: random.fraction() * FARTHEST_KM })),
        price: perMille(priceFactor(budget, activity.priceLevel, 0)),
      };
    }),
  };
}

/** What a traveller tells the ranking. */
type Wishes = Pick<Traveller, 'travelType' | 'interests'> & { readonly budget: Budget | null };

export function nextWishes(random: SeededRandom): Wishes {
  const interested = random.chance(HAS_INTERESTS);
  const interests = CATEGORIES.filter(() => interested && random.chance(IS_INTEREST));
  const travelType = random.pick(TRAVEL_TYPES);
  return { travelType, interests, budget: random.chance(HAS_BUDGET) ? random.pick(BUDGETS) : null };
}

export function nextKey(random: SeededRandom, keys: number): string {
  return `key-${keys === 1 || random.chance(LARGEST_KEY) ? 0 : 1 + random.below(keys - 1)}`;
}
