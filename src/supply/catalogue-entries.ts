import type {
  Activity,
  ActivityId,
  ActivityText,
  HotelId,
  LocalDate,
  OpeningHours,
  Season,
  Venue,
  VenueId,
} from '../domain/activity/activity.ts';
import { type CityName, cityFacts } from '../domain/activity/cities.ts';
import { CURRENCY_EXPONENTS, type Currency, toMinor } from '../domain/activity/money.ts';
import { parseLocalDate } from '../domain/activity/schedule.ts';
import {
  AGE_GROUPS,
  CATEGORIES,
  CONFIRMATIONS,
  DIFFICULTIES,
  LANGUAGES,
  SETTINGS,
  TIMES_OF_DAY,
  TRAVEL_TYPES,
  WEEKDAYS,
} from '../domain/activity/vocabulary.ts';
import { FALLBACK_CITY, type RegisterName, readId } from './catalogue-places.ts';
import { type JsonField, readDate, readEach } from './json-field.ts';

/** What an activity is validated against. With an unsupported city (null), locations and prices are not checked. */
type ActivityContext = {
  readonly city: CityName | null;
  readonly estimatedOn: LocalDate;
  readonly venueOf: (field: JsonField) => Venue;
  /** Ids that `exclusive_to` can have. */
  readonly hotels: ReadonlySet<string>;
  /** Where these hotels are listed, for error texts. */
  readonly within: string;
  readonly registerName: RegisterName;
};

const ACTIVITY_FIELDS = [
  'id',
  'venue',
  'category',
  'setting',
  'difficulty',
  'duration_minutes',
  'travel_types',
  'age_groups',
  'best_times',
  'opening',
  'closed_dates',
  'seasons',
  'capacity',
  'price',
  'confirmation',
  'exclusive_to',
  'cancellation',
  'images',
  'texts',
] as const;

const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const IMAGE = /^https:\/\/[^\s/]+\/\S+$/;

/** Prices per person, in currency units. A price outside the range is probably a typing error. */
const PLAUSIBLE_PRICES: Readonly<Record<Currency, readonly [min: number, max: number]>> = {
  THB: [50, 20_000],
  VND: [30_000, 15_000_000],
  IDR: [20_000, 10_000_000],
  MYR: [5, 2_500],
  SGD: [2, 800],
  USD: [2, 600],
};

export function readActivity(field: JsonField, context: ActivityContext): Activity {
  const { city, estimatedOn, venueOf, hotels, within, registerName } = context;
  const given = field.members(ACTIVITY_FIELDS, ['exclusive_to']);
  const cancellation = given.cancellation.members(['free_until_hours', 'percent_kept']);
  return {
    id: readId('activity', given.id, registerName) as ActivityId,
    city: city ?? FALLBACK_CITY,
    venue: venueOf(given.venue),
    category: given.category.oneOf(CATEGORIES),
    setting: given.setting.oneOf(SETTINGS),
    difficulty: given.difficulty.oneOf(DIFFICULTIES),
    durationMinutes: given.duration_minutes.integer(10, 1_440),
    travelTypes: given.travel_types.someOf(TRAVEL_TYPES),
    ageGroups: given.age_groups.someOf(AGE_GROUPS),
    bestTimes: given.best_times.someOf(TIMES_OF_DAY),
    openings: readEach(WEEKDAYS, given.opening, readOpening),
    closedDates: given.closed_dates.list().map(readDate),
    seasons: given.seasons.list().map((season) => readSeason(season, city)),
    capacity: readCapacity(given.capacity),
    priceMinor: readPrice(given.price, city),
    currency: cityFacts(city ?? FALLBACK_CITY).currency,
    confirmation: given.confirmation.oneOf(CONFIRMATIONS),
    exclusiveTo: readExclusiveTo(given.exclusive_to, hotels, within),
    cancellation: {
      freeUntilHours: cancellation.free_until_hours.integer(0, 720),
      percentKept: cancellation.percent_kept.integer(0, 100),
    },
    images: given.images.list().map((image) => image.textLike((text) => IMAGE.test(text), 'an https address')),
    texts: readEach(LANGUAGES, given.texts, readText),
    estimatedOn,
  };
}

/** Resolves a venue id among the venues of the same file. */
export function readVenueOf(field: JsonField, venues: ReadonlyMap<string, Venue>): Venue {
  const id = field.text(1, 60);
  const venue = venues.get(id);
  if (venue === undefined) field.fault(`"${id}" is not the id of a venue of this file; correct it, or add the venue`);
  return venue ?? { id: id as VenueId, name: '', address: '', lat: 0, lon: 0 };
}

function readExclusiveTo(field: JsonField, hotels: ReadonlySet<string>, within: string): HotelId | null {
  if (!field.given) return null;
  const id = field.text(1, 60);
  if (!hotels.has(id)) field.fault(`"${id}" is not the id of a hotel of ${within}; correct it, or add the hotel`);
  // Null after a fault, so that the rates of the activity are not reported as well.
  return field.valid ? (id as HotelId) : null;
}

function readOpening(field: JsonField): OpeningHours | null {
  if (field.isNull) return null;
  const given = field.members(['open', 'last_entry', 'close']);
  const [open, lastEntry, close] = [readTime(given.open), readTime(given.last_entry), readTime(given.close)];
  // As in the schedule: a time at or before the opening time belongs to the next day.
  const sortable = (time: string): string => `day ${time > open ? 0 : 1} ${time}`;
  const valid = given.open.valid && given.last_entry.valid && given.close.valid;
  if (valid && sortable(lastEntry) > sortable(close)) {
    given.last_entry.fault(
      `${lastEntry} must be after open ${open} and not after close ${close}; correct the wrong time`,
    );
  }
  return { open, lastEntry, close };
}

function readTime(field: JsonField): string {
  return field.textLike((text) => TIME.test(text), 'a time "HH:MM" from 00:00 to 23:59 (midnight is 00:00)');
}

function readSeason(field: JsonField, city: CityName | null): Season {
  const given = field.members(['from', 'to', 'price', 'capacity'], ['price', 'capacity']);
  if (!given.price.given && !given.capacity.given) field.fault('changes nothing; add a price or a capacity');
  return {
    from: readMonthDay(given.from),
    to: readMonthDay(given.to),
    ...(given.price.given && { priceMinor: readPrice(given.price, city) }),
    ...(given.capacity.given && { capacity: readCapacity(given.capacity) }),
  };
}

/** Validated in a leap year, so that 29 February is valid. */
function readMonthDay(field: JsonField): string {
  const isMonthDay = (text: string): boolean => parseLocalDate(`2024-${text}`) !== null;
  return field.textLike(isMonthDay, 'a day of the year, "MM-DD"');
}

function readCapacity(field: JsonField): number {
  return field.integer(1, 100_000);
}

function readPrice(field: JsonField, city: CityName | null): number {
  if (city === null) return 0;
  const { currency } = cityFacts(city);
  const price = field.number(...PLAUSIBLE_PRICES[currency], `an amount in ${currency}`);
  const minor = toMinor(price, currency);
  if (minor === null) field.fault(`${price} has too many decimals; ${currency} has ${CURRENCY_EXPONENTS[currency]}`);
  return minor ?? 0;
}

function readText(field: JsonField): ActivityText {
  const given = field.members(['title', 'description', 'check_in']);
  return {
    title: given.title.text(1, 80),
    description: given.description.text(20, 600),
    checkIn: given.check_in.text(10, 400),
  };
}
