import type { ActivityId, CancellationPolicy, LocalDate, VenueId } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Currency } from '../activity/money.ts';
import type { Category, Language } from '../activity/vocabulary.ts';
import type { AllotmentId, ClaimId } from '../allotment/allotment.ts';
import type { LogId, Segment } from '../recommendation/profile.ts';

export type { BookingId } from '../allotment/allotment.ts';

export type KeyId = string & { readonly __brand: 'KeyId' };
export type DeviceId = string & { readonly __brand: 'DeviceId' };
/** One wish of one caller, however often it is sent. */
export type CommandId = string & { readonly __brand: 'CommandId' };
/** A keyed digest of a command's validated fields: the same wish, the same fingerprint. */
export type Fingerprint = string & { readonly __brand: 'Fingerprint' };

/** A booking names the claims it holds, with the size it relies on. */
export type ClaimRef = { readonly allotment: AllotmentId; readonly id: ClaimId; readonly size: number };

/** Amounts in minor units of the currency. The unit price is the one before the discount. */
export type Pricing = {
  readonly unitPriceMinor: number;
  /** Per person. */
  readonly discountMinor: number;
  readonly currency: Currency;
};

/** The recommendation a booking came from: what conversions and ground truth are counted under. */
export type Attribution = {
  readonly logId: LogId;
  /** From 1; null where the activity was not among those shown. */
  readonly rank: number | null;
  /** Null in bookings of a version that did not note it. */
  readonly segment: Segment | null;
};

/** What was booked. No personal data: that stands in the guest stream, which the fingerprint names a record of. */
export type BookingFacts = {
  readonly keyId: KeyId;
  readonly command: CommandId;
  readonly fingerprint: Fingerprint;
  readonly activityId: ActivityId;
  readonly venueId: VenueId;
  readonly city: CityName;
  readonly category: Category;
  readonly date: LocalDate;
  readonly numAdults: number;
  readonly numChildren: number;
  readonly claims: readonly ClaimRef[];
  readonly guest: Fingerprint;
  readonly pricing: Pricing;
  readonly cancellation: CancellationPolicy;
  readonly language: Language;
  readonly attribution: Attribution | null;
  readonly webhookUrl: string | null;
  /** ISO 8601 UTC. */
  readonly at: string;
};

export type Visit = {
  readonly verifiedAtMs: number;
  readonly method: 'qr_scan' | 'manual';
  readonly deviceId: DeviceId;
  readonly gate: string | null;
  readonly command: CommandId;
  readonly fingerprint: Fingerprint;
};

/** These types are the storage format. */
export type BookingEvent =
  | { readonly type: 'BookingConfirmed'; readonly data: BookingFacts }
  | { readonly type: 'ChargeRecorded'; readonly data: { readonly amountMinor: number; readonly currency: Currency } }
  | {
      readonly type: 'VoucherIssued';
      /** The date begins at `validFromMs` and the voucher ends at `validUntilMs`, both ms since the epoch, half-open. */
      readonly data: { readonly code: string; readonly validFromMs: number; readonly validUntilMs: number };
    }
  /** The fence: from here on no event of this booking can name the claim. */
  | { readonly type: 'ClaimAbandoned'; readonly data: { readonly claim: ClaimId; readonly allotment: AllotmentId } }
  | {
      readonly type: 'VisitVerified';
      readonly data: Visit & {
        /** Whose booking it was; null in visits of a version that did not note it. */
        readonly keyId: KeyId | null;
        readonly activityId: ActivityId;
        readonly venueId: VenueId;
        readonly city: CityName;
        readonly category: Category;
        readonly numGuests: number;
        readonly attribution: Attribution | null;
      };
    }
  /** The mail server, or the outbox, accepted the voucher's mail. */
  | {
      readonly type: 'VoucherMailed';
      /** `providerId` is what the mail server called it, where it said so. */
      readonly data: { readonly messageId: string; readonly providerId: string | null; readonly at: string };
    }
  | {
      readonly type: 'VoucherMailFailed';
      /** `attempt` counts from 1. `retryAtMs` (ms since the epoch) is null where it is not tried again. */
      readonly data: {
        readonly messageId: string;
        readonly attempt: number;
        readonly reason: string;
        readonly retryAtMs: number | null;
        readonly at: string;
      };
    };

export type Voucher = { readonly code: string; readonly validFromMs: number; readonly validUntilMs: number };

/** How far the mail with the present voucher has come. `issue` counts the booking's vouchers: 1 for the first. */
export type VoucherMail = { readonly issue: number } & (
  | { readonly status: 'unsent' }
  | {
      readonly status: 'failing';
      readonly messageId: string;
      readonly attempts: number;
      readonly retryAtMs: number | null;
    }
  | { readonly status: 'sent'; readonly messageId: string; readonly at: string }
);

/** A booking by its status. `none`: nothing was booked under this id, though claims may have been abandoned. */
export type Booking = { readonly abandoned: readonly ClaimId[] } & (
  | { readonly status: 'none' }
  | {
      readonly status: 'confirmed';
      readonly facts: BookingFacts;
      readonly chargedMinor: number;
      readonly voucher: Voucher | null;
      readonly mail: VoucherMail;
    }
  | {
      readonly status: 'completed';
      readonly facts: BookingFacts;
      readonly chargedMinor: number;
      readonly voucher: Voucher | null;
      readonly mail: VoucherMail;
      readonly visit: Visit;
    }
);

export type ExistingBooking = Exclude<Booking, { status: 'none' }>;

export type BookingCommand =
  | { readonly type: 'Book'; readonly facts: BookingFacts; readonly voucher: Voucher }
  | { readonly type: 'AbandonClaim'; readonly claim: ClaimId; readonly allotment: AllotmentId }
  | { readonly type: 'VerifyVisit'; readonly venueId: VenueId; readonly visit: Visit }
  /** `issue` says which voucher the mail carried. */
  | ({ readonly type: 'RecordVoucherMailed'; readonly issue: number } & DataOf<'VoucherMailed'>)
  | ({ readonly type: 'RecordVoucherMailFailed'; readonly issue: number } & DataOf<'VoucherMailFailed'>);

type DataOf<Type extends BookingEvent['type']> = Extract<BookingEvent, { type: Type }>['data'];

export type BookingRejection =
  | { readonly code: 'CLAIM_ABANDONED' }
  | { readonly code: 'CLAIM_HELD' }
  | { readonly code: 'BOOKING_NOT_FOUND' }
  | { readonly code: 'IDEMPOTENCY_KEY_REUSED' }
  | { readonly code: 'VOUCHER_NOT_FOUND' }
  | { readonly code: 'WRONG_VENUE'; readonly venueId: VenueId }
  | { readonly code: 'VOUCHER_ALREADY_VERIFIED'; readonly verifiedAtMs: number; readonly gate: string | null }
  | { readonly code: 'VOUCHER_NOT_VALID_TODAY'; readonly date: LocalDate; readonly validFromMs: number }
  | { readonly code: 'VOUCHER_EXPIRED'; readonly date: LocalDate; readonly validUntilMs: number };

export function guestsOf(facts: { readonly numAdults: number; readonly numChildren: number }): number {
  return facts.numAdults + facts.numChildren;
}

/** All amounts of a price for so many guests, in minor units. */
export function amounts(pricing: Pricing, guests: number) {
  const subtotalMinor = pricing.unitPriceMinor * guests;
  const discountMinor = pricing.discountMinor * guests;
  return { subtotalMinor, discountMinor, totalMinor: subtotalMinor - discountMinor };
}
