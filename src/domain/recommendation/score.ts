/** Weights of the factors in percent, in the order of the specification; their sum is 100. */
export const WEIGHTS_PERCENT = { profile: 30, groundTruth: 25, weather: 20, time: 15, price: 10 } as const;

/** Version of the scoring rules in a context log. Raise it when a weight or a factor's formula changes. */
export const MODEL = 'weights-2';

/** Maximum of a factor, in thousandths. */
export const WHOLE = 1_000;

/** The highest score: all factors whole, in hundredths. */
export const MAX_SCORE_CENTI = 10_000;

/** The five factors of a score before weighting, each 0 to 1,000 (thousandths). */
export type Factors = { readonly [Factor in keyof typeof WEIGHTS_PERCENT]: number };

/** The weight of each factor in percent; their sum is 100. */
export type Weights = { readonly [Factor in keyof typeof WEIGHTS_PERCENT]: number };

/**
 * The score of an activity, 0 to 10,000: hundredths of the relevance score. Integer arithmetic, so that a logged answer
 * yields the same scores again; halves are rounded up.
 */
export function scoreCenti(
  { profile, groundTruth, weather, time, price }: Factors,
  weights: Weights = WEIGHTS_PERCENT,
): number {
  const weighted =
    profile * weights.profile +
    groundTruth * weights.groundTruth +
    weather * weights.weather +
    time * weights.time +
    price * weights.price;
  return scoreOfWeighted(weighted);
}

/** @param weighted sum of the factors, each in thousandths and multiplied by its weight in percent */
export function scoreOfWeighted(weighted: number): number {
  return Math.floor((weighted + 5) / 10);
}

/** A factor in [0,1] as thousandths. */
export function perMille(factor: number): number {
  return Math.round(Math.min(1, Math.max(0, factor)) * WHOLE);
}

/** An activity with its score: what decides its place. */
type Scored = { readonly activityId: string; readonly scoreCenti: number };

/** The order of a ranking, for `sort`: the higher score, then the smaller id. */
export function byScore(one: Scored, other: Scored): number {
  return other.scoreCenti - one.scoreCenti || (one.activityId < other.activityId ? -1 : 1);
}

/** Whether an activity comes before another one in a ranking. */
export function precedes(one: Scored, other: Scored): boolean {
  return byScore(one, other) < 0;
}
