import { expect, test } from 'bun:test';
import { fadeAt, weightAt } from '../../../src/domain/learning/fading.ts';
import { expectedShares, expectedVisits, placeWeight } from '../../../src/domain/learning/places.ts';
import { DAY_MS } from '../../../src/eventsourcing/durations.ts';

const NOW = Date.parse('2026-11-21T03:00:00Z');

test('the expected visits of an answer add up to one, and fall with the place as k^-0.7', () => {
  expect(expectedShares([1, 2, 3])).toEqual([4_810, 2_961, 2_229]);
  expect(expectedShares([1])).toEqual([10_000]);
  expect(expectedVisits(expectedShares([1, 2, 3])[1] ?? 0)).toBe(0.2961);
  expect(placeWeight(10)).toBeCloseTo(10 ** -0.7, 12);
  for (let shown = 1; shown <= 20; shown++) {
    const shares = expectedShares(Array.from({ length: shown }, (_, index) => index + 1));
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(10_000, -1);
  }
});

test('a fact of the moment counts one, and half after a half-life, for decades', () => {
  for (const now of [NOW, NOW + 35 * 365 * DAY_MS])
    for (const [span, days] of [
      ['recent', 14],
      ['lasting', 180],
    ] as const) {
      expect(weightAt(span, now) * fadeAt(now)[span]).toBeCloseTo(1, 12);
      expect(weightAt(span, now - days * DAY_MS) * fadeAt(now)[span]).toBeCloseTo(0.5, 12);
      expect(Number.isFinite(weightAt(span, now))).toBe(true);
    }
});
