import type { Venue, VenueContact, VenueId } from '../domain/activity/activity.ts';
import { CITY_RADIUS_KM, type CityName, cityFacts } from '../domain/activity/cities.ts';
import { distanceKm } from '../domain/activity/distance.ts';
import { LANGUAGES } from '../domain/activity/vocabulary.ts';
import { mailAddressOf } from '../ports/mail-address.ts';
import type { JsonField } from './json-field.ts';

/** Registers the name of an entry, or reports the field if the name is used already. */
export type RegisterName = (kind: 'city' | 'venue' | 'hotel' | 'activity', name: string, field: JsonField) => void;

/** Replaces an unsupported city while the other faults of the entry are collected. The result is not used. */
export const FALLBACK_CITY: CityName = 'Bangkok';

/** The common fields of venues and hotels, in file order. */
export const PLACE_FIELDS = ['id', 'name', 'address', 'lat', 'lon'] as const;
const VENUE_FIELDS = [...PLACE_FIELDS, 'contact', 'admit_at_once'] as const;
type PlaceFields = Readonly<Record<(typeof PLACE_FIELDS)[number], JsonField>>;

const ID = /^(?=.{1,60}$)[a-z0-9]+(-[a-z0-9]+)*$/;

export function readVenue(field: JsonField, city: CityName | null, registerName: RegisterName): Venue {
  const given = field.members(VENUE_FIELDS, ['contact', 'admit_at_once']);
  const venue = { id: readId('venue', given.id, registerName) as VenueId, ...readPlace(given, city) };
  const contact = given.contact.given ? { contact: readContact(given.contact) } : {};
  const atOnce = given.admit_at_once.given && given.admit_at_once.boolean();
  return { ...venue, ...contact, ...(atOnce && { admitAtOnce: true as const }) };
}

/** The language is English unless given. */
function readContact(field: JsonField): VenueContact {
  const given = field.members(['email', 'language'], ['language']);
  const email = given.email.textLike(
    (text) => mailAddressOf(text) === text,
    'a mail address, with its domain in lower case',
  );
  return { email, language: given.language.given ? given.language.oneOf(LANGUAGES) : 'en' };
}

/** All fields of a place but its id. With an unsupported city (null), the coordinates are not checked. */
export function readPlace(given: PlaceFields, city: CityName | null): Omit<Venue, 'id' | 'contact'> {
  const place = {
    name: given.name.text(1, 80),
    address: given.address.text(10, 200),
    lat: given.lat.number(-90, 90),
    lon: given.lon.number(-180, 180),
  };
  if (city !== null && given.lat.valid && given.lon.valid) {
    const km = distanceKm(cityFacts(city), place);
    if (km > CITY_RADIUS_KM) {
      const tooFar = `${Math.ceil(km)} km from the centre of ${city}, more than ${CITY_RADIUS_KM}`;
      given.lat.fault(`with lon is ${tooFar}; correct the wrong value`);
    }
  }
  return place;
}

export function readId(kind: 'venue' | 'hotel' | 'activity', field: JsonField, registerName: RegisterName): string {
  const id = field.textLike(
    (text) => ID.test(text),
    'lower-case letters and digits, in words separated by single dashes, at most 60 characters',
  );
  registerName(kind, id, field);
  return id;
}
