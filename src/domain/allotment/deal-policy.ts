import { HOUR_MS, MINUTE_MS } from '../../eventsourcing/durations.ts';
import { addDays, midnightMs } from '../activity/schedule.ts';
import { evenHash } from '../fnv1a.ts';
import type { CityDate, FlashDeal } from './terms.ts';

/** Minimum and maximum discount of every deal in percent, operators' deals included. */
export const DEAL_PERCENT = { from: 30, to: 50 } as const;

/**
 * When the service starts deals by itself, and their discounts. Configuration, not events:
 * docs/decisions/0042-flash-deals.md.
 */
export type DealPolicy = {
  /** Share of activities that may have a deal on a day (0 to 100); the selection differs each day. */
  readonly activitiesPercent: number;
  /** Duration of a deal; it ends at the last entry if that is sooner. The policy is then applied again. */
  readonly lastsMinutes: number;
  readonly steps: readonly DealStep[];
};

/** Applies when at most `hoursLeft` remain until the last entry and at least `freePercent` is free. */
export type DealStep = {
  readonly hoursLeft: number;
  /** Percent of the capacity. */
  readonly freePercent: number;
  /** 30 to 50. */
  readonly discountPercent: number;
};

export type DealSubject = CityDate & {
  /** The allotment's id. */
  readonly id: string;
  readonly capacity: number;
  readonly free: number;
  readonly lastEntryMs: number;
};

/**
 * The policy's deal for a date at an instant (ms since the epoch), or null. Takes the largest discount of the steps
 * that apply, so that more free slots or less time never reduce it. Only on the day itself.
 */
export function policyDeal(policy: DealPolicy, subject: DealSubject, nowMs: number): FlashDeal | null {
  const { city, date, capacity, free, lastEntryMs } = subject;
  const endsMs = lastDealMs(subject);
  const dayStarted = nowMs >= midnightMs(city, date);
  if (free === 0 || !dayStarted || nowMs >= endsMs || !isSelected(subject.id, policy)) return null;
  const discounts = policy.steps
    .filter(({ hoursLeft }) => lastEntryMs - nowMs <= hoursLeft * HOUR_MS)
    .filter(({ freePercent }) => free * 100 >= freePercent * capacity)
    .map(({ discountPercent }) => discountPercent);
  if (discounts.length === 0) return null;
  const expiresAtMs = Math.min(nowMs + policy.lastsMinutes * MINUTE_MS, endsMs);
  return { discountPercent: Math.max(...discounts), expiresAtMs, by: 'policy' };
}

/** The latest end of a deal: the last entry, or the end of the day if that is sooner. */
export function lastDealMs({ city, date, lastEntryMs }: CityDate & { readonly lastEntryMs: number }): number {
  return Math.min(lastEntryMs, midnightMs(city, addDays(date, 1)));
}

/** Depends only on activity and date, so that every node selects the same. */
function isSelected(id: string, { activitiesPercent }: DealPolicy): boolean {
  return evenHash(id) % 100 < activitiesPercent;
}
