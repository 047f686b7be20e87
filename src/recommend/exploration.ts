import { evenHash } from '../domain/fnv1a.ts';
import { type LogId, modeOf } from '../domain/ids.ts';
import { type Lifted, MILLION } from '../domain/recommendation/recommendation.ts';
import { precedes, scoreCenti, WHOLE } from '../domain/recommendation/score.ts';
import type { ScoredActivity } from './scoring.ts';

/** Evidence, in expected visits, at which the uncertainty of a ground truth has fallen to half. */
const HALF_KNOWN = 0.5;

/** A distance from the best score, in hundredths of a point, at which the weight for closeness has fallen to half. */
const NEAR_CENTI = 300;

/** Share of the weights that closeness to the best score decides; uncertainty decides the rest. */
const SHARE_OF_CLOSENESS = 0.2;

/**
 * The probabilities with which exploration draws one of the candidates. Most of the weight follows the square of the
 * uncertainty of the ground truth, so that an activity that came late is drawn soon; a part follows the closeness to the
 * best score, so that every near candidate keeps a probability on which an evaluation can rely. Only the four basic
 * operations, so that every machine computes the same. Pure.
 *
 * @param ranked best first, at least one
 * @returns one probability per candidate; their sum is 1
 */
export function explorationWeights(
  ranked: readonly (Pick<ScoredActivity, 'scoreCenti'> & {
    readonly evidence: Pick<ScoredActivity['evidence'], 'expected'>;
  })[],
): readonly number[] {
  const bestCenti = ranked[0]?.scoreCenti ?? 0;
  const uncertainty = ranked.map(({ evidence }) => square(HALF_KNOWN / (evidence.expected + HALF_KNOWN)));
  const closeness = ranked.map((each) => 1 / (1 + square((bestCenti - each.scoreCenti) / NEAR_CENTI)));
  const perUncertainty = (1 - SHARE_OF_CLOSENESS) / sum(uncertainty);
  const perCloseness = SHARE_OF_CLOSENESS / sum(closeness);
  return uncertainty.map((weight, at) => weight * perUncertainty + (closeness[at] ?? 0) * perCloseness);
}

export type Explored = {
  /** Best first, with the score by which they are sorted. */
  readonly ranked: readonly ScoredActivity[];
  /** Probability that the present first one is first, in millionths. */
  readonly propensity: number;
  /** Null if nothing was lifted. */
  readonly lifted: Lifted | null;
};

/**
 * In `percent` of the answers one candidate, drawn by `explorationWeights`, is ranked as if its ground truth were 1. The
 * draw follows from the log id alone. Answers to test keys do not explore, and those with one candidate cannot. Pure.
 */
export function explore(ranked: readonly ScoredActivity[], logId: LogId, percent: number): Explored {
  if (percent === 0 || ranked.length < 2 || modeOf(logId) === 'test')
    return { ranked, propensity: MILLION, lifted: null };
  return exploreAt(ranked, percent, drawOf(logId));
}

/**
 * The answer of one draw. The probabilities are whole millionths, so the propensity is exact.
 * @param ranked at least one
 * @param draw 0 to 999,999
 */
export function exploreAt(ranked: readonly ScoredActivity[], percent: number, draw: number): Explored {
  const [best] = ranked;
  if (best === undefined) throw new RangeError('a ranking has at least one candidate');
  const weights = explorationWeights(ranked);
  let drawn: Drawn | null = null;
  let end = 0;
  let overtaking = 0;
  for (const [index, candidate] of ranked.entries()) {
    const share = Math.floor(((weights[index] ?? 0) * percent * MILLION) / 100);
    if (draw >= end && draw < end + share) drawn = { candidate, index, share };
    end += share;
    if (index > 0 && precedes(placeOfLift(candidate), best)) overtaking += share;
  }
  const ofBest = MILLION - overtaking;
  return drawn === null ? { ranked, propensity: ofBest, lifted: null } : withLift(ranked, drawn, ofBest);
}

/** A candidate to lift. `share` is the probability of its draw, in millionths. */
type Drawn = { readonly candidate: ScoredActivity; readonly index: number; readonly share: number };

/** @param ofBest probability that the best one is first, in millionths */
function withLift(ranked: readonly ScoredActivity[], { candidate, index, share }: Drawn, ofBest: number): Explored {
  const others = ranked.toSpliced(index, 1);
  const lifted = lift(candidate);
  const place = others.filter((other) => precedes(other, lifted)).length + 1;
  return {
    ranked: others.toSpliced(place - 1, 0, lifted),
    propensity: place === 1 && index > 0 ? share : ofBest,
    lifted: { place, groundTruth: candidate.learntGroundTruth },
  };
}

/** A number from 0 to 999,999, evenly distributed over log ids. */
function drawOf(logId: LogId): number {
  return Math.floor((evenHash(logId) / 2 ** 32) * MILLION);
}

/** What decides an activity's place in a ranking. */
type Placed = Pick<ScoredActivity, 'activityId' | 'scoreCenti'>;

function placeOfLift({ activityId, factors }: ScoredActivity): Placed {
  const { profile, weather, time, price } = factors;
  return { activityId, scoreCenti: scoreCenti({ profile, groundTruth: WHOLE, weather, time, price }) };
}

function lift(scored: ScoredActivity): ScoredActivity {
  return { ...scored, ...placeOfLift(scored), factors: { ...scored.factors, groundTruth: WHOLE } };
}

function square(value: number): number {
  return value * value;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
