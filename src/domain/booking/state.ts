import type { OrderedMap } from '../../collections/ordered-map.ts';
import type { ClaimId, CommandId, Fingerprint } from '../ids.ts';
import type { EventData, NoticeAudience, NoticeRef, Public, VisitFacts } from './events.ts';
import { type BookingFacts, type Deadlines, type Hours, publicFactsOf } from './facts.ts';

export type Voucher = { readonly code: string; readonly validFromMs: number; readonly validUntilMs: number };

/** The status of the last mail with the current voucher. `issue` counts the vouchers and the requests to mail one again, from 1. */
export type VoucherMail = { readonly issue: number } & MailStatus;

/** The latest notice for the guest or the venue (docs/decisions/0103). */
export type Notice = NoticeRef & MailStatus;

type MailStatus =
  | { readonly status: 'unsent' }
  | {
      readonly status: 'failing';
      readonly messageId: string;
      readonly attempts: number;
      readonly reason: string;
      readonly retryAtMs: number | null;
    }
  | { readonly status: 'sent'; readonly messageId: string; readonly at: string };

/**
 * The booking's accepted mails, as far as the bounds of mails ask (docs/decisions/0072): the last ones, oldest first, and
 * the different recipients.
 */
export type SentMails = {
  /** `issue`: of a voucher mail; of a notice its version. */
  readonly last: readonly { readonly of: 'voucher' | 'notice'; readonly issue: number; readonly atMs: number }[];
  readonly recipients: readonly Fingerprint[];
  /** Whether a voucher mail was accepted: until then, notices leave room for it. */
  readonly voucher: boolean;
};

export type Cancellation = Pick<
  EventData<'BookingCancelled'>,
  'command' | 'fingerprint' | 'reason' | 'by' | 'refundMinor' | 'currency' | 'at'
>;
/** `at`: of the void, ISO 8601 UTC. */
export type VoidedVisit = { readonly visit: VisitFacts; readonly at: string };
export type RejectionFacts = Pick<EventData<'BookingRejected'>, 'reason' | 'code' | 'by' | 'at'>;

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
  /** Ms since the epoch; null before the confirmation. */
  readonly confirmedAtMs: number | null;
  readonly mail: VoucherMail;
  readonly sentMails: SentMails;
  /** The latest notices; null if the latest news for the guest is a voucher, or if there is none. */
  readonly notices: Readonly<Record<NoticeAudience, Notice | null>>;
  /** The commands that asked to mail the voucher again; a repetition asks for no further mail. */
  readonly mailRequests: readonly CommandId[];
  /** Counts the changes that the customer can see, from 1. Background work does not change it. */
  readonly version: number;
  /** A public event was stored without its facts, by an earlier version. */
  readonly publicByRecord: boolean;
  /** The visits that the operator took back, oldest first. */
  readonly voidedVisits: readonly VoidedVisit[];
  /** Modifications by command; a repetition is answered from them. */
  readonly modifications: OrderedMap<string, EventData<'BookingModified'>>;
};

/** A booking by its status. `none`: nothing was booked under this id, but claims may have been abandoned. */
export type Booking = { readonly abandoned: readonly ClaimId[] } & (
  | { readonly status: 'none' }
  | (Existing & Deadlines & { readonly status: 'processing' })
  | (Existing & { readonly status: 'pending'; readonly answerByMs: number })
  | (Existing & { readonly status: 'confirmed' })
  | (Existing & { readonly status: 'rejected'; readonly rejection: RejectionFacts })
  | (Existing & { readonly status: 'cancelled'; readonly cancellation: Cancellation })
  /** `cancellation` is set if the booking was cancelled after the visit, but before the visit was reported. */
  | (Existing & {
      readonly status: 'completed';
      readonly visit: VisitFacts;
      /** How many of the guests came, the later ones included. */
      readonly guestsPresent: number;
      readonly cancellation: Cancellation | null;
    })
);

export type ExistingBooking = Exclude<Booking, { status: 'none' }>;
export type BookingStatus = ExistingBooking['status'];

/**
 * The facts of the booking's next public event. None after an event without them, so that all events of the booking have
 * their place in the feed from the records of their deliveries, and keep their order.
 *
 * @param activityRevision of the catalogue now; left out if the payload has nothing of it
 */
export function nextPublic(
  { facts, publicByRecord }: Pick<ExistingBooking, 'facts' | 'publicByRecord'>,
  activityRevision?: number,
): Public {
  return publicByRecord ? {} : { publicFacts: publicFactsOf(facts, activityRevision) };
}

/** The visit that a command recorded, whether or not it was voided; null if it recorded none. */
export function visitBy(command: CommandId, booking: Booking): VisitFacts | null {
  if (booking.status === 'none') return null;
  if (booking.status === 'completed' && booking.visit.command === command) return booking.visit;
  return booking.voidedVisits.find(({ visit }) => visit.command === command)?.visit ?? null;
}

/** Whether everything that the booking was charged was refunded. */
export function refundedInFull({ chargedMinor, refundedMinor }: ExistingBooking): boolean {
  return chargedMinor > 0 && refundedMinor >= chargedMinor;
}

/** Whether the booked date is over at `nowMs` (ms since the epoch). */
export function isPast({ hours }: ExistingBooking, nowMs: number): boolean {
  return hours !== null && nowMs >= hours.closesAtMs;
}

/** Why a booking cannot be modified or cancelled at `nowMs` (ms since the epoch); null if it can. */
export function unchangeable(booking: ExistingBooking, nowMs: number): BookingStatus | 'past' | null {
  if (booking.status !== 'pending' && booking.status !== 'confirmed') return booking.status;
  return isPast(booking, nowMs) ? 'past' : null;
}
