import type { Conditions } from '../domain/activity/conditions.ts';
import { HOUR_MS, MINUTE_MS } from '../eventsourcing/durations.ts';
import { pleasantness } from './factors/weather.ts';

/** More hours than any visit has; makes a number from a start hour and a duration. */
const MAX_VISIT_HOURS = 10_000;

/** Outdoor weather during a visit; `startMs` in ms since the epoch. */
export type WeatherOfVisits = (startMs: number, durationMinutes: number) => VisitWeather;

export type VisitWeather = {
  /** In [0,1]. */
  readonly pleasantness: number;
  /** The worst of the visit's hours. */
  readonly worst: Pick<Conditions, 'temperatureC' | 'precipitationProbability'>;
};

/** Memoized by start hour and duration, and the conditions by hour, because many visits share both. */
export function weatherOfVisits(conditions: (hourMs: number) => Conditions): WeatherOfVisits {
  const known = new Map<number, VisitWeather>();
  const knownHours = new Map<number, Conditions>();
  const conditionsIn = (hour: number): Conditions => {
    const found = knownHours.get(hour) ?? conditions(hour * HOUR_MS);
    knownHours.set(hour, found);
    return found;
  };
  return (startMs, durationMinutes) => {
    // One sample per hour, from the start (inclusive) to the end (exclusive), each rounded to the nearest full hour.
    const firstHour = Math.floor(startMs / HOUR_MS + 0.5);
    const count = Math.max(1, Math.ceil((durationMinutes * MINUTE_MS) / HOUR_MS));
    const run = firstHour * MAX_VISIT_HOURS + count;
    const before = known.get(run);
    if (before !== undefined) return before;
    const hours = Array.from({ length: count }, (_, hour) => conditionsIn(firstHour + hour));
    const weather = { pleasantness: pleasantness(hours), worst: worstOf(hours) };
    known.set(run, weather);
    return weather;
  };
}

function worstOf(hours: readonly Conditions[]): VisitWeather['worst'] {
  const worst = { temperatureC: Number.NEGATIVE_INFINITY, precipitationProbability: 0 };
  for (const { temperatureC, precipitationProbability } of hours) {
    worst.temperatureC = Math.max(worst.temperatureC, temperatureC);
    worst.precipitationProbability = Math.max(worst.precipitationProbability, precipitationProbability);
  }
  return worst;
}
