import { DAY_MS } from '../../eventsourcing/durations.ts';

/** After this time a visit counts half. Chosen in the synthetic city: docs/decisions/0078. */
const HALF_LIFE_MS = 30 * DAY_MS;

/** 2026-01-01T00:00:00Z. At 2^12 a year the weights stay within a double for 80 years. */
const REFERENCE_MS = 1_767_225_600_000;

/**
 * The weight of a fact in a stored sum. Later facts weigh more instead of earlier ones less, so that sums need no clock,
 * depend on no order, and a fact can be subtracted.
 */
export function weightAt(atMs: number): number {
  return 2 ** ((atMs - REFERENCE_MS) / HALF_LIFE_MS);
}

/** What a stored sum is multiplied by to be worth what it is at a time: a fact of that time counts 1. */
export function fadeAt(nowMs: number): number {
  return 1 / weightAt(nowMs);
}
