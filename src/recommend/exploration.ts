import { evenHash } from '../domain/fnv1a.ts';
import { type LogId, modeOf } from '../domain/ids.ts';
import { type Lifted, MILLION } from '../domain/recommendation/recommendation.ts';
import { scoreCenti, WHOLE } from '../domain/recommendation/score.ts';
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
  const [ofUncertainty, ofCloseness] = [sum(uncertainty), sum(closeness)];
  return ranked.map(
    (_, at) =>
      ((1 - SHARE_OF_CLOSENESS) * (uncertainty[at] ?? 0)) / ofUncertainty +
      (SHARE_OF_CLOSENESS * (closeness[at] ?? 0)) / ofCloseness,
  );
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
  const shares = explorationWeights(ranked).map((weight) => Math.floor((weight * percent * MILLION) / 100));
  const drawn = drawnBy(shares, draw);
  const overtaking = shares.filter((_, at) => at > 0 && precedes(placeOfLift(ranked[at] ?? best), best));
  const candidate = drawn === null ? undefined : ranked[drawn];
  if (drawn === null || candidate === undefined) return { ranked, propensity: MILLION - sum(overtaking), lifted: null };
  const lifted = lift(candidate);
  const others = ranked.filter((_, at) => at !== drawn);
  const index = others.filter((other) => precedes(other, lifted)).length;
  return {
    ranked: others.toSpliced(index, 0, lifted),
    propensity: index === 0 && drawn > 0 ? (shares[drawn] ?? 0) : MILLION - sum(overtaking),
    lifted: { place: index + 1, groundTruth: candidate.learntGroundTruth },
  };
}

/** A number from 0 to 999,999, evenly distributed over log ids. */
function drawOf(logId: LogId): number {
  return Math.floor((evenHash(logId) / 2 ** 32) * MILLION);
}

/** The index of the share into which the draw falls; null if it falls behind the last one. */
function drawnBy(shares: readonly number[], draw: number): number | null {
  let end = 0;
  const index = shares.findIndex((share) => {
    end += share;
    return draw < end;
  });
  return index < 0 ? null : index;
}

/** What decides an activity's place in a ranking. */
type Placed = Pick<ScoredActivity, 'activityId' | 'scoreCenti'>;

function placeOfLift({ activityId, factors }: ScoredActivity): Placed {
  return { activityId, scoreCenti: scoreCenti({ ...factors, groundTruth: WHOLE }) };
}

function lift(scored: ScoredActivity): ScoredActivity {
  return { ...scored, ...placeOfLift(scored), factors: { ...scored.factors, groundTruth: WHOLE } };
}

/** The order of a ranking: the higher score, then the smaller id. */
function precedes(one: Placed, other: Placed): boolean {
  return (
    one.scoreCenti > other.scoreCenti || (one.scoreCenti === other.scoreCenti && one.activityId < other.activityId)
  );
}

function square(value: number): number {
  return value * value;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
