import { CITY_NAMES, findCity } from '../domain/activity/cities.ts';
import type { Fault } from './schema.ts';

/** The fault of an unknown city, with all known ones as alternatives; null if the city is known. */
export function faultOfCity(name: string): Fault | null {
  if (findCity(name) !== null) return null;
  const sentence = `city "${name}" is not in the service area; it must be one of ${CITY_NAMES.join(', ')}.`;
  return { code: 'INVALID_CITY', sentence, alternatives: CITY_NAMES.map((city) => ({ city })) };
}
