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
