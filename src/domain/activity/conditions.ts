import type { Forecast, Unavailable } from '../../ports/weather.ts';
import type { LocalDate } from './activity.ts';
import type { CityName } from './cities.ts';
import { CLIMATE, inMonth, WET_HOURS } from './climate.ts';
import { localDate, midnightMs } from './schedule.ts';
import type { TimeOfDay } from './vocabulary.ts';

/** The weather at a place and time, as far as a recommendation cares, and how it is known. */
export type Conditions = {
  readonly temperatureC: number;
  /** 0 to 1: of more than 0.1 mm within the hour. */
  readonly precipitationProbability: number;
  readonly windKmh: number;
  readonly source: 'open-meteo' | 'climate-normals';
};

const HOUR_MS = 3_600_000;
/** A forecast hour speaks for the instants nearest to it: from half an hour before (in it) to half an hour after (not). */
const NEAREST_MS = HOUR_MS / 2;

/** The coolest and the hottest hour of an ordinary day. */
const COOLEST_HOUR = 6;
const HOTTEST_HOUR = 14;

const DAYS_A_MONTH = 365.25 / 12;

/** What to expect in a city at an instant (ms since the epoch): the forecast where it reaches, else what is usual. */
export function conditionsAt(weather: Forecast | Unavailable, city: CityName, atMs: number): Conditions {
  const forecast = weather.kind === 'forecast' ? forecastConditions(weather, atMs) : null;
  if (forecast !== null) return forecast;
  const date = localDate(city, atMs);
  return normalConditions(city, date, Math.floor((atMs - midnightMs(city, date)) / HOUR_MS));
}

/** Of the hour nearest to an instant (ms since the epoch); null where the forecast has none near enough. */
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

/** What is usual in a city in the month of a date, at an hour of its clock (0 to 23). */
export function normalConditions(city: CityName, date: LocalDate, hour: number): Conditions {
  const place = `${city} ${date.slice(5, 7)} ${hour}`;
  const known = normals.get(place) ?? normalsOf(city, date, hour);
  normals.set(place, known);
  return known;
}

/** Worked out once for each city, month and hour of the day: every request without a forecast asks for some. */
const normals = new Map<string, Conditions>();

function normalsOf(city: CityName, date: LocalDate, hour: number): Conditions {
  const { highC, lowC, rainDays, rain, windKmh } = CLIMATE[city];
  const [high, low] = [inMonth(highC, date), inMonth(lowC, date)];
  const wetDay = inMonth(rainDays, date) / DAYS_A_MONTH;
  return {
    temperatureC: rounded(low + (high - low) * warmth(hour), 1),
    precipitationProbability: rounded(wetDay * WET_HOURS[inMonth(rain, date)][timeOfDay(hour)], 2),
    windKmh: inMonth(windKmh, date),
    source: 'climate-normals',
  };
}

/** The part of the day that an hour (0 to 23) belongs to. */
export function timeOfDay(hour: number): TimeOfDay {
  if (hour < 6 || hour >= 22) return 'night';
  if (hour < 12) return 'morning';
  return hour < 18 ? 'afternoon' : 'evening';
}

/** From 0 at the coolest hour to 1 at the hottest and back, on two half waves: it warms faster than it cools. */
function warmth(hour: number): number {
  if (hour >= COOLEST_HOUR && hour <= HOTTEST_HOUR) {
    return (1 - Math.cos((Math.PI * (hour - COOLEST_HOUR)) / (HOTTEST_HOUR - COOLEST_HOUR))) / 2;
  }
  const hoursPast = (hour - HOTTEST_HOUR + 24) % 24;
  return (1 + Math.cos((Math.PI * hoursPast) / (24 - HOTTEST_HOUR + COOLEST_HOUR))) / 2;
}

/** Estimates are not more exact than this, and a context log is shorter for it. */
function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
