import type {
  Activity,
  ActivityId,
  ActivityText,
  HotelId,
  LocalDate,
  Opening,
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
import { ANY_CITY, type Claim, readId } from './catalogue-places.ts';
import { type Field, readDate, readEach } from './json-field.ts';

/** What is known around an activity. Of places and prices in an unsupported city (null) nothing is said. */
export type Surroundings = {
  readonly city: CityName | null;
  readonly estimatedOn: LocalDate;
  readonly venueOf: (field: Field) => Venue;
  /** The ids of the hotels that it may be exclusive to. */
  readonly hotels: ReadonlySet<string>;
  /** Where these hotels are, for people. */
  readonly within: string;
  readonly claim: Claim;
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

/** Prices per person, in whole units. What lies outside is taken for a slip of the keyboard. */
const PLAUSIBLE_PRICES: Readonly<Record<Currency, readonly [least: number, most: number]>> = {
  THB: [50, 20_000],
  VND: [30_000, 15_000_000],
  IDR: [20_000, 10_000_000],
  MYR: [5, 2_500],
  SGD: [2, 800],
  USD: [2, 600],
};

export function readActivity(field: Field, surroundings: Surroundings): Activity {
  const { city, estimatedOn, venueOf, hotels, within, claim } = surroundings;
  const given = field.members(ACTIVITY_FIELDS, ['exclusive_to']);
  const cancellation = given.cancellation.members(['free_until_hours', 'percent_kept']);
  return {
    id: readId('activity', given.id, claim) as ActivityId,
    city: city ?? ANY_CITY,
    venue: venueOf(given.venue),
    category: given.category.oneOf(CATEGORIES),
    setting: given.setting.oneOf(SETTINGS),
    difficulty: given.difficulty.oneOf(DIFFICULTIES),
    durationMinutes: given.duration_minutes.whole(10, 1_440),
    travelTypes: given.travel_types.someOf(TRAVEL_TYPES),
    ageGroups: given.age_groups.someOf(AGE_GROUPS),
    bestTimes: given.best_times.someOf(TIMES_OF_DAY),
    openings: readEach(WEEKDAYS, given.opening, readOpening),
    closedDates: given.closed_dates.list().map(readDate),
    seasons: given.seasons.list().map((season) => readSeason(season, city)),
    capacity: readCapacity(given.capacity),
    priceMinor: readPrice(given.price, city),
    currency: cityFacts(city ?? ANY_CITY).currency,
    confirmation: given.confirmation.oneOf(CONFIRMATIONS),
    exclusiveTo: readExclusiveTo(given.exclusive_to, hotels, within),
    cancellation: {
      freeUntilHours: cancellation.free_until_hours.whole(0, 720),
      percentKept: cancellation.percent_kept.whole(0, 100),
    },
    images: given.images.list().map((image) => image.textLike((text) => IMAGE.test(text), 'an https address')),
    texts: readEach(LANGUAGES, given.texts, readText),
    estimatedOn,
  };
}

/** A venue by its id, among those of a file. */
export function readVenueOf(field: Field, venues: ReadonlyMap<string, Venue>): Venue {
  const id = field.text(1, 60);
  const venue = venues.get(id);
  if (venue === undefined) field.fault(`"${id}" is not the id of a venue of this file; mend it, or add the venue`);
  return venue ?? { id: id as VenueId, name: '', address: '', lat: 0, lon: 0 };
}

function readExclusiveTo(field: Field, hotels: ReadonlySet<string>, within: string): HotelId | null {
  if (!field.given) return null;
  const id = field.text(1, 60);
  if (!hotels.has(id)) field.fault(`"${id}" is not the id of a hotel of ${within}; mend it, or add the hotel`);
  // Where it was reported, everybody's: so that the rates of the activity are not reported for it too.
  return field.sound ? (id as HotelId) : null;
}

function readOpening(field: Field): Opening | null {
  if (field.isNull) return null;
  const given = field.members(['open', 'last_entry', 'close']);
  const [open, lastEntry, close] = [readTime(given.open), readTime(given.last_entry), readTime(given.close)];
  // As the schedule reads them: a time at or before the opening is the next day's.
  const moment = (time: string): string => `day ${time > open ? 0 : 1} ${time}`;
  const sound = given.open.sound && given.last_entry.sound && given.close.sound;
  if (sound && moment(lastEntry) > moment(close)) {
    given.last_entry.fault(`${lastEntry} is not after open ${open} and by close ${close}; mend the one that is wrong`);
  }
  return { open, lastEntry, close };
}

function readTime(field: Field): string {
  return field.textLike((text) => TIME.test(text), 'a time "HH:MM" from 00:00 to 23:59 (midnight is 00:00)');
}

function readSeason(field: Field, city: CityName | null): Season {
  const given = field.members(['from', 'to', 'price', 'capacity'], ['price', 'capacity']);
  if (!given.price.given && !given.capacity.given) field.fault('changes nothing; give it a price or a capacity');
  return {
    from: readMonthDay(given.from),
    to: readMonthDay(given.to),
    ...(given.price.given && { priceMinor: readPrice(given.price, city) }),
    ...(given.capacity.given && { capacity: readCapacity(given.capacity) }),
  };
}

/** Judged in a leap year, so that a season may begin or end on 29 February. */
function readMonthDay(field: Field): string {
  const isMonthDay = (text: string): boolean => parseLocalDate(`2024-${text}`) !== null;
  return field.textLike(isMonthDay, 'a day of the year, "MM-DD"');
}

function readCapacity(field: Field): number {
  return field.whole(1, 100_000);
}

function readPrice(field: Field, city: CityName | null): number {
  if (city === null) return 0;
  const { currency } = cityFacts(city);
  const price = field.number(...PLAUSIBLE_PRICES[currency], `an amount in ${currency}`);
  const minor = toMinor(price, currency);
  if (minor === null) field.fault(`${price} has too many decimals; ${currency} has ${CURRENCY_EXPONENTS[currency]}`);
  return minor ?? 0;
}

function readText(field: Field): ActivityText {
  const given = field.members(['title', 'description', 'check_in']);
  return {
    title: given.title.text(1, 80),
    description: given.description.text(20, 600),
    checkIn: given.check_in.text(10, 400),
  };
}
