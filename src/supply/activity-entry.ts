import type { Activity, Opening, Season, Venue } from '../domain/activity/activity.ts';
import { CITY_NAMES, type CityName, findCity } from '../domain/activity/cities.ts';
import type { Hotel } from '../domain/activity/hotel.ts';
import { toDecimal } from '../domain/activity/money.ts';
import { localDate } from '../domain/activity/schedule.ts';
import { LANGUAGES, WEEKDAYS } from '../domain/activity/vocabulary.ts';
import { readActivity } from './catalogue-entries.ts';
import { ANY_CITY, type Claim, readVenue } from './catalogue-places.ts';
import { Field, readDate } from './json-field.ts';
import { pathText } from './json-lines.ts';

/** What is wrong with an entry; `field` is a path in it, such as `opening.mon.close`, and the message follows its name. */
export type EntryFault = { readonly field: string; readonly message: string };

export type EntryReading =
  | { readonly kind: 'sound'; readonly activity: Activity }
  | { readonly kind: 'faults'; readonly faults: readonly EntryFault[] };

/** What an entry is read among. */
export type EntrySurroundings = {
  readonly id: string;
  /** What there is of this id: its city stays, and so does the day of its estimates where none is given. */
  readonly present: Activity | null;
  /** Everything that was ever listed: whose venues are where. */
  readonly listed: Iterable<{ readonly activity: Activity }>;
  readonly hotels: Iterable<Hotel>;
  readonly nowMs: number;
};

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads an activity as the catalogue's files have it, by the same rules, but whole by itself: with its city and the day of
 * its estimates, which a file says once for all, and with its venue in it. Every fault is told.
 */
export function readEntry({ city, estimated_on, ...entry }: Members, surroundings: EntrySurroundings): EntryReading {
  const faults: EntryFault[] = [];
  const report = (path: readonly (string | number)[], message: string): void => {
    faults.push({ field: pathText(path), message });
  };
  const { id, present, nowMs } = surroundings;
  // As everywhere in requests, null says no more than nothing; in a file it is taken for a slip.
  const unlessNull = (value: unknown): unknown => value ?? undefined;
  const shared = { city: unlessNull(city), estimated_on: unlessNull(estimated_on) };
  const given = new Field(shared, [], report).members(['city', 'estimated_on'], ['city', 'estimated_on']);
  const exclusiveTo = unlessNull(entry['exclusive_to']);
  const own = new Field({ ...entry, id: entry['id'] ?? id, exclusive_to: exclusiveTo }, [], report);
  const supported = readCity(given.city, present);
  const activity = readActivity(own, {
    city: supported,
    estimatedOn: given.estimated_on.given
      ? readDate(given.estimated_on)
      : (present?.estimatedOn ?? localDate(supported ?? ANY_CITY, nowMs)),
    venueOf: (field) => readOwnVenue(field, supported, surroundings),
    hotels: hotelsIn(supported, surroundings.hotels),
    within: supported ?? 'a supported city',
    claim: (kind, name, field) => {
      if (kind === 'activity' && name !== id) field.fault(`must be "${id}", as in the path, or be left out`);
    },
  });
  return faults.length === 0 ? { kind: 'sound', activity } : { kind: 'faults', faults };
}

/** An activity as `readEntry` reads it. */
export function writeEntry(activity: Activity) {
  const { venue, cancellation, currency } = activity;
  return {
    id: activity.id,
    city: activity.city,
    estimated_on: activity.estimatedOn,
    venue: { id: venue.id, name: venue.name, address: venue.address, lat: venue.lat, lon: venue.lon },
    category: activity.category,
    setting: activity.setting,
    difficulty: activity.difficulty,
    duration_minutes: activity.durationMinutes,
    travel_types: activity.travelTypes,
    age_groups: activity.ageGroups,
    best_times: activity.bestTimes,
    opening: each(WEEKDAYS, (weekday) => writeOpening(activity.openings[weekday])),
    closed_dates: activity.closedDates,
    seasons: activity.seasons.map((season) => writeSeason(season, activity)),
    capacity: activity.capacity,
    price: toDecimal(activity.priceMinor, currency),
    currency,
    confirmation: activity.confirmation,
    exclusive_to: activity.exclusiveTo,
    cancellation: { free_until_hours: cancellation.freeUntilHours, percent_kept: cancellation.percentKept },
    images: activity.images,
    texts: each(LANGUAGES, (language) => {
      const { title, description, checkIn } = activity.texts[language];
      return { title, description, check_in: checkIn };
    }),
  };
}

/** Bookings and dates of an activity are in its city, in that city's time and currency. */
function readCity(field: Field, present: Activity | null): CityName | null {
  if (!field.given) {
    if (present === null) field.fault('is missing; add it');
    return present?.city ?? null;
  }
  const text = field.text(1, 80);
  const city = findCity(text);
  if (city === null) field.fault(`"${text}" is not a supported city; those are ${CITY_NAMES.join(', ')}`);
  else if (present !== null && present.city !== city)
    field.fault(`cannot change from ${present.city} to ${city}; list it there under another id`);
  return field.sound ? city : null;
}

function readOwnVenue(field: Field, city: CityName | null, { listed, present }: EntrySurroundings): Venue {
  const venue = readVenue(field, city, anyName);
  for (const { activity } of listed) {
    if (activity.venue.id === venue.id && activity.id !== present?.id && activity.city !== city && city !== null) {
      field.fault(`has the id "${venue.id}" of one in ${activity.city}; give it another id`);
      break;
    }
  }
  return venue;
}

/** What is listed by itself shares its venue with others. */
const anyName: Claim = () => {};

function hotelsIn(city: CityName | null, hotels: Iterable<Hotel>): ReadonlySet<string> {
  return new Set([...hotels].filter((hotel) => hotel.city === city).map((hotel) => hotel.id));
}

function writeOpening(opening: Opening | null) {
  return opening === null ? null : { open: opening.open, last_entry: opening.lastEntry, close: opening.close };
}

function writeSeason({ from, to, priceMinor, capacity }: Season, { currency }: Activity) {
  return {
    from,
    to,
    ...(priceMinor !== undefined && { price: toDecimal(priceMinor, currency) }),
    ...(capacity !== undefined && { capacity }),
  };
}

function each<Name extends string, T>(names: readonly Name[], write: (name: Name) => T): Record<Name, T> {
  // Every name is given its value here.
  return Object.fromEntries(names.map((name) => [name, write(name)])) as Record<Name, T>;
}
