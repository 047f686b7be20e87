import type { UnpaidTaker } from '../exposure/exposure.ts';
import type { BookingId, ClaimId, CommandId, Fingerprint, HoldId } from '../ids.ts';
import type { DateCancellationReason, DateOutcome } from './cancellation.ts';
import type { DealPolicy } from './deal-policy.ts';
import type { DateSchedule } from './events.ts';
import type { FlashDeal } from './terms.ts';

export type AllotmentCommand =
  | ({
      readonly type: 'ClaimSlots';
      readonly claimId: ClaimId;
      readonly bookingId: BookingId;
      /** Guests. */
      readonly size: number;
      /** From this time on (ms since the epoch) the reaper checks whether a booking names the claim. */
      readonly deadlineMs: number;
      readonly schedule: DateSchedule;
    } & PriceInputs &
      PriceGuard &
      ReleasesSeen &
      Unpaid)
  | ({
      readonly type: 'HoldSlots';
      readonly holdId: HoldId;
      readonly size: number;
      readonly holder: UnpaidTaker;
      /** The latest end (ms since the epoch); a further hold of the same key ends earlier. */
      readonly expiresAtMs: number;
      readonly schedule: DateSchedule;
    } & PriceInputs &
      ReleasesSeen)
  /** Turns a hold into a claim; `nowMs` decides whether it has expired. */
  | ({
      readonly type: 'TakeHold';
      readonly holdId: HoldId;
      readonly claimId: ClaimId;
      readonly bookingId: BookingId;
      readonly size: number;
      readonly deadlineMs: number;
      readonly nowMs: number;
    } & PriceGuard &
      ReleasesSeen &
      Unpaid)
  /** Releases a hold, because its holder asks for it or because it has expired. */
  | { readonly type: 'ReleaseHold'; readonly holdId: HoldId }
  /** Releases all slots of a claim except `left`, as of this version of the booking. */
  | { readonly type: 'ShrinkClaim'; readonly claimId: ClaimId; readonly left: number; readonly version: number }
  | { readonly type: 'ReleaseSlots'; readonly claimId: ClaimId }
  /** The booking of the claim was confirmed: it no longer counts as unpaid. */
  | { readonly type: 'RecordPaid'; readonly claimId: ClaimId }
  | SetTerms
  | ReviewDeal
  /** Closes the date, so that its bookings can be cancelled. */
  | {
      readonly type: 'CancelDate';
      readonly commandId: CommandId;
      readonly fingerprint: Fingerprint;
      readonly reason: DateCancellationReason;
      /** ISO 8601 UTC. */
      readonly at: string;
      readonly schedule: DateSchedule;
    }
  /** The outcome of a booking of the cancelled date. */
  | {
      readonly type: 'SettleBooking';
      /** Of the cancellation. */
      readonly commandId: CommandId;
      readonly bookingId: BookingId;
      readonly outcome: DateOutcome;
      readonly refundMinor: number;
    }
  | { readonly type: 'FinishCancellation'; readonly commandId: CommandId; readonly at: string };

/** What determines the price beside the allotment. */
export type PriceInputs = {
  /** Discount of the guests' hotel on the full price, in percent; 0 without a hotel. */
  readonly hotelPercentOff: number;
  readonly nowMs: number;
};

/** Set if the claim's booking waits for the venue, which has not been paid yet. */
export type Unpaid = { readonly unpaid: UnpaidTaker | null };

/** The total that the caller agreed to for all slots of the claim, in minor units; null: any. */
export type PriceGuard = { readonly expectedTotalMinor: number | null };

/**
 * The number of the allotment's releases at a time before which the command's claim or hold had not been released: known
 * before the read of the booking from which the claim's id was derived, or before the hold was first asked for. A lower
 * number is safe. If the allotment has forgotten later releases, it does not know whether the id is spent.
 */
export type ReleasesSeen = { readonly releasesSeen: number };

/** An operator's settings for a date. Undefined: unchanged; null: as the schedule says, or no deal. */
export type SetTerms = {
  readonly type: 'SetTerms';
  readonly capacity?: number | null;
  readonly unitPriceMinor?: number | null;
  readonly deal?: Omit<FlashDeal, 'by'> | null;
  /** A change of many dates puts no cancelled one on sale again. */
  readonly keepsCancelled?: boolean;
  readonly schedule: DateSchedule;
};

/** Starts, deepens or ends the date's deal by the policy at `nowMs`. */
export type ReviewDeal = {
  readonly type: 'ReviewDeal';
  readonly policy: DealPolicy;
  readonly lastEntryMs: number;
  readonly nowMs: number;
  readonly schedule: DateSchedule;
};

export type UnpaidShare = {
  readonly code: 'UNPAID_SHARE';
  readonly used: number;
  /** Further places that the command asked for. */
  readonly wanted: number;
  readonly bound: number;
  /** The end of the key's next hold (ms since the epoch); null without one. */
  readonly easesAtMs: number | null;
};

export type AllotmentRejection =
  | { readonly code: 'INVENTORY_EXHAUSTED'; readonly free: number }
  /** The key's holds and bookings on request take `used` places of the date, and may take `bound`. */
  | UnpaidShare
  /** The slots are free, but their total is not the expected one. */
  | { readonly code: 'PRICE_CHANGED'; readonly totalMinor: number }
  /** The claim's id was used before and was released or has another size. It is never claimed again. */
  | { readonly code: 'CLAIM_SPENT' }
  /**
   * The id is unknown, and it may have been released and forgotten since `releasesSeen`. `releases`: the present number.
   */
  | { readonly code: 'ID_FORGOTTEN'; readonly releases: number }
  /** The hold does not exist, or has another size. */
  | { readonly code: 'HOLD_UNKNOWN' }
  | { readonly code: 'HOLD_USED' }
  /** The hold has expired, or was released. */
  | { readonly code: 'HOLD_EXPIRED'; readonly expiresAtMs: number }
  /** The requested capacity is below the `taken` slots, `held` of which belong to unused holds. */
  | { readonly code: 'CAPACITY_TAKEN'; readonly taken: number; readonly held: number }
  /** The date is being cancelled: its capacity stays 0, and bookings or holds are left. */
  | { readonly code: 'CANCELLATION_RUNNING' }
  | { readonly code: 'DATE_CANCELLED' }
  | { readonly code: 'IDEMPOTENCY_KEY_REUSED' };
