import { describe, expect, test } from 'bun:test';
import { type AddressThrottle, createAddressThrottle } from '../../../../src/application/key/address-throttle.ts';
import { HOUR_MS } from '../../../../src/eventsourcing/durations.ts';

const T = Date.parse('2026-11-21T12:00:00Z');

function count(throttle: AddressThrottle, address: string | null, times: number, atMs = T): void {
  for (let n = 0; n < times; n++) throttle.count(address, atMs);
}

describe('requests of an address', () => {
  test('decay evenly, and never exceed the limit', () => {
    const throttle = createAddressThrottle(6);
    count(throttle, '192.0.2.1', 600);
    expect([0, 9_999, 10_000, 60_000].map((ms) => throttle.waitMs('192.0.2.1', T + ms))).toEqual([10_000, 1, 0, 0]);
  });

  test('do not decrease when the clock is set back', () => {
    const throttle = createAddressThrottle(6);
    count(throttle, '192.0.2.1', 6);
    expect(throttle.waitMs('192.0.2.1', T - HOUR_MS)).toBe(10_000);
  });

  test('that are taken count unless they must wait', () => {
    const throttle = createAddressThrottle(2);
    const taken = [0, 0, 0, 15_000, 30_000].map((ms) => throttle.take('192.0.2.1', T + ms));
    expect(taken).toEqual([0, 0, 30_000, 15_000, 0]);
  });

  test('of callers with an unknown address count together', () => {
    const throttle = createAddressThrottle(1);
    count(throttle, null, 1);
    expect([throttle.waitMs(null, T), throttle.waitMs('192.0.2.1', T)]).toEqual([60_000, 0]);
  });

  test('are kept of the last 10,000 addresses', () => {
    const throttle = createAddressThrottle(1);
    for (let n = 0; n < 10_001; n++) throttle.count(`2001:db8:${n.toString(16)}::1`, T);
    expect([throttle.waitMs('2001:db8:0::1', T), throttle.waitMs('2001:db8:1::1', T)]).toEqual([0, 60_000]);
  });

  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:3:4:5:6', true],
    ['2001:db8::1', '2001:db8:0:0:9::', true],
    ['::1', '::2', true],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['192.0.2.1', '192.0.2.2', false],
  ])('of %s and %s count together: %p', (one, other, together) => {
    const throttle = createAddressThrottle(1);
    count(throttle, one, 1);
    expect(throttle.waitMs(other, T) > 0).toBe(together);
  });
});
