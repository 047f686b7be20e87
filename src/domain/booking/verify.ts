import { accept, reject } from '../../eventsourcing/decider.ts';
import type { BookingCommandOf, BookingDecision } from './commands.ts';
import type { BookingEvent } from './events.ts';
import { guestsOf } from './facts.ts';
import { type ExistingBooking, nextPublic } from './state.ts';

type Command = BookingCommandOf<'VerifyVisit'>;

/**
 * Checks in the order of the public contract: venue, cancelled, already verified, date. Accepts a visit before the
 * cancellation: an offline device reports it later.
 */
export function verifyVisit({ venueId, visit, activityRevision }: Command, booking: ExistingBooking): BookingDecision {
  const { facts, voucher } = booking;
  if (voucher === null) return reject({ code: 'VOUCHER_NOT_FOUND' });
  if (venueId !== facts.venueId) return reject({ code: 'WRONG_VENUE', venueId: facts.venueId });
  if (booking.status === 'cancelled') {
    const { at } = booking.cancellation;
    if (visit.verifiedAtMs >= Date.parse(at)) return reject({ code: 'VOUCHER_CANCELLED', cancelledAt: at });
  }
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
  return accept<BookingEvent>({
    type: 'VisitVerified',
    data: {
      ...visit,
      keyId,
      activityId,
      venueId,
      city,
      category,
      numGuests,
      attribution,
      ...nextPublic(booking, activityRevision),
    },
  });
}
