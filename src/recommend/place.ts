import type { HotelId } from '../domain/activity/activity.ts';
import { CITY_NAMES, CITY_RADIUS_KM, type CityName, cityFacts } from '../domain/activity/cities.ts';
import { distanceKm, type GeoPosition } from '../domain/activity/distance.ts';
import { findCity } from '../domain/activity/find-place.ts';
import type { Hotel } from '../domain/activity/hotel.ts';
import { unknownPlace } from '../domain/activity/nearest-places.ts';
import type { HotelGrant } from '../domain/recommendation/recommendation.ts';
import { readHotelToken } from './hotel-token.ts';

/** The validated place of a request. */
export type Place = {
  readonly city: CityName;
  /** Where the guest is: the request's coordinates, else the hotel's; null without either. */
  readonly position: GeoPosition | null;
  readonly hotel: Hotel | null;
  /** Null: the hotel gives no rates. */
  readonly hotelGrant: HotelGrant | null;
};

/** A location as received; null for a missing field. */
export type Location = {
  readonly city: string | null;
  readonly lat: number | null;
  readonly lon: number | null;
  readonly hotelId: string | null;
  /** Signed by the guests' hotel (docs/decisions/0076). */
  readonly hotelToken: string | null;
};

/** An invalid field of a location. */
type LocationFault = {
  readonly member: `location${'' | `.${'city' | 'lat' | 'lon' | 'hotel_id' | 'hotel_token'}`}`;
  readonly sentence: string;
  /** The supported cities if they are the alternatives, the nearest first; else empty. */
  readonly cities: readonly CityName[];
};

export type Located =
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'fault'; readonly fault: LocationFault };

/** Resolves a location to a supported city. City, coordinates, hotel and its token must agree. */
export function locate(location: Location, hotels: ReadonlyMap<string, Hotel>, nowMs: number): Located {
  const named = namedCity(location);
  if (named.kind === 'fault') return named;
  const point = pointOf(location, named.city);
  if (point.kind === 'fault') return point;
  const signed = grantIn(location, hotels, nowMs);
  if (signed.kind === 'fault') return signed;
  const { hotelGrant } = signed;
  const staying = hotelOf({ ...location, hotelId: signed.hotelId }, named.city, point.nearby, hotels);
  if (staying.kind === 'fault') return staying;
  const { hotel } = staying;
  const city = named.city ?? hotel?.city ?? point.nearby?.[0];
  if (city === undefined) {
    return fault('location', `location is empty; send city (${NAMES}), or lat and lon, or hotel_id.`, CITY_NAMES);
  }
  return { kind: 'place', place: { city, position: point.position ?? hotel, hotel, hotelGrant } };
}

/** The place for a key, to which the operator allows hotels. That outlasts a token. */
export function grantedTo(hotelIds: readonly HotelId[], place: Place): Place {
  const isAllowed = place.hotel !== null && hotelIds.includes(place.hotel.id);
  return isAllowed ? { ...place, hotelGrant: { by: 'key' } } : place;
}

type Fault = Extract<Located, { kind: 'fault' }>;

function namedCity({ city: name }: Location): { readonly kind: 'named'; readonly city: CityName | null } | Fault {
  const city = name === null ? null : findCity(name);
  if (name === null || city !== null) return { kind: 'named', city };
  const { sentence, cities } = unknownPlace('location.city', name);
  return fault('location.city', sentence, cities);
}

type Point = {
  readonly kind: 'point';
  readonly position: GeoPosition | null;
  /** The cities within `CITY_RADIUS_KM`, nearest first; null without a position. */
  readonly nearby: readonly CityName[] | null;
};

function pointOf({ lat, lon }: Location, named: CityName | null): Point | Fault {
  if (lat === null && lon === null) return { kind: 'point', position: null, nearby: null };
  if (lat === null) return fault('location.lat', 'location.lat is missing; send it with location.lon, or neither.');
  if (lon === null) return fault('location.lon', 'location.lon is missing; send it with location.lat, or neither.');
  const nearby = citiesAround({ lat, lon });
  const coordinates = `location.lat and location.lon (${lat}, ${lon})`;
  if (nearby.length === 0) {
    const sentence = `${coordinates} lie more than ${CITY_RADIUS_KM} km from every supported city; send coordinates near one of ${NAMES}.`;
    return fault('location.lat', sentence, CITY_NAMES);
  }
  if (named !== null && !nearby.includes(named)) {
    const sentence = `${coordinates} are near ${nearby[0]}, but location.city is ${named}; send values that agree.`;
    return fault('location.lat', sentence);
  }
  return { kind: 'point', position: { lat, lon }, nearby };
}

/** The hotel that the location or its token names, and what the token grants. */
function grantIn(
  { hotelId, hotelToken }: Location,
  hotels: ReadonlyMap<string, Hotel>,
  nowMs: number,
): { readonly kind: 'signed'; readonly hotelId: string | null; readonly hotelGrant: HotelGrant | null } | Fault {
  if (hotelToken === null) return { kind: 'signed', hotelId, hotelGrant: null };
  const read = readHotelToken(hotelToken, hotels, nowMs);
  if (read.kind === 'fault') return fault('location.hotel_token', `location.hotel_token ${read.why}`);
  const { hotel, untilMs } = read;
  if (hotelId === null || hotelId === hotel.id)
    return { kind: 'signed', hotelId: hotel.id, hotelGrant: { by: 'token', untilMs } };
  const sentence = `location.hotel_token is of ${hotel.id}, but location.hotel_id is ${quoted(hotelId)}; send values that agree.`;
  return fault('location.hotel_token', sentence);
}

function hotelOf(
  { hotelId }: Location,
  named: CityName | null,
  nearby: readonly CityName[] | null,
  hotels: ReadonlyMap<string, Hotel>,
): { readonly kind: 'staying'; readonly hotel: Hotel | null } | Fault {
  if (hotelId === null) return { kind: 'staying', hotel: null };
  const field = `location.hotel_id ${quoted(hotelId)}`;
  const hotel = hotels.get(hotelId);
  if (hotel === undefined) {
    return fault('location.hotel_id', `${field} is not a known hotel; leave it out and send city.`);
  }
  const isIn = `${field} is a hotel in ${hotel.city}`;
  if (named !== null && named !== hotel.city) {
    return fault('location.hotel_id', `${isIn}, but location.city is ${named}; send values that agree.`);
  }
  if (nearby !== null && !nearby.includes(hotel.city)) {
    return fault('location.hotel_id', `${isIn}, but the coordinates are near ${nearby[0]}; send values that agree.`);
  }
  return { kind: 'staying', hotel };
}

const NAMES = CITY_NAMES.join(', ');

/** A cheap pre-filter before the exact distance: one degree of latitude is 111 km everywhere. */
const NEAR_DEGREES = CITY_RADIUS_KM / 111 + 0.1;

/** The cities within `CITY_RADIUS_KM` of a point, nearest first. */
function citiesAround(point: GeoPosition): CityName[] {
  return CITY_NAMES.filter((city) => Math.abs(cityFacts(city).lat - point.lat) <= NEAR_DEGREES)
    .map((city) => ({ city, km: distanceKm(cityFacts(city), point) }))
    .filter(({ km }) => km <= CITY_RADIUS_KM)
    .sort((left, right) => left.km - right.km)
    .map(({ city }) => city);
}

function fault(member: LocationFault['member'], sentence: string, cities: readonly CityName[] = []): Fault {
  return { kind: 'fault', fault: { member, sentence, cities } };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
