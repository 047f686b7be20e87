import type { ActivityId, HotelId } from './activity.ts';
import type { CityName } from './cities.ts';

/** Discount of a hotel's guests on an activity: a percentage (1 to 50) of its current price. */
export type HotelRate = { readonly activityId: ActivityId; readonly percentOff: number };

/** A hotel with rates for its guests. Configuration, not events: docs/decisions/0013-hotels-are-configuration.md. */
export type Hotel = {
  readonly id: HotelId;
  readonly name: string;
  readonly address: string;
  readonly city: CityName;
  readonly lat: number;
  readonly lon: number;
  /** At most one per activity. */
  readonly rates: readonly HotelRate[];
  /** The Ed25519 public key of the hotel's guest tokens: 32 bytes in base64url. Without it the hotel signs none. */
  readonly guestKey?: string;
};
