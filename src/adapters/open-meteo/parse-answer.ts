import type { Forecast, ForecastHour } from '../../ports/weather.ts';

/** The requested hourly variables: member of `hourly`, required unit, plausible range. */
const VARIABLES = {
  temperature_2m: { unit: '°C', least: -90, most: 60 },
  precipitation_probability: { unit: '%', least: 0, most: 100 },
  precipitation: { unit: 'mm', least: 0, most: 500 },
  wind_speed_10m: { unit: 'km/h', least: 0, most: 500 },
  weather_code: { unit: 'wmo code', least: 0, most: 99 },
} as const;

type Variable = keyof typeof VARIABLES;

/** In the order of the request. */
export const HOURLY_VARIABLES = Object.keys(VARIABLES);

/** `what` names the first deviation from the documented format. */
type Malformed = { readonly kind: 'malformed'; readonly what: string };

/**
 * Parses the documented answer of `/v1/forecast`: parallel arrays with one element per hour, null if the model has no
 * value. Skips hours with a null; any other deviation makes the whole answer malformed.
 */
export function parseAnswer(text: string, fetchedAt: string): Forecast | Malformed {
  const answer = parseJson(text);
  if (answer === undefined) return malformed('it is not JSON');
  const [hourly, units] = [memberOf(answer, 'hourly'), memberOf(answer, 'hourly_units')];
  const offsetSeconds = memberOf(answer, 'utc_offset_seconds') ?? 0;
  if (typeof offsetSeconds !== 'number') return malformed('utc_offset_seconds is not a number');
  const times = timesMs(memberOf(hourly, 'time'), offsetSeconds);
  if (times === null) return malformed('hourly.time is not a list of rising hours');
  const columns: Partial<Record<Variable, Column>> = {};
  for (const [name, { unit, least, most }] of Object.entries(VARIABLES)) {
    const unitInAnswer = memberOf(units, name);
    if (unitInAnswer !== undefined && unitInAnswer !== unit) return malformed(`hourly_units.${name} is not ${unit}`);
    const column = columnOf(memberOf(hourly, name), times.length, least, most);
    if (column === null)
      return malformed(`hourly.${name} is not a list of ${times.length} numbers from ${least} to ${most}`);
    // The keys of VARIABLES: Object.entries loses their type.
    columns[name as Variable] = column;
  }
  const hours = times.flatMap((atMs, index) => hourOf(atMs, columns, index));
  if (hours.length === 0) return malformed('of no hour everything is known');
  return { kind: 'forecast', source: 'open-meteo', fetchedAt, hours };
}

/** The service's own reason for a refusal; empty if it gives none. */
export function parseReason(text: string): string {
  const reason = memberOf(parseJson(text), 'reason');
  return typeof reason === 'string' ? reason : '';
}

type Column = readonly (number | null)[];

function hourOf(atMs: number, columns: Partial<Record<Variable, Column>>, index: number): ForecastHour[] {
  const at = (name: Variable): number | null => columns[name]?.[index] ?? null;
  const [temperatureC, precipitationPercent] = [at('temperature_2m'), at('precipitation_probability')];
  const [precipitationMm, windKmh, weatherCode] = [at('precipitation'), at('wind_speed_10m'), at('weather_code')];
  if (temperatureC === null || precipitationPercent === null || precipitationMm === null) return [];
  if (windKmh === null || weatherCode === null) return [];
  return [{ atMs, temperatureC, precipitationPercent, precipitationMm, windKmh, weatherCode }];
}

/** Instants from local times without a zone (`2026-11-21T07:00`) and `utc_offset_seconds`; null if malformed. */
function timesMs(times: unknown, offsetSeconds: number): number[] | null {
  if (!Array.isArray(times)) return null;
  const instants: number[] = [];
  for (const time of times) {
    if (typeof time !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(time)) return null;
    const atMs = Date.parse(`${time}Z`) - offsetSeconds * 1_000;
    if (!(atMs > (instants.at(-1) ?? -Infinity))) return null;
    instants.push(atMs);
  }
  return instants;
}

function columnOf(values: unknown, length: number, least: number, most: number): Column | null {
  if (!Array.isArray(values) || values.length !== length) return null;
  const believable = (value: unknown): value is number | null =>
    value === null || (typeof value === 'number' && value >= least && value <= most);
  return values.every(believable) ? values : null;
}

/** Undefined, which is not a JSON value, if the text is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  // The caller checks the member's type.
  return (value as Readonly<Record<string, unknown>>)[name];
}

function malformed(what: string): Malformed {
  return { kind: 'malformed', what };
}
