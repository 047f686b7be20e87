import { type Located, type Location, locate } from '../../recommend/place.ts';
import type { HttpContext } from '../context.ts';
import type { Rule } from '../schema.ts';

/** Characters of a hotel's token. */
export const MAX_TOKEN = 2_000;

/** Finds the place that a request names. Returns null if a member of its location is invalid. */
export type Locator = (body: { readonly location?: unknown }) => Located | null;

/** Caches the place of the last body, because the rules of all members and the handler need it. */
export function locatorOf({ hotels, clock }: Pick<HttpContext, 'hotels' | 'clock'>): Locator {
  let last: { readonly body: object; readonly located: Located | null } | null = null;
  return (body) => {
    if (last?.body === body) return last.located;
    const location = parseLocation(body.location);
    last = { body, located: location === null ? null : locate(location, hotels(), clock.nowMs()) };
    return last.located;
  };
}

/** The rules of each location member. They check members that are valid by themselves against each other. */
export function locationRules(locatedBy: Locator): Readonly<Record<string, Rule>> {
  const members = [
    'location',
    'location.city',
    'location.lat',
    'location.lon',
    'location.hotel_id',
    'location.hotel_token',
  ];
  const ruleOf = (member: string): Rule => {
    return (body) => {
      const located = locatedBy(body);
      if (located?.kind !== 'fault' || located.fault.member !== member) return null;
      const { sentence, cities } = located.fault;
      const alternatives = cities.map((city) => ({ city }));
      return { code: 'INVALID_LOCATION', sentence, ...(cities.length > 0 && { alternatives }) };
    };
  };
  return Object.fromEntries(members.map((member) => [member, ruleOf(member)]));
}

function parseLocation(sent: unknown): Location | null {
  if (typeof sent !== 'object' || sent === null) return null;
  const none = { city: null, lat: null, lon: null, hotel_id: null, hotel_token: null };
  const { city, lat, lon, hotel_id: hotelId, hotel_token: hotelToken } = { ...none, ...sent };
  const hotel = { hotelId: hotelId ?? null, hotelToken: hotelToken ?? null };
  const location = { city: city ?? null, lat: lat ?? null, lon: lon ?? null, ...hotel };
  return isLocation(location) ? location : null;
}

function isLocation(location: Readonly<Record<keyof Location, unknown>>): location is Location {
  const { city, lat, lon, hotelId, hotelToken } = location;
  const isNamed = isTextOrNull(city) && isTextOrNull(hotelId) && isTextOrNull(hotelToken, MAX_TOKEN);
  return isNamed && isDegreesOrNull(lat, 90) && isDegreesOrNull(lon, 180);
}

function isTextOrNull(value: unknown, most = 80): boolean {
  return value === null || (typeof value === 'string' && value.length >= 1 && value.length <= most);
}

function isDegreesOrNull(value: unknown, most: number): boolean {
  return value === null || (typeof value === 'number' && Math.abs(value) <= most);
}
