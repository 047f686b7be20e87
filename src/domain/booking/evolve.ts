import { OrderedMap } from '../../collections/ordered-map.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { PUBLIC_NAMES } from '../delivery/public-events.ts';
import type { ClaimId } from '../ids.ts';
import type { BookingEvent, EventData } from './events.ts';
import type { BookingFacts, Hours } from './facts.ts';
import { NO_MAILS, withMail as withSentMail } from './mail-bounds.ts';
import { ended, NO_NOTICES, requested, withNoticeMailed, withNoticeMailFailed } from './notices.ts';
import type { Booking, ExistingBooking } from './state.ts';

const NO_MODIFICATIONS = new OrderedMap<string, EventData<'BookingModified'>>();
/** Requests for a mail whose ids are kept for repetitions. */
const KEPT_MAIL_REQUESTS = 16;
const UNSENT = { issue: 0, status: 'unsent' } as const;

/** The booking after an event. Only copies facts; the decider has checked them. */
export function evolve(booking: Booking, event: BookingEvent): Booking {
  const next = apply(booking, event);
  const byRecord = PUBLIC_NAMES[event.type] !== null && !('publicFacts' in event.data);
  return byRecord && next.status !== 'none' ? { ...next, publicByRecord: true } : next;
}

function apply(booking: Booking, event: BookingEvent): Booking {
  if (isOfMail(event)) return withMail(existing(booking, event), event);
  switch (event.type) {
    case 'BookingStarted': {
      const { finishByMs, answerByMs, ...facts } = event.data;
      return { ...createOrContinue(booking, facts), status: 'processing', finishByMs, answerByMs };
    }
    case 'BookingPlacedOnRequest': {
      const { answerByMs, follows: _, ...facts } = event.data;
      const placed = createOrContinue(booking, facts);
      return { ...placed, status: 'pending', answerByMs, notices: requested(placed.version) };
    }
    case 'BookingConfirmed': {
      const { follows: _, publicFacts: __, confirmedAtMs = Date.parse(event.data.at), ...facts } = event.data;
      return { ...createOrContinue(booking, facts), status: 'confirmed', confirmedAtMs, notices: NO_NOTICES };
    }
    case 'BookingRejected': {
      const { reason, code, by, at } = event.data;
      const before = withoutClaims(existing(booking, event));
      const notices = noticesOfRejection(booking, before.version);
      return { ...before, status: 'rejected', rejection: { reason, code, by, at }, notices };
    }
    case 'BookingModified':
      return applyModification(existing(booking, event), event.data);
    case 'BookingCancelled': {
      const { command, fingerprint, reason, by, refundMinor, currency, at } = event.data;
      const cancellation = { command, fingerprint, reason, by, refundMinor, currency, at };
      const before = withoutClaims(existing(booking, event));
      return { ...before, status: 'cancelled', cancellation, notices: ended('cancelled', before.version) };
    }
    case 'ClaimAbandoned':
      return { ...booking, abandoned: [...booking.abandoned, event.data.claim] };
    case 'ReferenceRecorded':
      return booking;
    case 'ChargeRecorded': {
      const before = existing(booking, event);
      return { ...before, chargedMinor: before.chargedMinor + event.data.amountMinor };
    }
    case 'RefundRecorded': {
      const before = existing(booking, event);
      return { ...before, refundedMinor: before.refundedMinor + event.data.amountMinor };
    }
    case 'VoucherIssued': {
      const before = existing(booking, event);
      const hours = before.hours ?? hoursOf(event.data);
      return { ...before, hours, voucher: event.data, mail: { issue: before.mail.issue + 1, status: 'unsent' } };
    }
    case 'VisitVerified':
      return withVisit(withNextVersion(existing(booking, event)), event.data);
    case 'GuestsArrived':
      return withArrivals(existing(booking, event), event.data);
    case 'VisitVoided':
      return withoutVisit(withNextVersion(existing(booking, event)), event.data);
    case 'GuestErased':
      return { ...withNextVersion(existing(booking, event)), guestErased: true };
    default:
      return unreachable(event);
  }
}

function withVisit(booking: ExistingBooking, data: EventData<'VisitVerified'>): ExistingBooking {
  const { publicFacts: _, ...visit } = data;
  const cancellation = booking.status === 'cancelled' ? booking.cancellation : null;
  const { guestsPresent = visit.numGuests } = visit;
  return { ...booking, status: 'completed', visit, guestsPresent, cancellation };
}

const OF_MAIL = [
  'VoucherMailRequested',
  'VoucherMailed',
  'ReplacedVoucherMailed',
  'VoucherMailFailed',
  'NoticeMailed',
  'NoticeMailFailed',
] as const;
type OfMail = Extract<BookingEvent, { type: (typeof OF_MAIL)[number] }>;

function isOfMail(event: BookingEvent): event is OfMail {
  return OF_MAIL.some((type) => type === event.type);
}

function withMail(booking: ExistingBooking, event: OfMail): ExistingBooking {
  const { issue } = booking.mail;
  switch (event.type) {
    case 'VoucherMailRequested': {
      const mailRequests = [...booking.mailRequests, event.data.command].slice(-KEPT_MAIL_REQUESTS);
      return { ...booking, mail: { issue: issue + 1, status: 'unsent' }, mailRequests };
    }
    case 'VoucherMailed': {
      const { messageId, recipient, at } = event.data;
      const sentMails = withSentMail(booking.sentMails, { of: 'voucher', issue, recipient, at });
      return { ...booking, mail: { issue, status: 'sent', messageId, at }, sentMails };
    }
    case 'ReplacedVoucherMailed':
      return { ...booking, sentMails: withSentMail(booking.sentMails, { of: 'voucher', ...event.data }) };
    case 'VoucherMailFailed': {
      const { messageId, attempt: attempts, reason, retryAtMs } = event.data;
      return { ...booking, mail: { issue, status: 'failing', messageId, attempts, reason, retryAtMs } };
    }
    case 'NoticeMailed':
      return withNoticeMailed(booking, event.data);
    case 'NoticeMailFailed':
      return withNoticeMailFailed(booking, event.data);
    default:
      return unreachable(event);
  }
}

/** The first event creates the booking; a later one changes only its status, so that modifications stay. */
function createOrContinue(booking: Booking, facts: BookingFacts) {
  if (booking.status !== 'none') return withNextVersion(booking);
  // Each booking has a claim, and the guest's record is named after the first one.
  const record = facts.claims[0]?.id ?? ('' as ClaimId);
  return {
    abandoned: booking.abandoned,
    facts,
    hours: facts.hours,
    guestRecord: record,
    guestRecords: [record],
    guestErased: false,
    chargedMinor: 0,
    refundedMinor: 0,
    voucher: null,
    confirmedAtMs: null,
    mail: UNSENT,
    sentMails: NO_MAILS,
    notices: NO_NOTICES,
    mailRequests: [],
    version: 1,
    publicByRecord: false,
    voidedVisits: [],
    modifications: NO_MODIFICATIONS,
  };
}

function applyModification(booking: ExistingBooking, data: EventData<'BookingModified'>): ExistingBooking {
  const { command, date, numAdults, numChildren, hours, pricing, cancellation, claims, guest, version, answerByMs } =
    data;
  const fingerprint = guest?.fingerprint ?? booking.facts.guest;
  const updated = booking.status === 'pending' && answerByMs !== null ? { ...booking, answerByMs } : booking;
  return {
    ...updated,
    notices: booking.status === 'pending' ? requested(version) : booking.notices,
    facts: { ...booking.facts, date, hours, numAdults, numChildren, pricing, cancellation, claims, guest: fingerprint },
    hours: hours ?? booking.hours,
    guestRecord: guest?.record ?? booking.guestRecord,
    guestRecords: guest === null ? booking.guestRecords : [...booking.guestRecords, guest.record],
    version,
    modifications: booking.modifications.with(command, data),
  };
}

/** A booking that was never placed failed in its request, whose caller has the answer. */
function noticesOfRejection({ status }: Booking, version: number) {
  return status === 'pending' ? ended('rejected', version) : NO_NOTICES;
}

function withArrivals(booking: ExistingBooking, { guestsPresent }: EventData<'GuestsArrived'>): ExistingBooking {
  return booking.status === 'completed' ? { ...booking, guestsPresent } : booking;
}

/** The booking as it was before the visit was reported, but for the record of the void. */
function withoutVisit(booking: ExistingBooking, { visit, at }: EventData<'VisitVoided'>): ExistingBooking {
  const voidedVisits = [...booking.voidedVisits, { visit, at }];
  if (booking.status !== 'completed') return { ...booking, voidedVisits };
  const { visit: _, guestsPresent: __, cancellation, ...rest } = booking;
  return cancellation === null
    ? { ...rest, voidedVisits, status: 'confirmed' }
    : { ...rest, voidedVisits, status: 'cancelled', cancellation };
}

/** From now on the booking names no claim. */
function withoutClaims(booking: ExistingBooking): ExistingBooking {
  return { ...withNextVersion(booking), facts: { ...booking.facts, claims: [] } };
}

function withNextVersion<B extends ExistingBooking>(booking: B): B {
  return { ...booking, version: booking.version + 1 };
}

/** If the opening time is unknown, the closing time replaces it, in the guest's favour. */
export function hoursOf({ validFromMs, validUntilMs }: EventData<'VoucherIssued'>): Hours {
  return { beginsAtMs: validFromMs, opensAtMs: validUntilMs, closesAtMs: validUntilMs };
}

function existing(booking: Booking, event: BookingEvent): ExistingBooking {
  if (booking.status === 'none') throw new Error(`${event.type} before the booking began`);
  return booking;
}
