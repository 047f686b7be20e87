/** How much each factor counts, in percent; in the order of the specification. Together 100. */
export const WEIGHTS_PERCENT = { profile: 30, groundTruth: 25, weather: 20, time: 15, price: 10 } as const;

/** Which rules made the scores of a context log. Raised when a weight or a factor's formula changes. */
export const MODEL = 'weights-1';

/** A factor in thousandths counts for at most this. */
export const WHOLE = 1_000;

/** The five factors of a score, each in thousandths of [0,1], before weighting. */
export type Factors = { readonly [Factor in keyof typeof WEIGHTS_PERCENT]: number };

/**
 * The score of an activity, 0 to 10,000: hundredths of the relevance score. Whole numbers only, so that a logged answer
 * works out to the very same scores again; a half is rounded up.
 */
export function scoreCenti({ profile, groundTruth, weather, time, price }: Factors): number {
  const weighted =
    profile * WEIGHTS_PERCENT.profile +
    groundTruth * WEIGHTS_PERCENT.groundTruth +
    weather * WEIGHTS_PERCENT.weather +
    time * WEIGHTS_PERCENT.time +
    price * WEIGHTS_PERCENT.price;
  return Math.floor((weighted + 5) / 10);
}

/** A factor in [0,1] as thousandths. */
export function perMille(factor: number): number {
  return Math.round(Math.min(1, Math.max(0, factor)) * WHOLE);
}
