import { SeededRandom } from '../../src/cli/generate/seeded-random.ts';
import type { TravelType } from '../../src/domain/activity/vocabulary.ts';
import { placeWeight } from '../../src/domain/learning/places.ts';
import { perMille, scoreCenti, WHOLE } from '../../src/domain/recommendation/score.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { factorOfRatio } from '../../src/recommend/factors/ground-truth.ts';
import { explorationWeights } from './exploration.ts';
import { Measures, type Outcome } from './measures.ts';
import type { Estimate, Ranked, RankerOf, SyntheticVisit } from './ranker.ts';
import { KEYS, nextKey, nextRequest, type SyntheticRequest, type Traveller } from './request.ts';
import { type City, cityOf, rateOfTraveller, type World } from './world.ts';

/** The travellers of a world arrive evenly in this time. */
const DURATION_MS = 90 * DAY_MS;
const BEGINNING_MS = Date.parse('2026-06-01T00:00:00Z');
/** A visit follows its recommendation within this time. */
const LATEST_VISIT_MS = 4 * DAY_MS;
/** Guests who come without a recommendation, for each request. */
const WALK_INS = 0.006;
/** A traveller who considers an activity leaves it out at least so often. */
const MOST_CERTAIN = 0.9;

export type Simulation = {
  readonly world: World;
  readonly seed: number;
  /** Null: the hidden rates are known. */
  readonly rankerOf: RankerOf | null;
  /** Share of the answers that lift a candidate. */
  readonly exploration: number;
};

/** Travellers ask, visit and are learnt from. The same seed gives the same city and travellers to each formula. */
export function simulate({ world, seed, rankerOf, exploration }: Simulation): Outcome {
  const random = SeededRandom.of(`${world.name} ${seed}`);
  const city = cityOf(world, random.fork());
  const [requests, choices, lifts] = [random.fork(), random.fork(), random.fork()];
  const ranker = rankerOf?.(world.activities) ?? null;
  const measures = new Measures(world);
  const keys = world.oneKey === true ? 1 : KEYS;
  const centres = new Centres();
  const pending = new PendingVisits();
  for (let asked = 0; asked < world.travellers; asked++) {
    const nowMs = BEGINNING_MS + (asked / world.travellers) * DURATION_MS;
    for (const visit of pending.until(nowMs)) ranker?.visited(visit);
    const request = nextRequest(city.activities, { nowMs, keys }, requests);
    const { travelType } = request.traveller;
    const rates = presentRates(city, world, asked, travelType);
    const estimates = ranker?.estimate({ travelType, nowMs }) ?? centres.estimates(travelType, rates);
    const ranked = rankedFor(request, city, { rates, estimates }, asked >= world.travellers / 2);
    const shown = shownOf(ranked, world.limit, lifts.chance(exploration) ? lifts : null);
    measures.add(asked, ranked, shown);
    centres.add(travelType, shown);
    const ids = shown.map(({ index }) => index);
    ranker?.shown?.({ travelType, nowMs }, ids);
    const visited = visitOf(shown, world, choices);
    const atMs = nowMs + choices.fraction() * LATEST_VISIT_MS;
    if (visited !== null) {
      const answer = { shown: ids, ratios: shown.map(({ estimate }) => estimate.ratio) };
      pending.add({ activity: visited, ...who(request.traveller), atMs, answer });
    }
    if (choices.chance(WALK_INS)) {
      const { index } = choices.pick(ranked);
      pending.add({ activity: index, ...who(request.traveller), key: nextKey(choices, keys), atMs, answer: null });
    }
  }
  return measures.outcome();
}

function who({ key, travelType }: Traveller): Pick<Traveller, 'key' | 'travelType'> {
  return { key, travelType };
}

function presentRates(city: City, world: World, asked: number, travelType: TravelType): readonly number[] {
  const rates = asked >= world.travellers / 2 ? city.ratesFromHalfTime : city.rates;
  return rates.get(travelType) ?? [];
}

function rankedFor(
  { traveller, factorsOf }: SyntheticRequest,
  { activities }: City,
  { rates, estimates }: { readonly rates: readonly number[]; readonly estimates: readonly Estimate[] },
  isLate: boolean,
): readonly Ranked[] {
  const ranked: Ranked[] = [];
  for (const { index, category, late } of activities) {
    const [factors, estimate] = [factorsOf[index], estimates[index]];
    if (factors === undefined || estimate === undefined || (late && !isLate)) continue;
    ranked.push({
      index,
      scoreCenti: scoreCenti({ ...factors, groundTruth: perMille(estimate.factor) }),
      liftedCenti: scoreCenti({ ...factors, groundTruth: WHOLE }),
      estimate,
      rate: rateOfTraveller(rates[index] ?? 0, traveller.interests, category),
    });
  }
  return ranked.sort((left, right) => right.scoreCenti - left.scoreCenti || left.index - right.index);
}

/** @param lifts null: the answer does not explore */
function shownOf(ranked: readonly Ranked[], limit: number, lifts: SeededRandom | null): readonly Ranked[] {
  if (lifts === null) return ranked.slice(0, limit);
  const weights = explorationWeights(ranked.map(({ estimate }) => estimate));
  let left = lifts.fraction() * weights.reduce((sum, weight) => sum + weight, 0);
  const at = weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
  const lifted = ranked[at];
  if (lifted === undefined) return ranked.slice(0, limit);
  const others = ranked.filter((each) => each !== lifted);
  const place = others.findIndex((other) => other.scoreCenti < lifted.liftedCenti);
  return others.toSpliced(place < 0 ? others.length : place, 0, lifted).slice(0, limit);
}

/** The activity that the traveller visits, one of those that they consider and like; null if there is none. */
function visitOf(shown: readonly Ranked[], { rate: usual, attention }: World, choices: SeededRandom): number | null {
  const liked = shown.filter(({ rate }, at) =>
    choices.chance(Math.min(MOST_CERTAIN, usual * rate * (at + 1) ** -attention)),
  );
  return liked.length === 0 ? null : choices.pick(liked).index;
}

/** Visits that are still to come, in the order of their times. */
class PendingVisits {
  readonly #visits: SyntheticVisit[] = [];

  add(visit: SyntheticVisit): void {
    let at = this.#visits.length;
    while (at > 0 && (this.#visits[at - 1]?.atMs ?? 0) > visit.atMs) at--;
    this.#visits.splice(at, 0, visit);
  }

  until(nowMs: number): readonly SyntheticVisit[] {
    const due = this.#visits.findIndex(({ atMs }) => atMs > nowMs);
    return this.#visits.splice(0, due < 0 ? this.#visits.length : due);
  }
}

/**
 * The ceiling: estimates of hidden rates as if they were known, compared with the mean rate of what travellers of the type
 * considered, as the evidence is.
 */
class Centres {
  readonly #sums = new Map<TravelType, { readonly weight: number; readonly rate: number }>();

  add(travelType: TravelType, shown: readonly Ranked[]): void {
    let { weight, rate } = this.#sums.get(travelType) ?? NO_SUMS;
    shown.forEach((each, at) => {
      weight += placeWeight(at + 1);
      rate += placeWeight(at + 1) * each.rate;
    });
    this.#sums.set(travelType, { weight, rate });
  }

  estimates(travelType: TravelType, rates: readonly number[]): readonly Estimate[] {
    const { weight, rate } = this.#sums.get(travelType) ?? NO_SUMS;
    return rates.map((each) => {
      const ratio = (each * weight) / rate;
      return { factor: factorOfRatio(ratio), ratio, expected: 0 };
    });
  }
}
const NO_SUMS = { weight: 1, rate: 1 };
