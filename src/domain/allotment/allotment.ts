import type { OrderedMap } from '../../collections/ordered-map.ts';
import type { Activity, ActivityId, LocalDate } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Currency } from '../activity/money.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { Day } from '../activity/schedule.ts';
import type { DealPolicy } from './deal-policy.ts';
import { type FlashDeal, type Scheduled, standing, type Terms, type TermsEvent } from './terms.ts';

/** One activity on one date: `{activity}-{date}`. */
export type AllotmentId = string & { readonly __brand: 'AllotmentId' };
/** Made by `claimId` from everything that distinguishes two claims. */
export type ClaimId = string & { readonly __brand: 'ClaimId' };
/** Slots reserved without a booking. Never equal to a claim's id. */
export type HoldId = string & { readonly __brand: 'HoldId' };
export type BookingId = string & { readonly __brand: 'BookingId' };

export function allotmentId(activityId: ActivityId, date: LocalDate): AllotmentId {
  return `${activityId}-${date}` as AllotmentId;
}

/**
 * The current schedule of the date. Stored when the allotment opens. If a later command carries a newer schedule, the
 * decider appends it first, so that the stream shows the basis of every decision.
 */
export type Opening = Scheduled & {
  readonly activityId: ActivityId;
  readonly city: CityName;
  readonly date: LocalDate;
  readonly currency: Currency;
};

/** The schedule of one date, from a revision of the catalogue entry. */
export function openingOf(activity: Activity, revision: number, day: Day): Opening {
  const { id: activityId, city, currency, cancellation } = activity;
  const { date, capacity, unitPriceMinor } = day;
  return { activityId, city, date, capacity, unitPriceMinor, currency, cancellation, catalogueRevision: revision };
}

/** These types are the storage format. */
export type AllotmentEvent =
  | { readonly type: 'AllotmentOpened'; readonly data: Opening }
  | TermsEvent
  | {
      readonly type: 'SlotsClaimed';
      readonly data: {
        readonly claim: ClaimId;
        readonly booking: BookingId;
        readonly size: number;
        readonly deadlineMs: number;
        /**
         * Price per guest at that moment; a booking that only adds slots keeps its own price. Null: claimed by a
         * release in which the price of a date could not change.
         */
        readonly pricing: Pricing | null;
      };
    }
  /** Reserves slots at this price until `expiresAtMs` (ms since the epoch, exclusive). */
  | {
      readonly type: 'SlotsHeld';
      readonly data: {
        readonly hold: HoldId;
        readonly size: number;
        readonly expiresAtMs: number;
        readonly pricing: Pricing;
      };
    }
  /** The slots of a hold became those of a claim; the number of taken slots stays the same. */
  | {
      readonly type: 'HoldTaken';
      readonly data: {
        readonly hold: HoldId;
        readonly claim: ClaimId;
        readonly booking: BookingId;
        readonly size: number;
        readonly deadlineMs: number;
      };
    }
  /** Since this version, the booking relies on `left` slots of the claim; `size` slots are free again. */
  | {
      readonly type: 'ClaimShrunk';
      readonly data: {
        readonly claim: ClaimId;
        readonly left: number;
        readonly size: number;
        readonly version: number;
      };
    }
  /** Frees the slots of a claim, or of an unused hold. */
  | { readonly type: 'SlotsReleased'; readonly data: { readonly claim: ClaimId | HoldId; readonly size: number } };

export type AllotmentCommand =
  | ({
      readonly type: 'ClaimSlots';
      readonly claim: ClaimId;
      readonly booking: BookingId;
      /** Guests. */
      readonly size: number;
      /** From this time on (ms since the epoch) the reaper checks whether a booking names the claim. */
      readonly deadlineMs: number;
      readonly opening: Opening;
    } & PriceAsked)
  | ({
      readonly type: 'HoldSlots';
      readonly hold: HoldId;
      readonly size: number;
      readonly expiresAtMs: number;
      readonly opening: Opening;
    } & PriceAsked)
  /** Turns a hold into a claim; `nowMs` decides whether it has expired. */
  | {
      readonly type: 'TakeHold';
      readonly hold: HoldId;
      readonly claim: ClaimId;
      readonly booking: BookingId;
      readonly size: number;
      readonly deadlineMs: number;
      readonly nowMs: number;
    }
  /** Releases a hold, because its holder asks for it or because it has expired. */
  | { readonly type: 'ReleaseHold'; readonly hold: HoldId }
  /** Releases all slots of a claim except `left`, as of this version of the booking. */
  | { readonly type: 'ShrinkClaim'; readonly claim: ClaimId; readonly left: number; readonly version: number }
  | { readonly type: 'ReleaseSlots'; readonly claim: ClaimId }
  | SetTerms
  | ReviewDeal;

/** What determines the price beside the allotment. */
export type PriceAsked = {
  /** Discount of the guests' hotel on the full price, in percent; 0 without a hotel. */
  readonly hotelPercentOff: number;
  readonly nowMs: number;
};

/** An operator's settings for a date. Undefined: unchanged; null: as the schedule says, or no deal. */
export type SetTerms = {
  readonly type: 'SetTerms';
  readonly capacity?: number | null;
  readonly unitPriceMinor?: number | null;
  readonly deal?: Omit<FlashDeal, 'by'> | null;
  readonly opening: Opening;
};

/** Starts, deepens or ends the date's deal by the policy at `nowMs`. */
export type ReviewDeal = {
  readonly type: 'ReviewDeal';
  readonly policy: DealPolicy;
  readonly lastEntryMs: number;
  readonly nowMs: number;
  readonly opening: Opening;
};

export type AllotmentRejection =
  | { readonly code: 'INVENTORY_EXHAUSTED'; readonly free: number }
  /** The claim's id was used before and was released or has another size. It is never claimed again. */
  | { readonly code: 'CLAIM_SPENT' }
  /** The hold does not exist, or has another size. */
  | { readonly code: 'HOLD_UNKNOWN' }
  | { readonly code: 'HOLD_USED' }
  /** The hold has expired, or was released. */
  | { readonly code: 'HOLD_EXPIRED'; readonly expiresAtMs: number }
  /** The requested capacity is below the `taken` slots, `held` of which belong to unused holds. */
  | { readonly code: 'CAPACITY_TAKEN'; readonly taken: number; readonly held: number };

export type Claim = {
  readonly booking: BookingId;
  readonly size: number;
  readonly released: boolean;
  readonly pricing: Pricing | null;
  /** Version of the booking at the newest shrink; 0 for none. */
  readonly shrunkAtVersion: number;
};

export type Hold = {
  readonly size: number;
  readonly expiresAtMs: number;
  readonly pricing: Pricing;
  readonly status: 'open' | 'released' | 'taken';
  /** The first claim that used it; null if unused. */
  readonly takenBy: { readonly claim: ClaimId; readonly booking: BookingId } | null;
};

export type Allotment =
  | { readonly status: 'unopened' }
  | (Terms & {
      readonly status: 'open';
      readonly schedule: Opening;
      /** Sum of the sizes of all claims and holds that are not released. */
      readonly taken: number;
      /** The part of `taken` that belongs to unused holds. */
      readonly held: number;
      /** All claims, including released ones: an id is never claimed twice. */
      readonly claims: OrderedMap<string, Claim>;
      /** All holds, including used and released ones. */
      readonly holds: OrderedMap<string, Hold>;
    });

export type OpenAllotment = Extract<Allotment, { status: 'open' }>;

export const HOLD_STATUSES = ['open', 'used', 'released', 'expired'] as const;
export type HoldStatus = (typeof HOLD_STATUSES)[number];

/**
 * The status of a hold at an instant (ms since the epoch). From its end on, an unused hold is expired, whether or not
 * its slots were released before.
 */
export function holdStatus({ status, expiresAtMs }: Hold, nowMs: number): HoldStatus {
  if (status === 'taken') return 'used';
  return nowMs >= expiresAtMs ? 'expired' : status;
}

export function holdIn(allotment: Allotment, id: HoldId): Hold | undefined {
  return allotment.status === 'open' ? allotment.holds.get(id) : undefined;
}

/** Free slots under the current schedule; never below 0. */
export function freeSlots(allotment: Allotment, present: Scheduled): number {
  if (allotment.status === 'unopened') return present.capacity;
  return Math.max(0, standing(allotment, present).capacity - allotment.taken);
}
