import type { Activity, ActivityId, LocalDate } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Currency } from '../activity/money.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { Day } from '../activity/schedule.ts';
import type { PersistentMap } from '../persistent-map.ts';
import type { DealPolicy } from './deal-policy.ts';
import { type FlashDeal, type Scheduled, standing, type Terms, type TermsEvent } from './terms.ts';

/** One activity on one date: `{activity}-{date}`. */
export type AllotmentId = string & { readonly __brand: 'AllotmentId' };
/** A taking of slots. Made by `claimId` from all that must make it another one. */
export type ClaimId = string & { readonly __brand: 'ClaimId' };
/** A keeping of slots for somebody who has not booked yet. Never equal to the id of a claim. */
export type HoldId = string & { readonly __brand: 'HoldId' };
export type BookingId = string & { readonly __brand: 'BookingId' };

export function allotmentId(activityId: ActivityId, date: LocalDate): AllotmentId {
  return `${activityId}-${date}` as AllotmentId;
}

/**
 * What the schedule says of the date at present. Stored when the allotment comes to exist; where a later command brings a
 * newer one, that is followed first, so that the stream tells by itself what every decision was made on.
 */
export type Opening = Scheduled & {
  readonly activityId: ActivityId;
  readonly city: CityName;
  readonly date: LocalDate;
  readonly currency: Currency;
};

/** What an entry of the catalogue, at a revision, says of one of its dates. */
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
         * What one guest pays at that moment; a booking that only takes more slots keeps the price that it has. Null: claimed
         * before the price of a date could change.
         */
        readonly pricing: Pricing | null;
      };
    }
  /** Slots are kept, at this price, until a time (ms since the epoch) from which on the hold can no longer be used. */
  | {
      readonly type: 'SlotsHeld';
      readonly data: {
        readonly hold: HoldId;
        readonly size: number;
        readonly expiresAtMs: number;
        readonly pricing: Pricing;
      };
    }
  /** The slots of a hold have become those of a claim. How many are taken does not change. */
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
  /** The booking relies on `left` slots of the claim since it had this version; `size` others are free again. */
  | {
      readonly type: 'ClaimShrunk';
      readonly data: {
        readonly claim: ClaimId;
        readonly left: number;
        readonly size: number;
        readonly version: number;
      };
    }
  /** Of a claim, or of a hold that nobody used. */
  | { readonly type: 'SlotsReleased'; readonly data: { readonly claim: ClaimId | HoldId; readonly size: number } };

export type AllotmentCommand =
  | ({
      readonly type: 'ClaimSlots';
      readonly claim: ClaimId;
      readonly booking: BookingId;
      /** Guests. */
      readonly size: number;
      /** From this time on (ms since the epoch) the reaper may ask whether the booking came to be. */
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
  /** Turns a hold into a claim; `nowMs` decides whether it is still to be had. */
  | {
      readonly type: 'TakeHold';
      readonly hold: HoldId;
      readonly claim: ClaimId;
      readonly booking: BookingId;
      readonly size: number;
      readonly deadlineMs: number;
      readonly nowMs: number;
    }
  /** Lets a hold go: its holder does, or its time is over. */
  | { readonly type: 'ReleaseHold'; readonly hold: HoldId }
  /** Gives back all slots of a claim but `left` of them, as the booking says since it has this version. */
  | { readonly type: 'ShrinkClaim'; readonly claim: ClaimId; readonly left: number; readonly version: number }
  | { readonly type: 'ReleaseSlots'; readonly claim: ClaimId }
  | SetTerms
  | ReviewDeal;

/** Whose price, and at which moment (ms since the epoch). */
export type PriceAsked = {
  /** What the guests' hotel takes off the full price, in percent; 0 without one. */
  readonly hotelPercentOff: number;
  readonly nowMs: number;
};

/** An operator's word on a date. Undefined: as it is; null: back to the schedule's, and no deal. */
export type SetTerms = {
  readonly type: 'SetTerms';
  readonly capacity?: number | null;
  readonly unitPriceMinor?: number | null;
  readonly deal?: Omit<FlashDeal, 'by'> | null;
  readonly opening: Opening;
};

/** Starts, deepens and ends the date's deal as the policy says of how it stands at `nowMs`. */
export type ReviewDeal = {
  readonly type: 'ReviewDeal';
  readonly policy: DealPolicy;
  readonly lastEntryMs: number;
  readonly nowMs: number;
  readonly opening: Opening;
};

export type AllotmentRejection =
  | { readonly code: 'INVENTORY_EXHAUSTED'; readonly free: number }
  /** The id was used before: released, or of another size. Such a claim is never made again. */
  | { readonly code: 'CLAIM_SPENT' }
  /** Never given, or not for so many slots. */
  | { readonly code: 'HOLD_UNKNOWN' }
  | { readonly code: 'HOLD_USED' }
  /** Its time is over, or it was let go. */
  | { readonly code: 'HOLD_EXPIRED'; readonly expiresAtMs: number }
  /** An operator's capacity would not hold the guests that are there: `taken` slots are, `held` of them by holds. */
  | { readonly code: 'CAPACITY_TAKEN'; readonly taken: number; readonly held: number };

export type Claim = {
  readonly booking: BookingId;
  readonly size: number;
  readonly released: boolean;
  readonly pricing: Pricing | null;
  /** Of the booking, at the newest shrink; 0 for none. */
  readonly shrunkAtVersion: number;
};

export type Hold = {
  readonly size: number;
  readonly expiresAtMs: number;
  readonly pricing: Pricing;
  readonly status: 'open' | 'released' | 'taken';
  /** The first claim it became, null where nobody used it. */
  readonly takenBy: { readonly claim: ClaimId; readonly booking: BookingId } | null;
};

export type Allotment =
  | { readonly status: 'unopened' }
  | (Terms & {
      readonly status: 'open';
      readonly schedule: Opening;
      /** Slots taken: the sum of the sizes of the claims and holds not released. */
      readonly taken: number;
      /** Of those, the slots of holds that nobody has used yet. */
      readonly held: number;
      /** Every claim ever made, the released ones too: an id ever seen is never claimed again. */
      readonly claims: PersistentMap<Claim>;
      /** Every hold ever given. */
      readonly holds: PersistentMap<Hold>;
    });

export type OpenAllotment = Extract<Allotment, { status: 'open' }>;

export const HOLD_STATUSES = ['open', 'used', 'released', 'expired'] as const;
export type HoldStatus = (typeof HOLD_STATUSES)[number];

/**
 * How a hold stands at a moment (ms since the epoch). From its end on, one that nobody used is expired, whether its slots
 * are free again already or not, and whether it had been let go before or not.
 */
export function holdStatus({ status, expiresAtMs }: Hold, nowMs: number): HoldStatus {
  if (status === 'taken') return 'used';
  return nowMs >= expiresAtMs ? 'expired' : status;
}

/** What an allotment says of a hold; undefined where it never gave it. */
export function holdIn(allotment: Allotment, id: HoldId): Hold | undefined {
  return allotment.status === 'open' ? allotment.holds.get(id) : undefined;
}

/** Slots that nobody has taken, by what the schedule says at present; never below 0. */
export function freeSlots(allotment: Allotment, present: Scheduled): number {
  if (allotment.status === 'unopened') return present.capacity;
  return Math.max(0, standing(allotment, present).capacity - allotment.taken);
}
