import { codec } from '../../eventsourcing/codec.ts';
import type { ActivityId, CancellationPolicy, LocalDate, VenueId } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { Currency } from '../activity/money.ts';
import type { BookingPricing } from '../activity/pricing.ts';
import type { Category } from '../activity/vocabulary.ts';
import type { AllotmentId, ClaimId, CommandId, DeviceId, Fingerprint, KeyId } from '../ids.ts';
import type { Attribution, BookingFacts, BookingSubject, ClaimRef, Deadlines, Hours, PublicFacts } from './facts.ts';
import type { FailedAttempt, NoticeEvent } from './notice-events.ts';
import * as upcast from './upcasters.ts';

export type { NoticeAudience, NoticeKind, NoticeRef } from './notice-events.ts';

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
  /** Time of the scan, ms since the epoch. */
  readonly verifiedAtMs: number;
  /** When the service received the scan, ms since the epoch; null in events of earlier versions. */
  readonly reportedAtMs: number | null;
  /** The device's number for an upload of scans made offline; null if it sent none. */
  readonly uploadedSequence: number | null;
  readonly method: 'qr_scan' | 'manual';
  readonly deviceId: DeviceId;
  readonly gate: string | null;
  /** How many of the guests came; left out if the gate said nothing: all. */
  readonly guestsPresent?: number;
  readonly command: CommandId;
  readonly fingerprint: Fingerprint;
};
export type ReportedVisit = Visit & { readonly reportedAtMs: number };

/** A verified visit, with every fact that the readers of its events need. */
export type VisitFacts = Visit & {
  /** The booking's key; null in events of earlier versions. */
  readonly keyId: KeyId | null;
  readonly activityId: ActivityId;
  readonly venueId: VenueId;
  readonly city: CityName;
  readonly category: Category;
  readonly numGuests: number;
  readonly attribution: Attribution | null;
  /** The booking's whole charge was refunded; false in events of earlier versions. */
  readonly disputed: boolean;
  /** When the activity opened on the booked date, ms since the epoch; null in events of earlier versions. */
  readonly opensAtMs: number | null;
};

/**
 * An event that becomes a public event. Absent in events of earlier versions, and in later ones of the same booking: there
 * the record of the delivery says what the public event refers to (docs/decisions/0056).
 */
export type Public = { readonly publicFacts?: PublicFacts };

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
      readonly data: BookingFacts &
        Public & {
          /** The booking's earlier event; null if this is the first. */
          readonly follows: 'BookingStarted' | 'BookingPlacedOnRequest' | null;
          /**
           * The venue's confirmation, ms since the epoch. Absent if the venue was not asked, and in events of earlier
           * versions: the booking then counts as confirmed at its request.
           */
          readonly confirmedAtMs?: number;
        };
    }
  | {
      readonly type: 'BookingRejected';
      readonly data: BookingSubject &
        Public & {
          readonly reason: 'venue_unavailable' | 'system';
          readonly code: RejectionCode;
          readonly by: Changer;
          readonly currency: Currency;
          /** The claims that the booking named; it names none from here on. */
          readonly dropped: readonly ClaimRef[];
          readonly at: string;
        };
    }
  | {
      readonly type: 'BookingModified';
      readonly data: BookingSubject &
        Public & {
          readonly command: CommandId;
          readonly fingerprint: Fingerprint;
          readonly by: Changer;
          readonly changes: Changes;
          /** These fields and `date` hold the values after the modification. */
          readonly numAdults: number;
          readonly numChildren: number;
          readonly hours: Hours | null;
          readonly pricing: BookingPricing;
          readonly cancellation: CancellationPolicy;
          /** All claims after the modification, with the number of slots that the booking uses. */
          readonly claims: readonly ClaimRef[];
          /** Claims that the booking no longer names. */
          readonly dropped: readonly ClaimRef[];
          /** Claims that became smaller, with their remaining sizes. */
          readonly shrunk: readonly ClaimRef[];
          /** Null: unchanged. */
          readonly guest: GuestRecordRef | null;
          /** The booking's version after the modification. */
          readonly version: number;
          /**
           * The venue's new deadline to answer, ms since the epoch. Null if the venue need not answer, and in
           * events of a version that left the deadline unchanged.
           */
          readonly answerByMs: number | null;
          readonly at: string;
        };
    }
  | {
      readonly type: 'BookingCancelled';
      readonly data: BookingSubject &
        Public & {
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
  /**
   * In the append of the booking's first event, only if the caller sent a reference: its keyed fingerprint, by which lists
   * find the booking. The text is in the guest's stream.
   */
  | { readonly type: 'ReferenceRecorded'; readonly data: { readonly reference: Fingerprint } }
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
  | { readonly type: 'VisitVerified'; readonly data: VisitFacts & Public }
  /** More of the guests came later on the day of the visit. `guestsPresent` is how many are present since then. */
  | {
      readonly type: 'GuestsArrived';
      readonly data: { readonly guestsPresent: number; readonly deviceId: DeviceId; readonly at: string };
    }
  /** The operator took the visit back, at most once. It repeats the visit, so that sums can subtract it. */
  | {
      readonly type: 'VisitVoided';
      readonly data: {
        readonly visit: VisitFacts;
        readonly reason: string;
        readonly by: Changer;
        readonly at: string;
      };
    }
  /** The guest's data must be deleted: `records` names the streams of all records. */
  | {
      readonly type: 'GuestErased';
      readonly data: { readonly records: readonly ClaimId[]; readonly by: Changer; readonly at: string };
    }
  /** An operator asked to mail the present voucher again. */
  | {
      readonly type: 'VoucherMailRequested';
      readonly data: { readonly command: CommandId; readonly by: Changer; readonly at: string };
    }
  /** The mail server, or the outbox, accepted the voucher's mail. */
  | {
      readonly type: 'VoucherMailed';
      /** `providerId` is the mail server's id for the mail, if it returned one. */
      readonly data: Public & {
        readonly messageId: string;
        readonly providerId: string | null;
        /** Fingerprint of the address; null in events of earlier versions. */
        readonly recipient: Fingerprint | null;
        readonly at: string;
      };
    }
  /** The same for the mail of a voucher that was replaced during the attempt. It counts for the bounds of mails only. */
  | {
      readonly type: 'ReplacedVoucherMailed';
      readonly data: {
        readonly issue: number;
        readonly messageId: string;
        readonly recipient: Fingerprint;
        readonly at: string;
      };
    }
  | {
      readonly type: 'VoucherMailFailed';
      readonly data: FailedAttempt;
    }
  | NoticeEvent;

/** An amount on a key's account; `keyId` is null in events of earlier versions. */
type Amount = { readonly keyId: KeyId | null; readonly amountMinor: number; readonly currency: Currency };

export type EventData<Type extends BookingEvent['type']> = Extract<BookingEvent, { type: Type }>['data'];

export const bookingCodec = codec<BookingEvent>('booking', {
  BookingStarted: [],
  BookingPlacedOnRequest: [],
  BookingConfirmed: [
    upcast.logIdToAttribution,
    upcast.hoursUnknown,
    upcast.publicFactsUnknown,
    upcast.confirmationTimeUnknown,
    upcast.onePrice,
  ],
  BookingRejected: [upcast.publicFactsUnknown],
  BookingModified: [upcast.answerTimeKept, upcast.publicFactsUnknown, upcast.onePrice],
  BookingCancelled: [upcast.publicFactsUnknown],
  ChargeRecorded: [upcast.keyUnknown],
  RefundRecorded: [],
  VoucherIssued: [],
  ReferenceRecorded: [],
  ClaimAbandoned: [],
  VisitVerified: [
    upcast.logIdToAttribution,
    upcast.keyUnknown,
    upcast.publicFactsUnknown,
    upcast.reportUnknown,
    upcast.openingUnknown,
  ],
  GuestsArrived: [],
  VisitVoided: [],
  GuestErased: [],
  VoucherMailRequested: [],
  VoucherMailed: [upcast.publicFactsUnknown, upcast.recipientUnknown],
  ReplacedVoucherMailed: [],
  VoucherMailFailed: [],
  NoticeMailed: [],
  NoticeMailFailed: [],
});
