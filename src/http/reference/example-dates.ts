import type { LocalDate } from '../../domain/activity/activity.ts';
import { addDays } from '../../domain/activity/schedule.ts';
import type { DescribedRoute } from './described-routes.ts';
import type { Json } from './json-schema.ts';

/** The date in the schemas' examples. `withDatesAhead` replaces it, because the service refuses past dates. */
const WRITTEN = '2026-11-21';
/** Request members whose date must not be in the past. */
const AHEAD: readonly string[] = ['booking_date', 'date'];
const DAYS_AHEAD = 14;

/** The routes with their example dates moved to two weeks after `today`. */
export function withDatesAhead(routes: readonly DescribedRoute[], today: LocalDate): readonly DescribedRoute[] {
  const day = addDays(today, DAYS_AHEAD);
  return routes.map((route) => {
    const { example } = route;
    return example === undefined ? route : { ...route, example: dated(example, day) };
  });
}

function dated(example: object, day: LocalDate): Json {
  const members = Object.entries(example).map(([name, value]: [string, unknown]) => {
    if (value === WRITTEN && AHEAD.includes(name)) return [name, day];
    const nested = typeof value === 'object' && value !== null && !Array.isArray(value);
    return [name, nested ? dated(value, day) : value];
  });
  return Object.fromEntries(members) as Json;
}
