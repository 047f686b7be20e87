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

/** Reports a field whose name another thing of its kind has already. */
export type Claim = (kind: 'city' | 'venue' | 'activity', name: string, field: Field) => void;

/** A file's city. Where it is not a supported one, nothing is said about places and prices. */
export type FileCity = { readonly name: CityName; readonly supported: boolean };

/** What the activities of a file have in common. */
export type Surroundings = {
  readonly city: FileCity;
  readonly estimatedOn: LocalDate;
  readonly venues: ReadonlyMap<string, Venue>;
  readonly claim: Claim;
};

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

export function readVenue(field: Field, city: FileCity, claim: Claim): Venue {
  const given = field.members(['id', 'name', 'address', 'lat', 'lon']);
  const venue = {
    id: readId('venue', given.id, claim) as VenueId,
    name: given.name.text(1, 80),
    address: given.address.text(10, 200),
    lat: given.lat.number(-90, 90),
    lon: given.lon.number(-180, 180),
  };
  if (city.supported && given.lat.sound && given.lon.sound) {
    const km = Math.ceil(distanceKm(cityFacts(city.name), venue));
    if (km > CITY_RADIUS_KM) {
      given.lat.fault(
        `and lon lie ${km} km from the centre of ${city.name}, more than ${CITY_RADIUS_KM}; mend one of them`,
      );
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
    city: city.name,
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
    currency: cityFacts(city.name).currency,
    confirmation: given.confirmation.oneOf(CONFIRMATIONS),
    cancellation: {
      freeUntilHours: cancellation.free_until_hours.whole(0, 720),
      percentKept: cancellation.percent_kept.whole(0, 100),
    },
    images: given.images
      .list()
      .map((image) => image.textLike(/^https:\/\/[^\s/]+\/\S+$/, 'the https address of a picture')),
    texts: readEach(LANGUAGES, given.texts, readText),
    estimatedOn,
  };
}

export function readDate(field: Field): LocalDate {
  const text = field.textLike(/^\d{4}-\d{2}-\d{2}$/, 'a date "YYYY-MM-DD"');
  const date = parseLocalDate(text);
  if (date === null) field.fault(`"${text}" is not a day of the calendar; mend it`);
  return date ?? ('' as LocalDate);
}

function readId(kind: 'venue' | 'activity', field: Field, claim: Claim): string {
  const id = field.textLike(
    /^(?=.{1,60}$)[a-z0-9]+(-[a-z0-9]+)*$/,
    'small letters and digits with single dashes between, at most 60',
  );
  if (field.sound) claim(kind, id, field);
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
  const opening = { open: readTime(given.open), lastEntry: readTime(given.last_entry), close: readTime(given.close) };
  const sound = given.open.sound && given.last_entry.sound && given.close.sound;
  if (sound && minutesFrom(opening.open, opening.lastEntry) > minutesFrom(opening.open, opening.close)) {
    given.last_entry.fault(
      `${opening.lastEntry} is not between open ${opening.open} and close ${opening.close}; mend one`,
    );
  }
  return opening;
}

function readTime(field: Field): string {
  return field.textLike(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time "HH:MM" from 00:00 to 23:59 (midnight is 00:00)');
}

/** From the opening on, to a later time of that day or else to the next day's: as the schedule understands it. */
function minutesFrom(open: string, time: string): number {
  const minutes = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  return (minutes(time) - minutes(open) + 1_440) % 1_440 || 1_440;
}

function readSeason(field: Field, city: FileCity): Season {
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
  const text = field.textLike(/^\d{2}-\d{2}$/, 'a day of the year "MM-DD"');
  if (parseLocalDate(`2024-${text}`) === null) field.fault(`"${text}" is not a day of the year; mend it`);
  return text;
}

function readCapacity(field: Field): number {
  return field.whole(1, 100_000);
}

function readPrice(field: Field, city: FileCity): number {
  if (!city.supported) return 0;
  const { currency } = cityFacts(city.name);
  const price = field.number(...PLAUSIBLE_PRICES[currency]);
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
