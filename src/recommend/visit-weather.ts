import type { Conditions } from '../domain/activity/conditions.ts';
import type { Setting } from '../domain/activity/vocabulary.ts';
import { perMille } from '../domain/recommendation/score.ts';
import { HOUR_MS, MINUTE_MS } from '../eventsourcing/durations.ts';
import { pleasantness, weatherFactor } from './factors/weather.ts';

/** More hours than any visit has; makes a number from a start hour and a duration. */
const MAX_VISIT_HOURS = 10_000;

/** Visits in memory; beyond it the memory begins anew. */
const MAX_KNOWN = 4_000;

export type VisitWeather = {
  /** In thousandths: how well the weather fits a visit, by its setting. */
  readonly factors: Readonly<Record<Setting, number>>;
  /** The worst of the visit's hours. */
  readonly worst: Pick<Conditions, 'temperatureC' | 'precipitationProbability'>;
};

/** Outdoor weather during a visit; `startMs` in ms since the epoch. */
export type WeatherOfVisits = (startMs: number, durationMinutes: number) => VisitWeather;

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
    if (known.size >= MAX_KNOWN) {
      known.clear();
      knownHours.clear();
    }
    const hours = Array.from({ length: count }, (_, hour) => conditionsIn(firstHour + hour));
    const weather = { factors: factorsOf(pleasantness(hours)), worst: worstOf(hours) };
    known.set(run, weather);
    return weather;
  };
}

function factorsOf(outside: number): VisitWeather['factors'] {
  const factorOf = (setting: Setting): number => perMille(weatherFactor(setting, outside));
  return { indoor: factorOf('indoor'), outdoor: factorOf('outdoor'), mixed: factorOf('mixed') };
}

function worstOf(hours: readonly Conditions[]): VisitWeather['worst'] {
  const worst = { temperatureC: Number.NEGATIVE_INFINITY, precipitationProbability: 0 };
  for (const { temperatureC, precipitationProbability } of hours) {
    worst.temperatureC = Math.max(worst.temperatureC, temperatureC);
    worst.precipitationProbability = Math.max(worst.precipitationProbability, precipitationProbability);
  }
  return worst;
}
