import type { ActivityId, CancellationPolicy, LocalDate, VenueId } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Currency } from '../activity/money.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { Category, Language } from '../activity/vocabulary.ts';
import type { AllotmentId, ClaimId } from '../allotment/allotment.ts';
import type { PersistentMap } from '../persistent-map.ts';
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

/** The recommendation a booking came from: what conversions and ground truth are counted under. */
export type Attribution = {
  readonly logId: LogId;
  /** From 1; null where the activity was not among those shown. */
  readonly rank: number | null;
  /** Null in bookings of a version that did not note it. */
  readonly segment: Segment | null;
};

/** When the booked date begins at the city, when the venue opens on it and when it closes; ms since the epoch. */
export type Hours = { readonly beginsAtMs: number; readonly opensAtMs: number; readonly closesAtMs: number };

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
  /** Null in bookings of a version that did not note it: then those of the voucher count. */
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
  /** When it was asked for; ISO 8601 UTC. */
  readonly at: string;
};

/** What readers of later events need to know of the booking, so that none has to look for the first one. */
export type BookingSubject = Pick<
  BookingFacts,
  'keyId' | 'activityId' | 'venueId' | 'city' | 'category' | 'date' | 'attribution'
> & { readonly numGuests: number };

/** Who changed or ended a booking, as receivers are told. */
export type Changer = 'user' | 'operator' | 'venue' | 'system';
export const CANCELLATION_REASONS = ['user_requested', 'venue_unavailable', 'weather', 'system'] as const;
export type CancellationReason = (typeof CANCELLATION_REASONS)[number];
/** Why a booking never came to be confirmed: a code of the public contract. */
export type RejectionCode = 'ACTIVITY_UNAVAILABLE' | 'SERVICE_UNAVAILABLE';

type FromTo<Value> = { readonly from: Value; readonly to: Value };

/** What a modification changed. What is personal is only named: the values stand in the guests' records. */
export type Changes = {
  readonly date?: FromTo<LocalDate>;
  readonly numAdults?: FromTo<number>;
  readonly numChildren?: FromTo<number>;
  readonly guest?: readonly GuestField[];
};
export type GuestField = 'name' | 'email' | 'specialRequests';

/** Which record of the guest counts: the claim that it was made with, which its stream is named after, and its fingerprint. */
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
  /** Its slots are claimed and it can be read, but its guest may not be on record yet. */
  | { readonly type: 'BookingStarted'; readonly data: BookingFacts & Unfinished }
  /** The venue is asked; it may answer until a time (ms since the epoch). */
  | {
      readonly type: 'BookingPlacedOnRequest';
      readonly data: BookingFacts & { readonly answerByMs: number; readonly follows: 'BookingStarted' | null };
    }
  | {
      readonly type: 'BookingConfirmed';
      /** `follows` is the event by which the booking had been known before; null where it is the first. */
      readonly data: BookingFacts & { readonly follows: 'BookingStarted' | 'BookingPlacedOnRequest' | null };
    }
  | {
      readonly type: 'BookingRejected';
      readonly data: BookingSubject & {
        readonly reason: 'venue_unavailable' | 'system';
        readonly code: RejectionCode;
        readonly by: Changer;
        readonly currency: Currency;
        /** The claims it held: from here on it holds none. */
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
        /** As it is from here on; `date` too. */
        readonly numAdults: number;
        readonly numChildren: number;
        readonly hours: Hours | null;
        readonly pricing: Pricing;
        readonly cancellation: CancellationPolicy;
        /** All claims it holds from here on, with the sizes it relies on. */
        readonly claims: readonly ClaimRef[];
        /** Those it held and holds no longer. */
        readonly dropped: readonly ClaimRef[];
        /** Those it relies on less than before, with what is left. */
        readonly shrunk: readonly ClaimRef[];
        /** Null: as before. */
        readonly guest: GuestRecordRef | null;
        /** The version of the booking from here on. */
        readonly version: number;
        /**
         * Until when the venue may answer from here on, ms since the epoch. Null where it is not to be asked any more, and in
         * modifications of a version that left it as it was.
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
  /** Always in one append with the event that causes it. */
  | { readonly type: 'ChargeRecorded'; readonly data: Amount }
  | { readonly type: 'RefundRecorded'; readonly data: Amount }
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
  /** The guest's data is to be forgotten: every record of it, by the stream it is in. */
  | {
      readonly type: 'GuestErased';
      readonly data: { readonly records: readonly ClaimId[]; readonly by: Changer; readonly at: string };
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

/** Both in ms since the epoch. */
type Unfinished = {
  /** Until when the attempt that started it works at it; whatever is missing then is seen to by the service. */
  readonly finishByMs: number;
  /** Until when the venue may answer, which is asked next; null where nobody is asked and it is confirmed. */
  readonly answerByMs: number | null;
};

/** On the account of a key; null in events of a version that did not note it. */
type Amount = { readonly keyId: KeyId | null; readonly amountMinor: number; readonly currency: Currency };

export type EventData<Type extends BookingEvent['type']> = Extract<BookingEvent, { type: Type }>['data'];

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

export type Cancellation = Pick<
  EventData<'BookingCancelled'>,
  'command' | 'fingerprint' | 'reason' | 'by' | 'refundMinor' | 'currency' | 'at'
>;
export type Rejection = Pick<EventData<'BookingRejected'>, 'reason' | 'code' | 'by' | 'at'>;

type Existing = {
  /** As they are now: a modification changes them. */
  readonly facts: BookingFacts;
  /** Null until the facts or a voucher say it. */
  readonly hours: Hours | null;
  /** The stream of the guest's present record; `facts.guest` is its fingerprint. */
  readonly guestRecord: ClaimId;
  /** Every record that ever counted: earlier events speak of the earlier ones. */
  readonly guestRecords: readonly ClaimId[];
  readonly guestErased: boolean;
  readonly chargedMinor: number;
  readonly refundedMinor: number;
  readonly voucher: Voucher | null;
  readonly mail: VoucherMail;
  /** Counts what its customer can see of it; from 1. What happens in the background does not change it. */
  readonly version: number;
  /** Modifications by their commands: what a repetition is answered with. */
  readonly modifications: PersistentMap<EventData<'BookingModified'>>;
};

/** A booking by its status. `none`: nothing was booked under this id, though claims may have been abandoned. */
export type Booking = { readonly abandoned: readonly ClaimId[] } & (
  | { readonly status: 'none' }
  | (Existing & Unfinished & { readonly status: 'processing' })
  | (Existing & { readonly status: 'pending'; readonly answerByMs: number })
  | (Existing & { readonly status: 'confirmed' })
  | (Existing & { readonly status: 'rejected'; readonly rejection: Rejection })
  | (Existing & { readonly status: 'cancelled'; readonly cancellation: Cancellation })
  /** `cancellation` where it was cancelled after the visit, before the venue told of it. */
  | (Existing & { readonly status: 'completed'; readonly visit: Visit; readonly cancellation: Cancellation | null })
);

export type ExistingBooking = Exclude<Booking, { status: 'none' }>;
export type BookingStatus = ExistingBooking['status'];

/** What all commands of callers carry beside their wish. */
type Wished = {
  readonly command: CommandId;
  readonly fingerprint: Fingerprint;
  readonly by: Changer;
  /** Versions of the booking that the caller would change; null: whichever it has. */
  readonly ifVersion: readonly number[] | null;
  readonly nowMs: number;
  /** The same moment; ISO 8601 UTC. */
  readonly at: string;
};

/** What a booking is to become. Null: as it is. */
export type Modification = {
  /** Another date, with what its allotment says. */
  readonly move: {
    readonly date: LocalDate;
    readonly hours: Hours;
    /** Past it nobody is let in on that date any more: ms since the epoch. */
    readonly lastEntryMs: number;
    readonly pricing: Pricing;
    readonly cancellation: CancellationPolicy;
  } | null;
  readonly numAdults: number;
  readonly numChildren: number;
  /** Another record of the guest, and what differs in it. */
  readonly guest: (GuestRecordRef & { readonly fields: readonly GuestField[] }) | null;
};

export type BookingCommand =
  | ({ readonly type: 'Start'; readonly facts: BookingFacts } & Unfinished)
  | { readonly type: 'PlaceOnRequest'; readonly facts: BookingFacts; readonly answerByMs: number }
  | { readonly type: 'Book'; readonly facts: BookingFacts; readonly voucher: Voucher }
  /** The venue's answer to a pending booking; `ifVersion` as in all wishes: what the venue agrees to, and the voucher is for. */
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
      /** The version on which it was worked out which slots it takes. */
      readonly plannedOn: number;
      readonly modification: Modification;
      /** Slots claimed for it; null where it needs none. */
      readonly taken: ClaimRef | null;
    } & Wished)
  | ({ readonly type: 'Cancel'; readonly reason: CancellationReason } & Wished)
  | { readonly type: 'EraseGuest'; readonly by: Changer; readonly at: string }
  | { readonly type: 'AbandonClaim'; readonly claim: ClaimId; readonly allotment: AllotmentId }
  | { readonly type: 'VerifyVisit'; readonly venueId: VenueId; readonly visit: Visit }
  /** `issue` says which voucher the mail carried. */
  | ({ readonly type: 'RecordVoucherMailed'; readonly issue: number } & EventData<'VoucherMailed'>)
  | ({ readonly type: 'RecordVoucherMailFailed'; readonly issue: number } & EventData<'VoucherMailFailed'>);

export type BookingRejection =
  | { readonly code: 'CLAIM_ABANDONED' }
  | { readonly code: 'CLAIM_HELD' }
  | { readonly code: 'BOOKING_NOT_FOUND' }
  | { readonly code: 'IDEMPOTENCY_KEY_REUSED' }
  /** Something else changed it meanwhile: it has this version now. */
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
