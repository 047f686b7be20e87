import { addDays, midnightMs } from '../activity/schedule.ts';
import type { FlashDeal, Place } from './terms.ts';

/** Every deal takes at least and at most so much off, in percent; operators' deals too. */
export const DEAL_PERCENT = { from: 30, to: 50 } as const;

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** When the service itself offers a deal, and how much. Configuration, not a fact: docs/decisions/0042-flash-deals.md. */
export type DealPolicy = {
  /** Of all activities so many take part on a day (0 to 100), every day others. */
  readonly activitiesPercent: number;
  /** A deal stands for so long, or until the last entry where that is sooner; after it the date is looked at afresh. */
  readonly lastsMinutes: number;
  readonly steps: readonly DealStep[];
};

/** So much is taken off once at most so many hours are left until the last entry while at least so much is free. */
export type DealStep = {
  readonly hoursLeft: number;
  /** Of the capacity. */
  readonly freePercent: number;
  /** 30 to 50. */
  readonly discountPercent: number;
};

/** A date that may get a deal. */
export type DealSubject = Place & {
  /** Names the date among all: the allotment's id. */
  readonly id: string;
  readonly capacity: number;
  readonly free: number;
  readonly lastEntryMs: number;
};

/**
 * The deal that the policy offers for a date at a moment (ms since the epoch), null for none: the deepest of the steps
 * that apply, so that a deal never gets smaller by more being free or by less time being left. Only on the day itself.
 */
export function policyDeal(policy: DealPolicy, subject: DealSubject, nowMs: number): FlashDeal | null {
  const { city, date, capacity, free, lastEntryMs } = subject;
  const endsMs = lastDealMs(subject);
  const begun = nowMs >= midnightMs(city, date);
  if (free === 0 || !begun || nowMs >= endsMs || !takesPart(subject.id, policy)) return null;
  const discounts = policy.steps
    .filter(({ hoursLeft }) => lastEntryMs - nowMs <= hoursLeft * HOUR_MS)
    .filter(({ freePercent }) => free * 100 >= freePercent * capacity)
    .map(({ discountPercent }) => discountPercent);
  if (discounts.length === 0) return null;
  const expiresAtMs = Math.min(nowMs + policy.lastsMinutes * MINUTE_MS, endsMs);
  return { discountPercent: Math.max(...discounts), expiresAtMs, by: 'policy' };
}

/** The latest moment at which a deal of a date can end: its last entry, or the end of the day where that is sooner. */
export function lastDealMs({ city, date, lastEntryMs }: Place & { readonly lastEntryMs: number }): number {
  return Math.min(lastEntryMs, midnightMs(city, addDays(date, 1)));
}

/** By the date and the activity alone: whoever looks, however often, finds the same. */
function takesPart(id: string, { activitiesPercent }: DealPolicy): boolean {
  return hashOf(id) % 100 < activitiesPercent;
}

/** FNV-1a, 32 bits, with a last mixing: ids that differ in one character lie far apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0;
}
