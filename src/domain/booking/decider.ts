import { codec, type Upcaster } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { ClaimId } from '../allotment/allotment.ts';
import {
  amounts,
  type Booking,
  type BookingCommand,
  type BookingEvent,
  type BookingRejection,
  type ExistingBooking,
  guestsOf,
} from './booking.ts';

type Answer = Decision<BookingEvent, BookingRejection>;
type Command<Type extends BookingCommand['type']> = Extract<BookingCommand, { type: Type }>;

export const bookingDecider: Decider<BookingCommand, Booking, BookingEvent, BookingRejection> = {
  initial: { status: 'none', abandoned: [] },
  decide(command, booking) {
    switch (command.type) {
      case 'Book':
        return book(command, booking);
      case 'AbandonClaim':
        return abandonClaim(command, booking);
      case 'VerifyVisit':
        return booking.status === 'none' ? reject({ code: 'VOUCHER_NOT_FOUND' }) : verifyVisit(command, booking);
      case 'RecordVoucherMailed':
      case 'RecordVoucherMailFailed':
        return booking.status === 'none' ? reject({ code: 'BOOKING_NOT_FOUND' }) : recordMail(command, booking);
      default:
        return unreachable(command);
    }
  },
  evolve(booking, event) {
    switch (event.type) {
      case 'BookingConfirmed':
        return {
          abandoned: booking.abandoned,
          status: 'confirmed',
          facts: event.data,
          chargedMinor: 0,
          voucher: null,
          mail: { issue: 0, status: 'unsent' },
        };
      case 'ClaimAbandoned':
        return { ...booking, abandoned: [...booking.abandoned, event.data.claim] };
      case 'ChargeRecorded':
        return {
          ...existing(booking, event),
          chargedMinor: existing(booking, event).chargedMinor + event.data.amountMinor,
        };
      case 'VoucherIssued': {
        const before = existing(booking, event);
        return { ...before, voucher: event.data, mail: { issue: before.mail.issue + 1, status: 'unsent' } };
      }
      case 'VisitVerified':
        return { ...existing(booking, event), status: 'completed', visit: event.data };
      case 'VoucherMailed': {
        const before = existing(booking, event);
        const { messageId, at } = event.data;
        return { ...before, mail: { issue: before.mail.issue, status: 'sent', messageId, at } };
      }
      case 'VoucherMailFailed': {
        const before = existing(booking, event);
        const { messageId, attempt: attempts, retryAtMs } = event.data;
        return { ...before, mail: { issue: before.mail.issue, status: 'failing', messageId, attempts, retryAtMs } };
      }
      default:
        return unreachable(event);
    }
  },
};

export const bookingCodec = codec<BookingEvent>('booking', {
  BookingConfirmed: [logIdToAttribution],
  ChargeRecorded: [],
  VoucherIssued: [],
  ClaimAbandoned: [],
  VisitVerified: [logIdToAttribution, keyUnknown],
  VoucherMailed: [],
  VoucherMailFailed: [],
});

/** True while the booking relies on the claim: then its slots must never be released. */
export function holdsClaim(booking: Booking, claim: ClaimId): boolean {
  return booking.status !== 'none' && booking.facts.claims.some((held) => held.id === claim);
}

function book({ facts, voucher }: Command<'Book'>, booking: Booking): Answer {
  if (booking.status !== 'none') {
    const sameWish = booking.facts.command === facts.command && booking.facts.fingerprint === facts.fingerprint;
    return sameWish ? accept() : reject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  }
  if (facts.claims.some((claim) => booking.abandoned.includes(claim.id))) return reject({ code: 'CLAIM_ABANDONED' });
  const { totalMinor } = amounts(facts.pricing, guestsOf(facts));
  return accept<BookingEvent>(
    { type: 'BookingConfirmed', data: facts },
    { type: 'ChargeRecorded', data: { amountMinor: totalMinor, currency: facts.pricing.currency } },
    { type: 'VoucherIssued', data: voucher },
  );
}

function abandonClaim({ claim, allotment }: Command<'AbandonClaim'>, booking: Booking): Answer {
  if (holdsClaim(booking, claim)) return reject({ code: 'CLAIM_HELD' });
  if (booking.abandoned.includes(claim)) return accept();
  return accept({ type: 'ClaimAbandoned', data: { claim, allotment } });
}

/** In the order of the public contract: venue, already verified, date. */
function verifyVisit({ venueId, visit }: Command<'VerifyVisit'>, booking: ExistingBooking): Answer {
  const { facts, voucher } = booking;
  if (voucher === null) return reject({ code: 'VOUCHER_NOT_FOUND' });
  if (venueId !== facts.venueId) return reject({ code: 'WRONG_VENUE', venueId: facts.venueId });
  if (booking.status === 'completed') {
    const { verifiedAtMs, gate, command, fingerprint } = booking.visit;
    if (command !== visit.command) return reject({ code: 'VOUCHER_ALREADY_VERIFIED', verifiedAtMs, gate });
    return fingerprint === visit.fingerprint ? accept() : reject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  }
  const { validFromMs, validUntilMs } = voucher;
  if (visit.verifiedAtMs < validFromMs)
    return reject({ code: 'VOUCHER_NOT_VALID_TODAY', date: facts.date, validFromMs });
  if (visit.verifiedAtMs >= validUntilMs) return reject({ code: 'VOUCHER_EXPIRED', date: facts.date, validUntilMs });
  const { keyId, activityId, city, category, attribution } = facts;
  const numGuests = guestsOf(facts);
  return accept({
    type: 'VisitVerified',
    data: { ...visit, keyId, activityId, venueId, city, category, numGuests, attribution },
  });
}

/**
 * What was mailed stays mailed, and an attempt is recorded once, however late or often it is told. Of a voucher that
 * another one has replaced since, nothing is recorded: the events tell of the present one.
 */
function recordMail(
  command: Command<'RecordVoucherMailed' | 'RecordVoucherMailFailed'>,
  { mail }: ExistingBooking,
): Answer {
  if (mail.status === 'sent' || command.issue !== mail.issue) return accept();
  if (command.type === 'RecordVoucherMailed') {
    const { messageId, providerId, at } = command;
    return accept({ type: 'VoucherMailed', data: { messageId, providerId, at } });
  }
  const { messageId, attempt, reason, retryAtMs, at } = command;
  if (mail.status === 'failing' && attempt <= mail.attempts) return accept();
  return accept({ type: 'VoucherMailFailed', data: { messageId, attempt, reason, retryAtMs, at } });
}

/** Version 1 named the context log alone. */
function logIdToAttribution({ contextLogId, ...facts }: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, attribution: contextLogId === null ? null : { logId: contextLogId, rank: null, segment: null } };
}

/** Version 2 left the key to the booking's first event. */
function keyUnknown(facts: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, keyId: null };
}

function existing(booking: Booking, event: BookingEvent): ExistingBooking {
  if (booking.status === 'none') throw new Error(`${event.type} before BookingConfirmed`);
  return booking;
}
