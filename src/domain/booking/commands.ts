import type { Decision } from '../../eventsourcing/decider.ts';
import type { CancellationPolicy, LocalDate, VenueId } from '../activity/activity.ts';
import type { Pricing } from '../activity/pricing.ts';
import type { AllotmentId, ClaimId, CommandId, DeviceId, Fingerprint } from '../ids.ts';
import type {
  BookingEvent,
  CancellationReason,
  Changer,
  EventData,
  GuestField,
  GuestRecordRef,
  RejectionCode,
  ReportedVisit,
} from './events.ts';
import type { BookingFacts, ClaimRef, Deadlines, Hours } from './facts.ts';
import type { BookingStatus, RejectionFacts, Voucher } from './state.ts';

/** Fields of every command that comes from a caller. */
type CallerCommand = {
  readonly commandId: CommandId;
  readonly fingerprint: Fingerprint;
  readonly by: Changer;
  /** Versions that the caller accepts (If-Match); null: any. */
  readonly ifVersions: readonly number[] | null;
  readonly nowMs: number;
  /** `nowMs` as ISO 8601 UTC. */
  readonly at: string;
};

/** The requested state of a booking. Null: unchanged. */
export type Modification = {
  /** Another date, with the policy of its allotment. */
  readonly move: {
    readonly date: LocalDate;
    readonly hours: Hours;
    /** Last entry on that date; ms since the epoch. */
    readonly lastEntryMs: number;
    readonly cancellation: CancellationPolicy;
  } | null;
  readonly numAdults: number;
  readonly numChildren: number;
  /** A new record of the guest, and the fields that differ. */
  readonly guest: (GuestRecordRef & { readonly fields: readonly GuestField[] }) | null;
};

/** A claim made for a modification: of all guests on another date, or of the added ones; and its price per person. */
export type TakenSlots = { readonly claim: ClaimRef; readonly pricing: Pricing };

/** Fingerprint of the caller's reference, recorded with the booking's first event; undefined or null: none. */
type Referenced = { readonly reference?: Fingerprint | null };

/** Revision of the activity's catalogue entry at the command; its title is in the public event. */
type WithCatalogue = { readonly activityRevision: number };

/** The venue's own answer at `nowMs`, possible before `answerByMs` (ms since the epoch). An operator's answer has no deadline. */
type VenueAnswer = { readonly nowMs: number; readonly answerByMs: number };

export type BookingCommand =
  | ({ readonly type: 'Start'; readonly facts: BookingFacts } & Deadlines & Referenced)
  | ({ readonly type: 'PlaceOnRequest'; readonly facts: BookingFacts; readonly answerByMs: number } & Referenced)
  | ({ readonly type: 'ConfirmWithoutVenue'; readonly facts: BookingFacts; readonly voucher: Voucher } & Referenced &
      WithCatalogue)
  /** The venue's confirmation of a pending booking, for the versions in `ifVersions`; null: any. */
  | ({
      readonly type: 'ConfirmByVenue';
      readonly voucher: Voucher;
      readonly ifVersions: readonly number[] | null;
      readonly nowMs: number;
      /** Left out: an operator's. */
      readonly answer?: VenueAnswer;
    } & WithCatalogue)
  | {
      readonly type: 'Reject';
      readonly reason: RejectionFacts['reason'];
      readonly code: RejectionCode;
      readonly by: Changer;
      /** Versions of a pending booking that may be rejected; undefined: any. */
      readonly ifVersions?: readonly number[];
      /** Left out: not the venue's by its link. */
      readonly answer?: VenueAnswer;
      readonly at: string;
    }
  | ({
      readonly type: 'Modify';
      /** The version that the claim plan was made on. */
      readonly plannedOn: number;
      readonly modification: Modification;
      /** Null if the modification needs no slots. */
      readonly taken: TakenSlots | null;
    } & CallerCommand)
  | ({ readonly type: 'Cancel'; readonly reason: CancellationReason } & CallerCommand)
  | { readonly type: 'EraseGuest'; readonly by: Changer; readonly at: string }
  | { readonly type: 'AbandonClaim'; readonly claimId: ClaimId; readonly allotmentId: AllotmentId }
  | ({ readonly type: 'VerifyVisit'; readonly venueId: VenueId; readonly visit: ReportedVisit } & WithCatalogue)
  /** So many of the guests are present now, the later ones included. */
  | {
      readonly type: 'RecordArrivals';
      readonly venueId: VenueId;
      readonly deviceId: DeviceId;
      readonly guestsPresent: number;
      readonly nowMs: number;
      /** `nowMs` as ISO 8601 UTC. */
      readonly at: string;
    }
  /** Takes back the visit that the command `visit` recorded. */
  | { readonly type: 'VoidVisit'; readonly visit: CommandId; readonly reason: string; readonly at: string }
  /** Mail the present voucher again. */
  | {
      readonly type: 'RequestVoucherMail';
      readonly commandId: CommandId;
      readonly by: Changer;
      readonly nowMs: number;
      readonly at: string;
    }
  /** `issue` is the number of the mail. */
  | ({ readonly type: 'RecordVoucherMailed'; readonly issue: number; readonly recipient: Fingerprint } & Omit<
      EventData<'VoucherMailed'>,
      'publicFacts' | 'recipient'
    >)
  | ({ readonly type: 'RecordVoucherMailFailed'; readonly issue: number } & EventData<'VoucherMailFailed'>)
  | ({ readonly type: 'RecordNoticeMailed' } & Omit<EventData<'NoticeMailed'>, 'replaced'>)
  | ({ readonly type: 'RecordNoticeMailFailed' } & EventData<'NoticeMailFailed'>);

/** The command of this type, or of these types. */
export type BookingCommandOf<Type extends BookingCommand['type']> = Extract<BookingCommand, { type: Type }>;

export type BookingDecision = Decision<BookingEvent, BookingRejection>;

export type BookingRejection =
  | { readonly code: 'CLAIM_ABANDONED' }
  | { readonly code: 'CLAIM_NAMED' }
  | { readonly code: 'BOOKING_NOT_FOUND' }
  | { readonly code: 'IDEMPOTENCY_KEY_REUSED' }
  /** Another command changed the booking; `version` is its current version. */
  | { readonly code: 'REVISION_CONFLICT'; readonly version: number }
  | { readonly code: 'BOOKING_NOT_MODIFIABLE'; readonly why: BookingStatus | 'past' | 'erased' }
  /** The venue's deadline is over. */
  | { readonly code: 'ANSWER_TOO_LATE' }
  | { readonly code: 'BOOKING_NOT_CANCELLABLE'; readonly why: BookingStatus | 'past' }
  | { readonly code: 'VOUCHER_NOT_FOUND' }
  | { readonly code: 'WRONG_VENUE'; readonly venueId: VenueId }
  /** `verified_at` may be from `fromMs` to `toMs`, both inclusive. */
  | { readonly code: 'SCAN_TIME_OUT_OF_RANGE'; readonly fromMs: number; readonly toMs: number }
  | { readonly code: 'TOO_MANY_GUESTS'; readonly numGuests: number }
  | { readonly code: 'NO_VISIT' }
  | { readonly code: 'VOUCHER_CANCELLED'; readonly cancelledAt: string }
  /** `voidedAt`: the operator took this visit back, and the scan is a repetition of it; null: the visit counts. */
  | {
      readonly code: 'VOUCHER_ALREADY_VERIFIED';
      readonly verifiedAtMs: number;
      readonly gate: string | null;
      readonly voidedAt: string | null;
    }
  | { readonly code: 'VOUCHER_NOT_VALID_TODAY'; readonly date: LocalDate; readonly validFromMs: number }
  | { readonly code: 'VOUCHER_EXPIRED'; readonly date: LocalDate; readonly validUntilMs: number };
