import { HOUR_MS } from '../../eventsourcing/durations.ts';
import type { Forecast, WeatherUnavailable } from '../../ports/weather.ts';
import type { LocalDate } from './activity.ts';
import type { CityName } from './cities.ts';
import { CLIMATE, inMonth, WET_HOURS } from './climate.ts';
import { localDate, midnightMs } from './schedule.ts';
import type { TimeOfDay } from './vocabulary.ts';

/** The weather at a place and time that a recommendation uses, and its source. */
export type Conditions = {
  readonly temperatureC: number;
  /** Probability of more than 0.1 mm within the hour, 0 to 1. */
  readonly precipitationProbability: number;
  readonly windKmh: number;
  readonly source: 'open-meteo' | 'climate-normals';
};

/** A forecast hour applies from half an hour before it (inclusive) to half an hour after it (exclusive). */
const NEAREST_MS = HOUR_MS / 2;

/** The coolest and the hottest hour of a typical day. */
const COOLEST_HOUR = 6;
const HOTTEST_HOUR = 14;

const DAYS_A_MONTH = 365.25 / 12;

/**
 * Conditions in a city at an instant (ms since the epoch): the forecast if it covers the instant, else climate normals.
 */
export function conditionsAt(weather: Forecast | WeatherUnavailable, city: CityName, atMs: number): Conditions {
  const forecast = weather.kind === 'forecast' ? forecastConditions(weather, atMs) : null;
  if (forecast !== null) return forecast;
  const date = localDate(city, atMs);
  return normalConditions(city, date, Math.floor((atMs - midnightMs(city, date)) / HOUR_MS));
}

/** Forecast for an instant (ms since the epoch); null if the forecast does not cover it. */
export function forecastConditions(forecast: Forecast, atMs: number): Conditions | null {
  const nearest = forecast.hours.find((hour) => atMs < hour.atMs + NEAREST_MS);
  if (nearest === undefined || atMs < nearest.atMs - NEAREST_MS) return null;
  return {
    temperatureC: nearest.temperatureC,
    precipitationProbability: nearest.precipitationPercent / 100,
    windKmh: nearest.windKmh,
    source: forecast.source,
  };
}

/** Climate normals of a city for the month of a date and a local hour (0 to 23). */
export function normalConditions(city: CityName, date: LocalDate, hour: number): Conditions {
  const key = `${city} ${date.slice(5, 7)} ${hour}`;
  const conditions = normals.get(key) ?? normalsOf(city, date, hour);
  normals.set(key, conditions);
  return conditions;
}

/** Cache per city, month and hour: every request without a forecast needs several. */
const normals = new Map<string, Conditions>();

function normalsOf(city: CityName, date: LocalDate, hour: number): Conditions {
  const { highC, lowC, rainDays, rain, windKmh } = CLIMATE[city];
  const [high, low] = [inMonth(highC, date), inMonth(lowC, date)];
  const wetDay = inMonth(rainDays, date) / DAYS_A_MONTH;
  return {
    temperatureC: round(low + (high - low) * warmth(hour), 1),
    precipitationProbability: round(wetDay * WET_HOURS[inMonth(rain, date)][timeOfDay(hour)], 2),
    windKmh: inMonth(windKmh, date),
    source: 'climate-normals',
  };
}

export function timeOfDay(hour: number): TimeOfDay {
  if (hour < 6 || hour >= 22) return 'night';
  if (hour < 12) return 'morning';
  return hour < 18 ? 'afternoon' : 'evening';
}

/** 0 at the coolest hour, 1 at the hottest, along two half cosines: it warms faster than it cools. */
function warmth(hour: number): number {
  if (hour >= COOLEST_HOUR && hour <= HOTTEST_HOUR) {
    return (1 - Math.cos((Math.PI * (hour - COOLEST_HOUR)) / (HOTTEST_HOUR - COOLEST_HOUR))) / 2;
  }
  const hoursPast = (hour - HOTTEST_HOUR + 24) % 24;
  return (1 + Math.cos((Math.PI * hoursPast) / (24 - HOTTEST_HOUR + COOLEST_HOUR))) / 2;
}

/** The estimates are not more precise, and shorter numbers keep the context log small. */
function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
