import type { ActivityId, CancellationPolicy, LocalDate, VenueId } from '../activity/activity.ts';
import type { CityName } from '../activity/cities.ts';
import type { BookingPricing } from '../activity/pricing.ts';
import type { Language } from '../activity/vocabulary.ts';
import type { BookingId, KeyId, LogId } from '../ids.ts';
import type { GuestRecordRef, VisitFacts } from './events.ts';
import type { BookingFacts, Hours } from './facts.ts';
import { type MailReason, mailReasonOf } from './mail.ts';
import type { BookingStatus, Cancellation, ExistingBooking, RejectionFacts, VoidedVisit, Voucher } from './state.ts';

/** What answers show of a booking, apart from its guest. The read model of lists stores the same fields. */
export type BookingSummary = {
  readonly bookingId: BookingId;
  readonly keyId: KeyId;
  readonly status: BookingStatus;
  readonly activityId: ActivityId;
  readonly venueId: VenueId;
  readonly city: CityName;
  readonly date: LocalDate;
  readonly numAdults: number;
  readonly numChildren: number;
  readonly pricing: BookingPricing;
  readonly policy: CancellationPolicy;
  readonly language: Language;
  readonly webhookUrl: string | null;
  /** The recommendation that led to the booking. */
  readonly logId: LogId | null;
  readonly voucher: Pick<Voucher, 'code' | 'validUntilMs'> | null;
  /** When the mail with the current voucher was sent, ISO 8601 UTC. */
  readonly mailedAt: string | null;
  /** Why the voucher is not mailed, or not yet; null if it was mailed, or for another reason. */
  readonly mailReason: MailReason | null;
  readonly rejection: Pick<RejectionFacts, 'at' | 'reason' | 'code'> | null;
  readonly cancellation: Pick<Cancellation, 'at' | 'reason' | 'refundMinor' | 'currency'> | null;
  readonly visit: VisitSummary | null;
  /** The latest visit that the operator took back. */
  readonly voidedVisit: VoidedVisitSummary | null;
  /** The guest's current record. */
  readonly guest: GuestRecordRef;
  readonly guestErased: boolean;
  /** Null until the facts or a voucher contain them. */
  readonly hours: Hours | null;
  /** Counts the changes that the customer can see, from 1. */
  readonly version: number;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
};

/** `at` is the time of the scan, ISO 8601 UTC. `guestsPresent` includes guests who came later. A disputed visit's booking was refunded in full. */
export type VisitSummary = { readonly at: string; readonly disputed: boolean; readonly guestsPresent: number };
/** `at` is the time of the scan. Both ISO 8601 UTC. */
type VoidedVisitSummary = { readonly at: string; readonly voidedAt: string };

export function summaryOf(bookingId: BookingId, booking: ExistingBooking): BookingSummary {
  const { status, facts, voucher, mail, guestRecord, guestErased, hours, version } = booking;
  const cancellation = 'cancellation' in booking ? booking.cancellation : null;
  const voided = booking.voidedVisits.at(-1);
  return {
    ...summaryOfFacts(bookingId, facts),
    status,
    voucher: voucher === null ? null : { code: voucher.code, validUntilMs: voucher.validUntilMs },
    mailedAt: mail.status === 'sent' ? mail.at : null,
    mailReason: mail.status === 'failing' ? mailReasonOf(mail.reason) : null,
    rejection: status === 'rejected' ? rejectionOf(booking.rejection) : null,
    cancellation: cancellation === null ? null : cancellationOf(cancellation),
    visit: status === 'completed' ? { ...visitOf(booking.visit), guestsPresent: booking.guestsPresent } : null,
    voidedVisit: voided === undefined ? null : voidedVisitOf(voided),
    guest: { record: guestRecord, fingerprint: facts.guest },
    guestErased,
    hours,
    version,
  };
}

/** The part of a summary that the facts of a booking determine. */
export function summaryOfFacts(bookingId: BookingId, facts: BookingFacts) {
  const { keyId, activityId, venueId, city, date, numAdults, numChildren, pricing, language, webhookUrl } = facts;
  return {
    bookingId,
    keyId,
    activityId,
    venueId,
    city,
    date,
    numAdults,
    numChildren,
    pricing,
    policy: facts.cancellation,
    language,
    webhookUrl,
    logId: facts.attribution?.logId ?? null,
    createdAt: facts.at,
  };
}

export function rejectionOf({ at, reason, code }: RejectionFacts): NonNullable<BookingSummary['rejection']> {
  return { at, reason, code };
}

export function cancellationOf(
  cancellation: Pick<Cancellation, 'at' | 'reason' | 'refundMinor' | 'currency'>,
): NonNullable<BookingSummary['cancellation']> {
  const { at, reason, refundMinor, currency } = cancellation;
  return { at, reason, refundMinor, currency };
}

export function visitOf(visit: VisitFacts): VisitSummary {
  const { verifiedAtMs, disputed, numGuests, guestsPresent = numGuests } = visit;
  return { at: new Date(verifiedAtMs).toISOString(), disputed, guestsPresent };
}

export function voidedVisitOf({ visit, at }: VoidedVisit): VoidedVisitSummary {
  return { at: new Date(visit.verifiedAtMs).toISOString(), voidedAt: at };
}
