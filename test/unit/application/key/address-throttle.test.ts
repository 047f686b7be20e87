import { describe, expect, test } from 'bun:test';
import { createFailedAttempts, type FailedAttempts } from '../../../../src/application/key/failed-attempts.ts';
import { HOUR_MS } from '../../../../src/eventsourcing/durations.ts';

const T = Date.parse('2026-11-21T12:00:00Z');

function fail(attempts: FailedAttempts, address: string | null, times: number, atMs = T): void {
  for (let n = 0; n < times; n++) attempts.failed(address, atMs);
}

describe('failed attempts', () => {
  test('decay evenly, and never exceed the limit', () => {
    const attempts = createFailedAttempts(6);
    fail(attempts, '192.0.2.1', 600);
    expect([0, 9_999, 10_000, 60_000].map((ms) => attempts.waitMs('192.0.2.1', T + ms))).toEqual([10_000, 1, 0, 0]);
  });

  test('do not decrease when the clock is set back', () => {
    const attempts = createFailedAttempts(6);
    fail(attempts, '192.0.2.1', 6);
    expect(attempts.waitMs('192.0.2.1', T - HOUR_MS)).toBe(10_000);
  });

  test('do not count for an address that sent the right token within a day', () => {
    const attempts = createFailedAttempts(1);
    attempts.succeeded('192.0.2.1', T);
    fail(attempts, '192.0.2.1', 1, T + 24 * HOUR_MS - 1);
    expect(attempts.waitMs('192.0.2.1', T + 24 * HOUR_MS - 1)).toBe(0);
    expect(attempts.waitMs('192.0.2.1', T + 24 * HOUR_MS)).toBe(59_999);
  });

  test('of callers with an unknown address count together', () => {
    const attempts = createFailedAttempts(1);
    fail(attempts, null, 1);
    expect([attempts.waitMs(null, T), attempts.waitMs('192.0.2.1', T)]).toEqual([60_000, 0]);
  });

  test('are kept of the last 10,000 addresses', () => {
    const attempts = createFailedAttempts(1);
    for (let n = 0; n < 10_001; n++) attempts.failed(`2001:db8:${n.toString(16)}::1`, T);
    expect([attempts.waitMs('2001:db8:0::1', T), attempts.waitMs('2001:db8:1::1', T)]).toEqual([0, 60_000]);
  });

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', true],
    ['2001:db8::1', '2001:db8:0:0:9::', true],
    ['::1', '::2', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['192.0.2.1', '192.0.2.2', false],
  ])('of %s and %s count together: %p', (one, other, together) => {
    const attempts = createFailedAttempts(1);
    fail(attempts, one, 1);
    expect(attempts.waitMs(other, T) > 0).toBe(together);
  });
});
