import type { Venue, VenueId } from '../domain/activity/activity.ts';
import { CITY_RADIUS_KM, type CityName, cityFacts } from '../domain/activity/cities.ts';
import { distanceKm } from '../domain/activity/distance.ts';
import type { Field } from './json-field.ts';

/** Takes a name for a thing of a kind, or reports the field where another has it already. */
export type Claim = (kind: 'city' | 'venue' | 'hotel' | 'activity', name: string, field: Field) => void;

/** Stands in for an unsupported city, which was reported: what is read with it is not used. */
export const ANY_CITY: CityName = 'Bangkok';

/** What venues and hotels have in common, in the order of the file. */
export const PLACE_FIELDS = ['id', 'name', 'address', 'lat', 'lon'] as const;
type PlaceFields = Readonly<Record<(typeof PLACE_FIELDS)[number], Field>>;

const ID = /^(?=.{1,60}$)[a-z0-9]+(-[a-z0-9]+)*$/;

export function readVenue(field: Field, city: CityName | null, claim: Claim): Venue {
  const given = field.members(PLACE_FIELDS);
  return { id: readId('venue', given.id, claim) as VenueId, ...readPlace(given, city) };
}

/** Everything of a place but its id. Where it lies is not judged in an unsupported city (null). */
export function readPlace(given: PlaceFields, city: CityName | null): Omit<Venue, 'id'> {
  const place = {
    name: given.name.text(1, 80),
    address: given.address.text(10, 200),
    lat: given.lat.number(-90, 90),
    lon: given.lon.number(-180, 180),
  };
  if (city !== null && given.lat.sound && given.lon.sound) {
    const km = distanceKm(cityFacts(city), place);
    if (km > CITY_RADIUS_KM) {
      const tooFar = `${Math.ceil(km)} km from the centre of ${city}, more than ${CITY_RADIUS_KM}`;
      given.lat.fault(`with lon lies ${tooFar}; mend the one that is wrong`);
    }
  }
  return place;
}

export function readId(kind: 'venue' | 'hotel' | 'activity', field: Field, claim: Claim): string {
  const id = field.textLike(
    (text) => ID.test(text),
    'small letters and digits, in words with single dashes between, at most 60 characters',
  );
  claim(kind, id, field);
  return id;
}
