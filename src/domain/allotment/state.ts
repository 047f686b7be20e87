import type { OrderedMap } from '../../collections/ordered-map.ts';
import { DAY_MS, MINUTE_MS } from '../../eventsourcing/durations.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { BookingId, ClaimId, CommandId, HoldId, KeyId } from '../ids.ts';
import type { Closing, DateCancellation } from './cancellation.ts';
import type { AllotmentCommand, PriceInputs } from './commands.ts';
import type { DateSchedule } from './events.ts';
import {
  effectiveTerms,
  initialTerms,
  newerSchedule,
  priceAt,
  type ScheduledTerms,
  slotsLeft,
  type Terms,
} from './terms.ts';

export type Claim = {
  readonly booking: BookingId;
  readonly size: number;
  readonly released: boolean;
  readonly pricing: Pricing | null;
  /** Version of the booking at the newest shrink; 0 for none. */
  readonly shrunkAtVersion: number;
  /** The hold that it was made of; null for none. */
  readonly hold: HoldId | null;
  /** The key whose booking waits for the venue; null: paid, or of an earlier release. */
  readonly unpaidBy: KeyId | null;
};

export type Hold = {
  readonly size: number;
  readonly expiresAtMs: number;
  readonly pricing: Pricing;
  /** Null: of an earlier release. */
  readonly keyId: KeyId | null;
  readonly status: 'open' | 'released' | 'taken';
  /** The first claim that used it; null if unused. */
  readonly takenBy: { readonly claim: ClaimId; readonly booking: BookingId } | null;
};

export type Allotment =
  | { readonly status: 'unopened' }
  | (Terms & {
      readonly status: 'open';
      readonly schedule: DateSchedule;
      /** Sum of the sizes of all claims and holds that are not released. */
      readonly taken: number;
      /** The part of `taken` that belongs to unused holds. */
      readonly held: number;
      /** All claims that have slots, and the newest released ones: an id is never claimed twice (docs/decisions/0062). */
      readonly claims: OrderedMap<string, Claim>;
      /** All open holds, those that a claim in `claims` took, and the newest released ones. */
      readonly holds: OrderedMap<string, Hold>;
      /** By key: the places of its open holds and of its bookings that wait for the venue. */
      readonly unpaid: OrderedMap<string, number>;
      /** By key: its newest hold of the last 24 hours. */
      readonly lastHolds: OrderedMap<string, LastHold>;
      /** Number of releases since the allotment opened. */
      readonly releases: number;
      /** Ids of the newest releases, the newest last. All others are forgotten. */
      readonly lastReleased: readonly (ClaimId | HoldId)[];
      /** The newest cancellation of the date; null if it was never cancelled. */
      readonly cancellation: DateCancellation | null;
      /** Their commands, so that a late repetition cancels nothing. */
      readonly earlierCancellations: readonly CommandId[];
    });

/** When a hold was made, and for how long; ms. */
export type LastHold = { readonly atMs: number; readonly lifetimeMs: number };

export type OpenAllotment = Extract<Allotment, { status: 'open' }>;

/**
 * Number of releases whose ids an allotment keeps. A sender that knew an allotment up to as many releases ago still gets a
 * decision at its first command. Two appends of 256 commands.
 */
export const KEPT_RELEASES = 512;

/** How long a hold shortens the next one of the same key. */
export const HOLDS_REMEMBERED_MS = DAY_MS;
/** Number of keys whose newest hold an allotment remembers. */
export const KEPT_LAST_HOLDS = 512;
/** No hold is shortened below this. */
export const SHORTEST_HOLD_MS = MINUTE_MS;

export const HOLD_STATUSES = ['open', 'used', 'released', 'expired'] as const;
type HoldStatus = (typeof HOLD_STATUSES)[number];

/**
 * The status of a hold at an instant (ms since the epoch). From its end on, an unused hold is expired, whether or not
 * its slots were released before.
 */
export function holdStatus({ status, expiresAtMs }: Hold, nowMs: number): HoldStatus {
  if (status === 'taken') return 'used';
  return nowMs >= expiresAtMs ? 'expired' : status;
}

/** The cancellation of a date that has not finished; null without one. */
export function runningCancellation(allotment: Allotment): DateCancellation | null {
  const cancellation = allotment.status === 'open' ? allotment.cancellation : null;
  return cancellation?.finishedAt === null ? cancellation : null;
}

/** Null if no cancellation keeps the date closed. */
export function closingOf({ cancellation, setCapacity }: OpenAllotment): Closing | null {
  if (cancellation === null || setCapacity !== 0) return null;
  return cancellation.finishedAt === null ? 'runs' : 'finished';
}

export function findClaim(allotment: Allotment, id: ClaimId): Claim | undefined {
  return allotment.status === 'open' ? allotment.claims.get(id) : undefined;
}

export function findHold(allotment: Allotment, id: HoldId): Hold | undefined {
  return allotment.status === 'open' ? allotment.holds.get(id) : undefined;
}

/** Number of releases since the allotment opened. */
export function releasesOf(allotment: Allotment | undefined): number {
  return allotment?.status === 'open' ? allotment.releases : 0;
}

/**
 * Whether an unknown id may have been released and forgotten, given the number of releases at a time before which the id
 * had not been released.
 */
export function mayBeForgotten(allotment: Allotment, releasesSeen: number): boolean {
  return allotment.status === 'open' && releasesSeen < allotment.releases - allotment.lastReleased.length;
}

/** Free slots under the current schedule; never below 0. */
export function freeSlots(allotment: Allotment, current: ScheduledTerms): number {
  return allotment.status === 'unopened' ? current.capacity : slotsLeft(allotment, current);
}

/** Price per guest of an existing claim, as decided when its slots were taken. */
export function claimPricing(
  allotment: OpenAllotment,
  command: Extract<AllotmentCommand, { type: 'ClaimSlots' | 'TakeHold' }>,
): Pricing {
  const decided = allotment.claims.get(command.claimId)?.pricing ?? null;
  if (decided !== null) return decided;
  if (command.type === 'ClaimSlots') return quotePrice(allotment, command.schedule, command);
  return getOrThrow(allotment.holds, command.holdId).pricing;
}

/** Price per guest for new slots, under the current schedule. */
export function quotePrice(
  allotment: Allotment,
  schedule: DateSchedule,
  { hotelPercentOff, nowMs }: PriceInputs,
): Pricing {
  const terms = allotment.status === 'open' ? allotment : initialTerms(schedule);
  const { unitPriceMinor } = effectiveTerms(terms, schedule);
  return priceAt(unitPriceMinor, terms.deal, hotelPercentOff, terms.schedule, nowMs);
}

/** The newer of the allotment's stored schedule and the current one. */
export function currentSchedule(allotment: Allotment, schedule: DateSchedule): DateSchedule {
  return allotment.status === 'open' ? newerSchedule(allotment.schedule, schedule) : schedule;
}

/** @throws Error if the allotment has never had the claim or hold */
export function getOrThrow<V>(entries: OrderedMap<string, V>, id: string): V {
  const entry = entries.get(id);
  if (entry === undefined) throw new Error(`the allotment never had ${id}`);
  return entry;
}
