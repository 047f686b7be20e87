import type {
  Activity,
  ActivityId,
  ActivityText,
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
import type { Field } from './json-field.ts';

/** Takes a name for a thing of a kind, or reports the field where another has it already. */
export type Claim = (kind: 'city' | 'venue' | 'activity', name: string, field: Field) => void;

/** What the activities of a file have in common. Of places and prices in an unsupported city (null) nothing is said. */
export type Surroundings = {
  readonly city: CityName | null;
  readonly estimatedOn: LocalDate;
  readonly venues: ReadonlyMap<string, Venue>;
  readonly claim: Claim;
};

/** Stands in for an unsupported city, which was reported: what is read with it is not used. */
const ANY_CITY: CityName = 'Bangkok';

const ID = /^(?=.{1,60}$)[a-z0-9]+(-[a-z0-9]+)*$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;
const IMAGE = /^https:\/\/[^\s/]+\/\S+$/;

/** Guests are looked for this far around a city's centre, so that is where its venues must be. */
const CITY_RADIUS_KM = 75;

/** Prices per person, in whole units. What lies outside is taken for a slip of the keyboard. */
const PLAUSIBLE_PRICES: Readonly<Record<Currency, readonly [least: number, most: number]>> = {
  THB: [50, 20_000],
  VND: [30_000, 15_000_000],
  IDR: [20_000, 10_000_000],
  MYR: [5, 2_500],
  SGD: [2, 800],
  USD: [2, 600],
};

export function readVenue(field: Field, city: CityName | null, claim: Claim): Venue {
  const given = field.members(['id', 'name', 'address', 'lat', 'lon']);
  const venue = {
    id: readId('venue', given.id, claim) as VenueId,
    name: given.name.text(1, 80),
    address: given.address.text(10, 200),
    lat: given.lat.number(-90, 90),
    lon: given.lon.number(-180, 180),
  };
  if (city !== null && given.lat.sound && given.lon.sound) {
    const km = distanceKm(cityFacts(city), venue);
    if (km > CITY_RADIUS_KM) {
      const tooFar = `${Math.ceil(km)} km from the centre of ${city}, more than ${CITY_RADIUS_KM}`;
      given.lat.fault(`with lon lies ${tooFar}; mend the one that is wrong`);
    }
  }
  return venue;
}

export function readActivity(field: Field, { city, estimatedOn, venues, claim }: Surroundings): Activity {
  const given = field.members([
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
    'cancellation',
    'images',
    'texts',
  ]);
  const cancellation = given.cancellation.members(['free_until_hours', 'percent_kept']);
  return {
    id: readId('activity', given.id, claim) as ActivityId,
    city: city ?? ANY_CITY,
    venue: readVenueOf(given.venue, venues),
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
    cancellation: {
      freeUntilHours: cancellation.free_until_hours.whole(0, 720),
      percentKept: cancellation.percent_kept.whole(0, 100),
    },
    images: given.images.list().map((image) => image.textLike((text) => IMAGE.test(text), 'an https address')),
    texts: readEach(LANGUAGES, given.texts, readText),
    estimatedOn,
  };
}

export function readDate(field: Field): LocalDate {
  const isDate = (text: string): boolean => parseLocalDate(text) !== null;
  return field.textLike(isDate, 'a day of the calendar, "YYYY-MM-DD"') as LocalDate;
}

function readId(kind: 'venue' | 'activity', field: Field, claim: Claim): string {
  const id = field.textLike(
    (text) => ID.test(text),
    'small letters and digits, in words with single dashes between, at most 60 characters',
  );
  claim(kind, id, field);
  return id;
}

function readVenueOf(field: Field, venues: ReadonlyMap<string, Venue>): Venue {
  const id = field.text(1, 60);
  const venue = venues.get(id);
  if (venue === undefined) field.fault(`"${id}" is not the id of a venue of this file; mend it, or add the venue`);
  return venue ?? { id: id as VenueId, name: '', address: '', lat: 0, lon: 0 };
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

function readEach<Name extends string, T>(
  names: readonly Name[],
  field: Field,
  read: (field: Field) => T,
): Record<Name, T> {
  const given = field.members(names);
  return Object.fromEntries(names.map((name) => [name, read(given[name])])) as Record<Name, T>;
}

type Point = { readonly lat: number; readonly lon: number };

/** Along the great circle: the haversine formula, on a sphere of 6371 km. */
function distanceKm(a: Point, b: Point): number {
  const radians = (degrees: number): number => (degrees * Math.PI) / 180;
  const haversine = (degrees: number): number => Math.sin(radians(degrees) / 2) ** 2;
  const along = Math.cos(radians(a.lat)) * Math.cos(radians(b.lat)) * haversine(b.lon - a.lon);
  return 2 * 6_371 * Math.asin(Math.sqrt(haversine(b.lat - a.lat) + along));
}
