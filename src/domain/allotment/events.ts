import { codec, type Upcaster } from '../../eventsourcing/codec.ts';
import type { Activity, ActivityId, LocalDate } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Currency } from '../activity/money.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { Day } from '../activity/schedule.ts';
import type { BookingId, ClaimId, CommandId, Fingerprint, HoldId, KeyId } from '../ids.ts';
import type { DateCancellationReason, DateOutcome } from './cancellation.ts';
import type { ScheduledTerms, TermsEvent } from './terms.ts';

/**
 * The schedule of one activity on one date. Stored when the allotment opens. If a later command carries a newer one, the
 * decider appends it first, so that the stream shows the basis of every decision.
 */
export type DateSchedule = ScheduledTerms & {
  readonly activityId: ActivityId;
  readonly city: CityName;
  readonly date: LocalDate;
  readonly currency: Currency;
};

/** The schedule of one date, from a revision of the catalogue entry. */
export function dateSchedule(activity: Activity, revision: number, day: Day): DateSchedule {
  const { id: activityId, city, currency, cancellation } = activity;
  const { date, capacity, unitPriceMinor } = day;
  return { activityId, city, date, capacity, unitPriceMinor, currency, cancellation, catalogueRevision: revision };
}

/** The key whose booking waits for the venue; null: the booking is paid at once, or an earlier release claimed the slots. */
type UnpaidBy = KeyId | null;

/** These types are the storage format. */
export type AllotmentEvent =
  | { readonly type: 'AllotmentOpened'; readonly data: DateSchedule }
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
        readonly unpaidBy: UnpaidBy;
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
        /** Whose hold it is, and when it was made (ms since the epoch); null: held by a release that did not record it. */
        readonly holder: { readonly keyId: KeyId; readonly atMs: number } | null;
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
        readonly unpaidBy: UnpaidBy;
      };
    }
  /** The venue confirmed the booking of a claim, so that its slots are paid for. */
  | { readonly type: 'ClaimPaid'; readonly data: { readonly claim: ClaimId } }
  /** Since this version, the booking uses `left` slots of the claim; `size` slots are free again. */
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
  | { readonly type: 'SlotsReleased'; readonly data: { readonly claim: ClaimId | HoldId; readonly size: number } }
  /** An operator cancels all bookings of the date, which has the capacity 0 from here on. The numbers are of this moment. */
  | {
      readonly type: 'DateCancelled';
      readonly data: {
        readonly command: CommandId;
        readonly fingerprint: Fingerprint;
        readonly reason: DateCancellationReason;
        readonly bookings: number;
        readonly places: number;
        readonly holds: number;
        readonly at: string;
      };
    }
  /** Once for each of these bookings. `refundMinor` is in the date's currency. */
  | {
      readonly type: 'DateBookingSettled';
      readonly data: {
        readonly command: CommandId;
        readonly booking: BookingId;
        readonly outcome: DateOutcome;
        readonly refundMinor: number;
      };
    }
  | { readonly type: 'DateCancellationFinished'; readonly data: { readonly command: CommandId; readonly at: string } };

/** In version 1 a date had one price, that of the schedule. */
const atTheOpeningPrice: Upcaster = (facts) => ({ ...facts, pricing: null });
/** Before the exposure limits, an allotment did not know whose slots are unpaid. */
const countsForNobody: Upcaster = (facts) => ({ ...facts, unpaidBy: null });
const heldByNobody: Upcaster = (facts) => ({ ...facts, holder: null });

export const allotmentCodec = codec<AllotmentEvent>('allotment', {
  AllotmentOpened: [],
  ScheduleFollowed: [],
  CapacitySet: [],
  PriceSet: [],
  FlashDealStarted: [],
  FlashDealEnded: [],
  SlotsClaimed: [atTheOpeningPrice, countsForNobody],
  SlotsHeld: [heldByNobody],
  HoldTaken: [countsForNobody],
  ClaimPaid: [],
  ClaimShrunk: [],
  SlotsReleased: [],
  DateCancelled: [],
  DateBookingSettled: [],
  DateCancellationFinished: [],
});
