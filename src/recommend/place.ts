import { CITY_NAMES, type CityName, cityFacts, findCity } from '../domain/activity/cities.ts';
import { distanceKm, type GeoPosition } from '../domain/activity/distance.ts';
import type { Hotel } from '../domain/activity/hotel.ts';

/** So far from a city's centre a guest counts as there. */
export const CITY_RADIUS_KM = 75;

/** Where recommendations are asked for. */
export type Place = {
  readonly city: CityName;
  /** Where the guest is, as far as it was told: the coordinates, else those of the hotel. */
  readonly position: GeoPosition | null;
  readonly hotel: Hotel | null;
};

/** A location as it was sent; null for what was not. */
export type Location = {
  readonly city: string | null;
  readonly lat: number | null;
  readonly lon: number | null;
  readonly hotelId: string | null;
};

/** What is wrong with which member of a location. */
export type LocationFault = {
  readonly member: 'location' | 'location.city' | 'location.lat' | 'location.lon' | 'location.hotel_id';
  readonly sentence: string;
  /** True where another city would do. */
  readonly offersCities: boolean;
};

export type Located =
  | { readonly kind: 'place'; readonly place: Place }
  | { readonly kind: 'fault'; readonly fault: LocationFault };

/** The supported city that is meant. What is told must agree: a city with coordinates outside it is a mistake. */
export function locate({ city: name, lat, lon, hotelId }: Location, hotels: ReadonlyMap<string, Hotel>): Located {
  if (name === null && lat === null && lon === null && hotelId === null) {
    return fault('location', `location is empty; send city (${NAMES}), or lat and lon, or hotel_id.`, true);
  }
  const named = name === null ? null : findCity(name);
  if (name !== null && named === null) {
    return fault(
      'location.city',
      `location.city ${quoted(name)} is not in the service area; it must be one of ${NAMES}.`,
      true,
    );
  }
  if ((lat === null) !== (lon === null)) {
    const [missing, sent] = lat === null ? (['lat', 'lon'] as const) : (['lon', 'lat'] as const);
    return fault(`location.${missing}`, `location.${missing} is missing; send it with location.${sent}, or neither.`);
  }
  const point = lat === null || lon === null ? null : { lat, lon };
  const nearby = point === null ? [] : citiesAround(point);
  if (point !== null && nearby.length === 0) {
    const where = `location.lat and location.lon (${point.lat}, ${point.lon})`;
    const message = `${where} lie more than ${CITY_RADIUS_KM} km from every supported city; send a place near one of ${NAMES}.`;
    return fault('location.lat', message, true);
  }
  if (named !== null && point !== null && !nearby.includes(named)) {
    const message = `location.lat and location.lon (${point.lat}, ${point.lon}) are near ${nearby[0]}, but location.city is ${named}; send those that agree.`;
    return fault('location.lat', message);
  }
  const hotel = hotelId === null ? null : (hotels.get(hotelId) ?? null);
  if (hotelId !== null && hotel === null) {
    return fault(
      'location.hotel_id',
      `location.hotel_id ${quoted(hotelId)} is not a hotel of this service; leave it out and send city.`,
    );
  }
  if (
    hotel !== null &&
    ((named !== null && named !== hotel.city) || (point !== null && !nearby.includes(hotel.city)))
  ) {
    const other =
      named !== null && named !== hotel.city ? `location.city is ${named}` : `the coordinates are near ${nearby[0]}`;
    const message = `location.hotel_id ${quoted(hotel.id)} is a hotel in ${hotel.city}, but ${other}; send those that agree.`;
    return fault('location.hotel_id', message);
  }
  const city = named ?? hotel?.city ?? nearby[0];
  if (city === undefined) throw new Error('a location that names something has a city');
  return { kind: 'place', place: { city, position: point ?? hotel, hotel } };
}

const NAMES = CITY_NAMES.join(', ');

/** The cities that a point counts as in, nearest first. */
function citiesAround(point: GeoPosition): CityName[] {
  return CITY_NAMES.map((city) => ({ city, km: distanceKm(cityFacts(city), point) }))
    .filter(({ km }) => km <= CITY_RADIUS_KM)
    .sort((left, right) => left.km - right.km)
    .map(({ city }) => city);
}

function fault(member: LocationFault['member'], sentence: string, offersCities = false): Located {
  return { kind: 'fault', fault: { member, sentence, offersCities } };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59)}…` : text);
}
