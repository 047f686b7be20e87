/** Version of the curve of places, which each event of evidence names. */
export const PLACES = 'places-1';

/** A traveller considers place k in proportion to k^-0.7. */
const EXPONENT = 0.7;

/** Parts of a visit in an event of evidence. */
const TEN_THOUSANDTHS = 10_000;

/** Relative chance that a traveller considers a place, from 1. */
export function placeWeight(place: number): number {
  return place ** -EXPONENT;
}

/**
 * The one visit of an answer, divided among its places: the expected visits of each shown activity if all were equally
 * popular, in ten-thousandths.
 *
 * @param places from 1
 */
export function expectedShares(places: readonly number[]): readonly number[] {
  const weights = places.map(placeWeight);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => Math.round((TEN_THOUSANDTHS * weight) / whole));
}

/** Expected visits from a share of an event. */
export function expectedVisits(share: number): number {
  return share / TEN_THOUSANDTHS;
}
