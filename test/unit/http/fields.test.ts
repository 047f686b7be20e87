import { describe, expect, test } from 'bun:test';
import { parseMoment, parseTimestamp } from '../../../src/http/fields.ts';

describe('a timestamp', () => {
  test('is an instant between the years 0000 and 9999 in UTC, whose texts are in the order of time', () => {
    const first = parseTimestamp('0000-01-01T00:00:00Z');
    const last = parseTimestamp('9999-12-31T23:59:59.999Z');
    expect([first, last].map((ms) => new Date(ms ?? Number.NaN).toISOString())).toEqual([
      '0000-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ]);
    expect(parseTimestamp('0000-01-01T00:00:00+00:01')).toBeNull();
    expect(parseTimestamp('9999-12-31T23:59:59-00:01')).toBeNull();
  });
});

describe('a moment', () => {
  test('of the last day there is ends with it', () => {
    const { fromMs, toMs } = parseMoment('9999-12-31') ?? { fromMs: Number.NaN, toMs: Number.NaN };
    expect([fromMs, toMs].map((ms) => new Date(ms).toISOString())).toEqual([
      '9999-12-31T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
    ]);
  });
});
