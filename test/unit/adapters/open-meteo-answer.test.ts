import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseAnswer, parseReason } from '../../../src/adapters/open-meteo/parse-answer.ts';
import { type Documented, documentedAnswer } from '../../support/open-meteo.ts';

const MIDNIGHT = '2026-11-21T00:00:00Z';
const FETCHED_AT = '2026-11-21T03:00:00.000Z';

describe('an hour of the answer', () => {
  test('with a null is skipped, the others stay', () => {
    const hours = hoursOf((answer) => {
      set(answer, 'precipitation_probability', 1, null);
      set(answer, 'temperature_2m', 2, null);
      set(answer, 'precipitation', 3, null);
      set(answer, 'wind_speed_10m', 4, null);
      set(answer, 'weather_code', 5, null);
    });
    expect(hours).toEqual(['2026-11-21T00:00:00.000Z', '2026-11-21T06:00:00.000Z', '2026-11-21T07:00:00.000Z']);
  });

  test('becomes an instant, also if the service answers in local time', () => {
    const [first] = hoursOf((answer) =>
      Object.assign(answer, { utc_offset_seconds: 25_200, timezone: 'Asia/Bangkok' }),
    );
    expect(first).toBe('2026-11-20T17:00:00.000Z');
  });
});

test('additional and missing optional members of an answer do not matter', () => {
  const plain = parse(() => {});
  const more = parse((answer) => Object.assign(answer, { current: { temperature_2m: 30 }, location_id: 1 }));
  const less = parseAnswer(JSON.stringify({ hourly: documentedAnswer(MIDNIGHT, 8).hourly }), FETCHED_AT);
  expect([more, less]).toEqual([plain, plain]);
});

describe('an answer is malformed', () => {
  test.each<[given: string, change: (answer: Documented) => unknown, what: string]>([
    [
      'without hours',
      (answer) => Object.assign(answer, { hourly: undefined }),
      'hourly.time is not a list of rising hours',
    ],
    [
      'whose hours are no object',
      (answer) => Object.assign(answer, { hourly: null }),
      'hourly.time is not a list of rising hours',
    ],
    ['whose time is no time', (answer) => set(answer, 'time', 3, 'noon'), 'hourly.time is not a list of rising hours'],
    [
      'whose time is no date',
      (answer) => set(answer, 'time', 3, '2026-13-01T00:00'),
      'hourly.time is not a list of rising hours',
    ],
    ['whose time is null', (answer) => set(answer, 'time', 3, null), 'hourly.time is not a list of rising hours'],
    [
      'with an hour twice',
      (answer) => set(answer, 'time', 3, '2026-11-21T02:00'),
      'hourly.time is not a list of rising hours',
    ],
    [
      'with no hour',
      (answer) => Object.assign(answer, documentedAnswer(MIDNIGHT, 0)),
      'of no hour everything is known',
    ],
    [
      'with nothing but nulls',
      (answer) => Object.assign(answer.hourly, { weather_code: Array(8).fill(null) }),
      'of no hour everything is known',
    ],
    [
      'without a variable',
      (answer) => Object.assign(answer.hourly, { wind_speed_10m: undefined }),
      'hourly.wind_speed_10m is not a list of 8 numbers from 0 to 500',
    ],
    [
      'with a variable that is too short',
      (answer) => answer.hourly['precipitation']?.pop(),
      'hourly.precipitation is not a list of 8 numbers from 0 to 500',
    ],
    [
      'with a text for a number',
      (answer) => set(answer, 'weather_code', 0, '95'),
      'hourly.weather_code is not a list of 8 numbers from 0 to 99',
    ],
    [
      'with more than certainty',
      (answer) => set(answer, 'precipitation_probability', 0, 101),
      'hourly.precipitation_probability is not a list of 8 numbers from 0 to 100',
    ],
    [
      'with a heat that nobody survives',
      (answer) => set(answer, 'temperature_2m', 0, 86),
      'hourly.temperature_2m is not a list of 8 numbers from -90 to 60',
    ],
    [
      'in another unit',
      (answer) => Object.assign(answer.hourly_units, { temperature_2m: '°F' }),
      'hourly_units.temperature_2m is not °C',
    ],
    [
      'in knots',
      (answer) => Object.assign(answer.hourly_units, { wind_speed_10m: 'kn' }),
      'hourly_units.wind_speed_10m is not km/h',
    ],
    [
      'of an offset that is no number',
      (answer) => Object.assign(answer, { utc_offset_seconds: '+7' }),
      'utc_offset_seconds is not a number',
    ],
  ])('%s', (_, change, what) => {
    expect(parse(change)).toEqual({ kind: 'malformed', what });
  });

  test('if it is any other JSON or text; parsing it never throws', () => {
    const texts = fc.oneof(
      fc.json(),
      fc.string(),
      fc.json().map((json) => `{"hourly":{"time":[],"weather_code":${json}}}`),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(parseAnswer(text, FETCHED_AT).kind).toBe('malformed');
        expect(typeof parseReason(text)).toBe('string');
      }),
    );
  });
});

test('the reason of a refusal is the text of the service, or empty', () => {
  const texts = ['{"error":true,"reason":"Latitude must be in range"}', '{"error":true}', '{"reason":7}', '<html>', ''];
  expect(texts.map(parseReason)).toEqual(['Latitude must be in range', '', '', '', '']);
});

/** Eight hours from midnight in the documented format, with one change. */
function parse(change: (answer: Documented) => unknown) {
  const answer = documentedAnswer(MIDNIGHT, 8);
  change(answer);
  return parseAnswer(JSON.stringify(answer), FETCHED_AT);
}

function hoursOf(change: (answer: Documented) => unknown): string[] {
  const answer = parse(change);
  if (answer.kind === 'malformed') throw new Error(answer.what);
  return answer.hours.map(({ atMs }) => new Date(atMs).toISOString());
}

function set({ hourly }: Documented, name: string, hour: number, value: string | number | null): void {
  hourly[name]?.splice(hour, 1, value);
}
