import { DAY_MS } from '../../eventsourcing/durations.ts';

/**
 * A visit is counted in two sums. In the recent one it counts half after two weeks, so that a change is learnt; in the
 * lasting one after half a year, so that few visits are not forgotten. Chosen in the synthetic city: docs/decisions/0078.
 */
export const HALF_LIVES_MS = { recent: 14 * DAY_MS, lasting: 180 * DAY_MS } as const;
export type Span = keyof typeof HALF_LIVES_MS;

/** 2026-01-01T00:00:00Z. At 2^26 a year the weights stay within a double until 2064. */
const REFERENCE_MS = 1_767_225_600_000;

/**
 * The weight of a fact in a stored sum. Later facts weigh more instead of earlier ones less, so that sums need no clock,
 * depend on no order, and a fact can be subtracted.
 */
export function weightAt(span: Span, atMs: number): number {
  return 2 ** ((atMs - REFERENCE_MS) / HALF_LIVES_MS[span]);
}

/** What stored sums are multiplied by to be worth what they are at a time: a fact of that time counts 1. */
export function fadeAt(nowMs: number): Fade {
  return { recent: 1 / weightAt('recent', nowMs), lasting: 1 / weightAt('lasting', nowMs) };
}
export type Fade = Readonly<Record<Span, number>>;
