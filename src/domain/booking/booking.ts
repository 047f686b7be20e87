import type { OrderedMap } from '../../collections/ordered-map.ts';
import type { ActivityId, CancellationPolicy, LocalDate, VenueId } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Currency } from '../activity/money.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { Category, Language } from '../activity/vocabulary.ts';
import type { AllotmentId, ClaimId } from '../allotment/allotment.ts';
import type { LogId, Segment } from '../recommendation/profile.ts';

export type { BookingId } from '../allotment/allotment.ts';

export type KeyId = string & { readonly __brand: 'KeyId' };
export type DeviceId = string & { readonly __brand: 'DeviceId' };
/** One command of one caller; repetitions have the same id. */
export type CommandId = string & { readonly __brand: 'CommandId' };
/** A keyed digest of a command's validated fields: the same fields give the same fingerprint. */
export type Fingerprint = string & { readonly __brand: 'Fingerprint' };

/** A claim that a booking holds, and the number of slots that the booking relies on. */
export type ClaimRef = { readonly allotment: AllotmentId; readonly id: ClaimId; readonly size: number };

/** The recommendation that led to a booking; conversions and ground truth are counted by it. */
export type Attribution = {
  readonly logId: LogId;
  /** From 1; null if the activity was not shown. */
  readonly rank: number | null;
  /** Null in events of earlier versions. */
  readonly segment: Segment | null;
};

/** Local midnight of the booked date, and the venue's opening and closing on it; ms since the epoch. */
export type Hours = { readonly beginsAtMs: number; readonly opensAtMs: number; readonly closesAtMs: number };

/** What was booked. Contains no personal data: `guest` is the fingerprint of a record in the guest stream. */
export type BookingFacts = {
  readonly keyId: KeyId;
  readonly command: CommandId;
  readonly fingerprint: Fingerprint;
  readonly activityId: ActivityId;
  readonly venueId: VenueId;
  readonly city: CityName;
  readonly category: Category;
  readonly date: LocalDate;
  /** Null in events of earlier versions: then the voucher's validity is used. */
  readonly hours: Hours | null;
  readonly numAdults: number;
  readonly numChildren: number;
  readonly claims: readonly ClaimRef[];
  readonly guest: Fingerprint;
  readonly pricing: Pricing;
  readonly cancellation: CancellationPolicy;
  readonly language: Language;
  readonly attribution: Attribution | null;
  readonly webhookUrl: string | null;
  /** Time of the request; ISO 8601 UTC. */
  readonly at: string;
};

/** Facts that later events repeat, so that their readers do not need the first event. */
export type BookingSubject = Pick<
  BookingFacts,
  'keyId' | 'activityId' | 'venueId' | 'city' | 'category' | 'date' | 'attribution'
> & { readonly numGuests: number };

/** Who changed or ended a booking, as in the webhooks. */
export type Changer = 'user' | 'operator' | 'venue' | 'system';
export const CANCELLATION_REASONS = ['user_requested', 'venue_unavailable', 'weather', 'system'] as const;
export type CancellationReason = (typeof CANCELLATION_REASONS)[number];
/** Why a booking was rejected: a code of the public contract. */
export type RejectionCode = 'ACTIVITY_UNAVAILABLE' | 'SERVICE_UNAVAILABLE';

type FromTo<Value> = { readonly from: Value; readonly to: Value };

/** What a modification changed. Guest fields are only named: the values are in the guest's records. */
export type Changes = {
  readonly date?: FromTo<LocalDate>;
  readonly numAdults?: FromTo<number>;
  readonly numChildren?: FromTo<number>;
  readonly guest?: readonly GuestField[];
};
export type GuestField = 'name' | 'email' | 'specialRequests';

/** The guest's current record: the claim that its stream is named after, and its fingerprint. */
export type GuestRecordRef = { readonly record: ClaimId; readonly fingerprint: Fingerprint };

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
  /** The slots are claimed and the booking can be read; the guest may not be recorded yet. */
  | { readonly type: 'BookingStarted'; readonly data: BookingFacts & Deadlines }
  /** The venue is asked to confirm until `answerByMs` (ms since the epoch). */
  | {
      readonly type: 'BookingPlacedOnRequest';
      readonly data: BookingFacts & { readonly answerByMs: number; readonly follows: 'BookingStarted' | null };
    }
  | {
      readonly type: 'BookingConfirmed';
      /** `follows` is the booking's earlier event; null if this is the first. */
      readonly data: BookingFacts & { readonly follows: 'BookingStarted' | 'BookingPlacedOnRequest' | null };
    }
  | {
      readonly type: 'BookingRejected';
      readonly data: BookingSubject & {
        readonly reason: 'venue_unavailable' | 'system';
        readonly code: RejectionCode;
        readonly by: Changer;
        readonly currency: Currency;
        /** The claims that the booking held; it holds none from here on. */
        readonly dropped: readonly ClaimRef[];
        readonly at: string;
      };
    }
  | {
      readonly type: 'BookingModified';
      readonly data: BookingSubject & {
        readonly command: CommandId;
        readonly fingerprint: Fingerprint;
        readonly by: Changer;
        readonly changes: Changes;
        /** These fields and `date` hold the values after the modification. */
        readonly numAdults: number;
        readonly numChildren: number;
        readonly hours: Hours | null;
        readonly pricing: Pricing;
        readonly cancellation: CancellationPolicy;
        /** All claims after the modification, with the sizes that the booking relies on. */
        readonly claims: readonly ClaimRef[];
        /** Claims that the booking no longer holds. */
        readonly dropped: readonly ClaimRef[];
        /** Claims that became smaller, with their remaining sizes. */
        readonly shrunk: readonly ClaimRef[];
        /** Null: unchanged. */
        readonly guest: GuestRecordRef | null;
        /** The booking's version after the modification. */
        readonly version: number;
        /**
         * The venue's new deadline to answer, ms since the epoch. Null if the venue is not asked any more, and in
         * events of a version that left the deadline unchanged.
         */
        readonly answerByMs: number | null;
        readonly at: string;
      };
    }
  | {
      readonly type: 'BookingCancelled';
      readonly data: BookingSubject & {
        readonly command: CommandId;
        readonly fingerprint: Fingerprint;
        readonly reason: CancellationReason;
        readonly by: Changer;
        readonly refundMinor: number;
        readonly currency: Currency;
        readonly dropped: readonly ClaimRef[];
        readonly at: string;
      };
    }
  /** Always appended together with the event that causes it. */
  | { readonly type: 'ChargeRecorded'; readonly data: Amount }
  | { readonly type: 'RefundRecorded'; readonly data: Amount }
  | {
      readonly type: 'VoucherIssued';
      /** `validFromMs` is the start of the date, `validUntilMs` the end of validity; ms since the epoch, half-open. */
      readonly data: { readonly code: string; readonly validFromMs: number; readonly validUntilMs: number };
    }
  /** The fence: from here on no event of this booking can name the claim. */
  | { readonly type: 'ClaimAbandoned'; readonly data: { readonly claim: ClaimId; readonly allotment: AllotmentId } }
  | {
      readonly type: 'VisitVerified';
      readonly data: Visit & {
        /** The booking's key; null in events of earlier versions. */
        readonly keyId: KeyId | null;
        readonly activityId: ActivityId;
        readonly venueId: VenueId;
        readonly city: CityName;
        readonly category: Category;
        readonly numGuests: number;
        readonly attribution: Attribution | null;
      };
    }
  /** The guest's data must be deleted: `records` names the streams of all records. */
  | {
      readonly type: 'GuestErased';
      readonly data: { readonly records: readonly ClaimId[]; readonly by: Changer; readonly at: string };
    }
  /** The mail server, or the outbox, accepted the voucher's mail. */
  | {
      readonly type: 'VoucherMailed';
      /** `providerId` is the mail server's id for the mail, if it returned one. */
      readonly data: { readonly messageId: string; readonly providerId: string | null; readonly at: string };
    }
  | {
      readonly type: 'VoucherMailFailed';
      /** `attempt` counts from 1. `retryAtMs` (ms since the epoch) is null after the last attempt. */
      readonly data: {
        readonly messageId: string;
        readonly attempt: number;
        readonly reason: string;
        readonly retryAtMs: number | null;
        readonly at: string;
      };
    };

/** Both in ms since the epoch. */
type Deadlines = {
  /**
   * The request that started the booking works on it until then; afterwards a process manager completes or rejects it.
   */
  readonly finishByMs: number;
  /** The venue's deadline to answer; null if the booking needs no confirmation by the venue. */
  readonly answerByMs: number | null;
};

/** An amount on a key's account; `keyId` is null in events of earlier versions. */
type Amount = { readonly keyId: KeyId | null; readonly amountMinor: number; readonly currency: Currency };

export type EventData<Type extends BookingEvent['type']> = Extract<BookingEvent, { type: Type }>['data'];

export type Voucher = { readonly code: string; readonly validFromMs: number; readonly validUntilMs: number };

/** The status of the mail with the current voucher. `issue` counts the booking's vouchers, from 1. */
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

export type Cancellation = Pick<
  EventData<'BookingCancelled'>,
  'command' | 'fingerprint' | 'reason' | 'by' | 'refundMinor' | 'currency' | 'at'
>;
export type Rejection = Pick<EventData<'BookingRejected'>, 'reason' | 'code' | 'by' | 'at'>;

type Existing = {
  /** The current facts; modifications change them. */
  readonly facts: BookingFacts;
  /** Null until the facts or a voucher contain them. */
  readonly hours: Hours | null;
  /** The stream of the guest's current record; `facts.guest` is its fingerprint. */
  readonly guestRecord: ClaimId;
  /** All records, including replaced ones, which earlier events refer to. */
  readonly guestRecords: readonly ClaimId[];
  readonly guestErased: boolean;
  readonly chargedMinor: number;
  readonly refundedMinor: number;
  readonly voucher: Voucher | null;
  readonly mail: VoucherMail;
  /** Counts the changes that the customer can see, from 1. Background work does not change it. */
  readonly version: number;
  /** Modifications by command; a repetition is answered from them. */
  readonly modifications: OrderedMap<string, EventData<'BookingModified'>>;
};

/** A booking by its status. `none`: nothing was booked under this id, but claims may have been abandoned. */
export type Booking = { readonly abandoned: readonly ClaimId[] } & (
  | { readonly status: 'none' }
  | (Existing & Deadlines & { readonly status: 'processing' })
  | (Existing & { readonly status: 'pending'; readonly answerByMs: number })
  | (Existing & { readonly status: 'confirmed' })
  | (Existing & { readonly status: 'rejected'; readonly rejection: Rejection })
  | (Existing & { readonly status: 'cancelled'; readonly cancellation: Cancellation })
  /** `cancellation` is set if the booking was cancelled after the visit, but before the visit was reported. */
  | (Existing & { readonly status: 'completed'; readonly visit: Visit; readonly cancellation: Cancellation | null })
);

export type ExistingBooking = Exclude<Booking, { status: 'none' }>;
export type BookingStatus = ExistingBooking['status'];

/** Fields of every command that comes from a caller. */
type CallerCommand = {
  readonly command: CommandId;
  readonly fingerprint: Fingerprint;
  readonly by: Changer;
  /** Versions that the caller accepts (If-Match); null: any. */
  readonly ifVersion: readonly number[] | null;
  readonly nowMs: number;
  /** `nowMs` as ISO 8601 UTC. */
  readonly at: string;
};

/** The requested state of a booking. Null: unchanged. */
export type Modification = {
  /** Another date, with the terms of its allotment. */
  readonly move: {
    readonly date: LocalDate;
    readonly hours: Hours;
    /** Last entry on that date; ms since the epoch. */
    readonly lastEntryMs: number;
    readonly pricing: Pricing;
    readonly cancellation: CancellationPolicy;
  } | null;
  readonly numAdults: number;
  readonly numChildren: number;
  /** A new record of the guest, and the fields that differ. */
  readonly guest: (GuestRecordRef & { readonly fields: readonly GuestField[] }) | null;
};

export type BookingCommand =
  | ({ readonly type: 'Start'; readonly facts: BookingFacts } & Deadlines)
  | { readonly type: 'PlaceOnRequest'; readonly facts: BookingFacts; readonly answerByMs: number }
  | { readonly type: 'Book'; readonly facts: BookingFacts; readonly voucher: Voucher }
  /** The venue's confirmation of a pending booking, for the versions in `ifVersion`; null: any. */
  | {
      readonly type: 'Confirm';
      readonly voucher: Voucher;
      readonly ifVersion: readonly number[] | null;
      readonly nowMs: number;
    }
  | {
      readonly type: 'Reject';
      readonly reason: Rejection['reason'];
      readonly code: RejectionCode;
      readonly by: Changer;
      readonly at: string;
    }
  | ({
      readonly type: 'Modify';
      /** The version that the claim plan was made on. */
      readonly plannedOn: number;
      readonly modification: Modification;
      /** The claim made for the modification; null if it needs none. */
      readonly taken: ClaimRef | null;
    } & CallerCommand)
  | ({ readonly type: 'Cancel'; readonly reason: CancellationReason } & CallerCommand)
  | { readonly type: 'EraseGuest'; readonly by: Changer; readonly at: string }
  | { readonly type: 'AbandonClaim'; readonly claim: ClaimId; readonly allotment: AllotmentId }
  | { readonly type: 'VerifyVisit'; readonly venueId: VenueId; readonly visit: Visit }
  /** `issue` is the number of the voucher in the mail. */
  | ({ readonly type: 'RecordVoucherMailed'; readonly issue: number } & EventData<'VoucherMailed'>)
  | ({ readonly type: 'RecordVoucherMailFailed'; readonly issue: number } & EventData<'VoucherMailFailed'>);

export type BookingRejection =
  | { readonly code: 'CLAIM_ABANDONED' }
  | { readonly code: 'CLAIM_HELD' }
  | { readonly code: 'BOOKING_NOT_FOUND' }
  | { readonly code: 'IDEMPOTENCY_KEY_REUSED' }
  /** Another command changed the booking; `version` is its current version. */
  | { readonly code: 'REVISION_CONFLICT'; readonly version: number }
  | { readonly code: 'BOOKING_NOT_MODIFIABLE'; readonly why: BookingStatus | 'past' | 'erased' }
  | { readonly code: 'BOOKING_NOT_CANCELLABLE'; readonly why: BookingStatus | 'past' }
  | { readonly code: 'VOUCHER_NOT_FOUND' }
  | { readonly code: 'WRONG_VENUE'; readonly venueId: VenueId }
  | { readonly code: 'VOUCHER_CANCELLED'; readonly cancelledAt: string }
  | { readonly code: 'VOUCHER_ALREADY_VERIFIED'; readonly verifiedAtMs: number; readonly gate: string | null }
  | { readonly code: 'VOUCHER_NOT_VALID_TODAY'; readonly date: LocalDate; readonly validFromMs: number }
  | { readonly code: 'VOUCHER_EXPIRED'; readonly date: LocalDate; readonly validUntilMs: number };

export function guestsOf(facts: { readonly numAdults: number; readonly numChildren: number }): number {
  return facts.numAdults + facts.numChildren;
}
