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

/** Local times `HH:MM`. A close or last entry at or before `open` is on the next day. */
export type OpeningHours = { readonly open: string; readonly lastEntry: string; readonly close: string };

/** A part of the year (`MM-DD`, inclusive, may span New Year) with its own price or capacity. */
export type Season = {
  readonly from: string;
  readonly to: string;
  readonly priceMinor?: number;
  readonly capacity?: number;
};

/** Free until `freeUntilHours` before opening on the date; later cancellations lose `percentKept` of the price. */
export type CancellationPolicy = { readonly freeUntilHours: number; readonly percentKept: number };

export type ActivityText = { readonly title: string; readonly description: string; readonly checkIn: string };

/** Whom the service mails requests that wait for the venue. */
export type VenueContact = { readonly email: string; readonly language: Language };

export type Venue = {
  readonly id: VenueId;
  readonly name: string;
  readonly address: string;
  readonly lat: number;
  readonly lon: number;
  /** Absent without a contact, and in events of earlier versions. No public answer shows it. */
  readonly contact?: VenueContact;
  /** A valid scan at its gates counts at once, without a tap. Left out: it does not. */
  readonly admitAtOnce?: true;
};

/** A catalogue entry at a venue. These types are the storage format of the activity's events. */
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
  /** Null on weekdays when the venue is closed. */
  readonly openings: Readonly<Record<Weekday, OpeningHours | null>>;
  readonly closedDates: readonly LocalDate[];
  readonly seasons: readonly Season[];
  /** Guests per day. */
  readonly capacity: number;
  /** Per person, in the smallest unit of the currency. */
  readonly priceMinor: number;
  readonly currency: Currency;
  readonly confirmation: Confirmation;
  /** Only guests of this hotel can book it; null: everybody can. */
  readonly exclusiveTo: HotelId | null;
  readonly cancellation: CancellationPolicy;
  readonly images: readonly string[];
  readonly texts: Readonly<Record<Language, ActivityText>>;
  /** When the editors estimated prices, hours, capacities and coordinates. */
  readonly estimatedOn: LocalDate;
};
