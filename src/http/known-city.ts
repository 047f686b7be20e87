import { CITY_NAMES, findCity } from '../domain/activity/cities.ts';
import type { Fault } from './form.ts';

/** What is wrong with the name of a city, with all that could be sent instead; null where it is one of ours. */
export function faultOfCity(name: string): Fault | null {
  if (findCity(name) !== null) return null;
  const sentence = `city "${name}" is not in the service area; it must be one of ${CITY_NAMES.join(', ')}.`;
  return { code: 'INVALID_CITY', sentence, alternatives: CITY_NAMES.map((city) => ({ city })) };
}
