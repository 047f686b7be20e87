import type { ActivityId, HotelId } from './activity.ts';
import type { CityName } from './cities.ts';

/** What guests of a hotel pay less for an activity: this percentage (1 to 50) of its present price. */
export type HotelRate = { readonly activityId: ActivityId; readonly percentOff: number };

/** A hotel whose guests book from it. Configuration, not a fact: docs/decisions/0013-hotels-are-configuration.md. */
export type Hotel = {
  readonly id: HotelId;
  readonly name: string;
  readonly address: string;
  readonly city: CityName;
  readonly lat: number;
  readonly lon: number;
  /** At most one for each activity. */
  readonly rates: readonly HotelRate[];
};

/**
 * What a hotel's rate takes off a present price per person, in minor units of its currency: rounded down, so that no guest
 * pays less than the percentage says. The price stays above zero as long as `percentOff` is below 100.
 */
export function hotelDiscountMinor(unitPriceMinor: number, percentOff: number): number {
  // Nearly every price is asked for without a hotel.
  if (percentOff === 0) return 0;
  return Number((BigInt(unitPriceMinor) * BigInt(percentOff)) / 100n);
}
