import type { KeyId } from '../ids.ts';

/**
 * How much a key may take from others without paying: how many open holds, which share of one date's places, how many
 * guests that can still be cancelled free. Null: no limit.
 */
export type ExposureLimits = {
  readonly openHolds: number | null;
  /** Of the places of one date that holds and bookings on request take, 0 to 1. Never less than `LEAST_PLACES`. */
  readonly unpaidShare: number | null;
  readonly refundableGuests: number | null;
};

/** Limits that are kept for a key across dates. */
export type CountedLimit = 'openHolds' | 'refundableGuests';

/** Places of one date that every key may take, however small its share is. */
const LEAST_PLACES = 4;
const MILLION = 1_000_000;

/** The number of places of a date that a share allows. */
export function placesIn(share: number, capacity: number): number {
  // A share has a few decimals: as a whole number of millionths it is exact.
  return Math.max(LEAST_PLACES, Math.floor((Math.round(share * MILLION) * capacity) / MILLION));
}

/** Whose places are taken without payment, and the limit of the key. */
export type UnpaidTaker = { readonly keyId: KeyId; readonly share: number | null };
