import type { Activity, OpeningHours, Season, Venue } from '../domain/activity/activity.ts';
import { CITY_NAMES, type CityName } from '../domain/activity/cities.ts';
import { findCity } from '../domain/activity/find-place.ts';
import type { Hotel } from '../domain/activity/hotel.ts';
import { toDecimal } from '../domain/activity/money.ts';
import { localDate } from '../domain/activity/schedule.ts';
import { LANGUAGES, WEEKDAYS } from '../domain/activity/vocabulary.ts';
import { readActivity } from './catalogue-entries.ts';
import { FALLBACK_CITY, type RegisterName, readVenue } from './catalogue-places.ts';
import { JsonField, readDate } from './json-field.ts';
import { pathText } from './json-lines.ts';

/** An invalid field of an entry. `field` is a path such as `opening.mon.close`; the message is shown after it. */
export type EntryFault = { readonly field: string; readonly message: string };

type EntryReading =
  | { readonly kind: 'valid'; readonly activity: Activity }
  | { readonly kind: 'faults'; readonly faults: readonly EntryFault[] };

/** Existing data that an entry is validated against. */
export type EntryContext = {
  readonly id: string;
  /** The existing activity with this id. Its city cannot change; its `estimated_on` is the default. */
  readonly present: Activity | null;
  /** All activities ever listed, to check venue ids. */
  readonly listed: Iterable<{ readonly activity: Activity }>;
  readonly hotels: Iterable<Hotel>;
  readonly nowMs: number;
};

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads one activity, with the rules of the catalogue files. Unlike there, the entry contains its city, `estimated_on` and
 * venue. Reports all faults.
 */
export function readEntry({ city, estimated_on, ...entry }: Members, context: EntryContext): EntryReading {
  const faults: EntryFault[] = [];
  const report = (path: readonly (string | number)[], message: string): void => {
    faults.push({ field: pathText(path), message });
  };
  const { id, present, nowMs } = context;
  // In requests null means missing, in files it is a fault: as here for the day of the estimate, which the service would
  // set to today.
  const nullAsMissing = (value: unknown): unknown => value ?? undefined;
  const shared = { city: nullAsMissing(city), estimated_on };
  const given = new JsonField(shared, [], report).members(['city', 'estimated_on'], ['city', 'estimated_on']);
  const exclusiveTo = nullAsMissing(entry['exclusive_to']);
  const own = new JsonField({ ...entry, id: entry['id'] ?? id, exclusive_to: exclusiveTo }, [], report);
  const supported = readCity(given.city, present);
  const activity = readActivity(own, {
    city: supported,
    estimatedOn: given.estimated_on.given
      ? readDate(given.estimated_on)
      : (present?.estimatedOn ?? localDate(supported ?? FALLBACK_CITY, nowMs)),
    venueOf: (field) => readOwnVenue(field, supported, context),
    hotels: hotelsIn(supported, context.hotels),
    within: supported ?? 'a supported city',
    registerName: (kind, name, field) => {
      if (kind === 'activity' && name !== id) field.fault(`must be "${id}", as in the path, or be left out`);
    },
  });
  return faults.length === 0 ? { kind: 'valid', activity } : { kind: 'faults', faults };
}

/** The inverse of `readEntry`. */
export function writeEntry(activity: Activity) {
  const { venue, cancellation, currency } = activity;
  return {
    id: activity.id,
    city: activity.city,
    estimated_on: activity.estimatedOn,
    venue: writeVenue(venue),
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

function writeVenue({ id, name, address, lat, lon, contact, admitAtOnce }: Venue) {
  const place = { id, name, address, lat, lon };
  return { ...place, ...(contact && { contact }), ...(admitAtOnce && { admit_at_once: true }) };
}

/** The city of an activity cannot change, because its bookings use the city's time zone and currency. */
function readCity(field: JsonField, present: Activity | null): CityName | null {
  if (!field.given) {
    if (present === null) field.fault('is missing; add it');
    return present?.city ?? null;
  }
  const text = field.text(1, 80);
  const city = findCity(text);
  if (city === null) field.fault(`"${text}" is not a supported city; use one of ${CITY_NAMES.join(', ')}`);
  else if (present !== null && present.city !== city)
    field.fault(`cannot change from ${present.city} to ${city}; create an activity with another id`);
  return field.valid ? city : null;
}

function readOwnVenue(field: JsonField, city: CityName | null, { listed, present }: EntryContext): Venue {
  const venue = readVenue(field, city, acceptAnyName);
  for (const { activity } of listed) {
    if (activity.venue.id === venue.id && activity.id !== present?.id && activity.city !== city && city !== null) {
      field.fault(`has the id "${venue.id}" of a venue in ${activity.city}; use another id`);
      break;
    }
  }
  return venue;
}

/** Several entries can have the same venue. */
const acceptAnyName: RegisterName = () => {};

function hotelsIn(city: CityName | null, hotels: Iterable<Hotel>): ReadonlySet<string> {
  return new Set([...hotels].filter((hotel) => hotel.city === city).map((hotel) => hotel.id));
}

function writeOpening(opening: OpeningHours | null) {
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
  // Every name gets a value.
  return Object.fromEntries(names.map((name) => [name, write(name)])) as Record<Name, T>;
}
