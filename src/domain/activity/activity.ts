import type { CityName } from './cities.ts';
import type { Currency } from './money.ts';
import type {
  AgeGroup,
  Category,
  Confirmation,
  Difficulty,
  Language,
  Setting,
  TimeOfDay,
  TravelType,
  Weekday,
} from './vocabulary.ts';

/** A calendar date at the activity's city, `YYYY-MM-DD`. */
export type LocalDate = string & { readonly __brand: 'LocalDate' };
export type ActivityId = string & { readonly __brand: 'ActivityId' };
export type VenueId = string & { readonly __brand: 'VenueId' };
export type HotelId = string & { readonly __brand: 'HotelId' };

/** Local times `HH:MM`. A close at or before the opening lies after midnight, a last entry too. */
export type Opening = { readonly open: string; readonly lastEntry: string; readonly close: string };

/** A part of the year (`MM-DD`, both ends in it, may wrap over New Year) with a price or capacity of its own. */
export type Season = {
  readonly from: string;
  readonly to: string;
  readonly priceMinor?: number;
  readonly capacity?: number;
};

/** Free until so many hours before opening on the date; from then on this percentage of the price is kept. */
export type CancellationPolicy = { readonly freeUntilHours: number; readonly percentKept: number };

export type ActivityText = { readonly title: string; readonly description: string; readonly checkIn: string };

export type Venue = {
  readonly id: VenueId;
  readonly name: string;
  readonly address: string;
  readonly lat: number;
  readonly lon: number;
};

/** A thing to do at a venue, as the catalogue lists it. These types are what the activity's events store. */
export type Activity = {
  readonly id: ActivityId;
  readonly city: CityName;
  readonly venue: Venue;
  readonly category: Category;
  readonly setting: Setting;
  readonly difficulty: Difficulty;
  readonly durationMinutes: number;
  readonly travelTypes: readonly TravelType[];
  readonly ageGroups: readonly AgeGroup[];
  readonly bestTimes: readonly TimeOfDay[];
  /** Null on days it is closed. */
  readonly openings: Readonly<Record<Weekday, Opening | null>>;
  readonly closedDates: readonly LocalDate[];
  readonly seasons: readonly Season[];
  /** Guests a day. */
  readonly capacity: number;
  /** Per person, in the smallest unit of the currency. */
  readonly priceMinor: number;
  readonly currency: Currency;
  readonly confirmation: Confirmation;
  /** The hotel whose guests alone can book it; null: everybody can. */
  readonly exclusiveTo: HotelId | null;
  readonly cancellation: CancellationPolicy;
  readonly images: readonly string[];
  readonly texts: Readonly<Record<Language, ActivityText>>;
  /** The day on which prices, hours, capacities and coordinates were estimated by the editors. */
  readonly estimatedOn: LocalDate;
};
