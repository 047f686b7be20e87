import { accept, reject } from '../../eventsourcing/decider.ts';
import { HOUR_MS } from '../../eventsourcing/durations.ts';
import type { BookingCommandOf, BookingDecision } from './commands.ts';
import type { BookingEvent, ReportedVisit } from './events.ts';
import { guestsOf } from './facts.ts';
import { type ExistingBooking, nextPublic, refundedInFull } from './state.ts';

type Command = BookingCommandOf<'VerifyVisit'>;

/** Maximum time from a scan to its report by a device that was offline. */
const OFFLINE_MS = 48 * HOUR_MS;

/**
 * Checks in the order of the public contract: venue, time of the scan, cancelled, already verified, date. Accepts a visit
 * before the cancellation: an offline device reports it later.
 */
export function verifyVisit({ venueId, visit, activityRevision }: Command, booking: ExistingBooking): BookingDecision {
  const { facts, voucher } = booking;
  if (voucher === null) return reject({ code: 'VOUCHER_NOT_FOUND' });
  if (venueId !== facts.venueId) return reject({ code: 'WRONG_VENUE', venueId: facts.venueId });
  if (booking.status === 'completed' && booking.visit.command === visit.command)
    return booking.visit.fingerprint === visit.fingerprint ? accept() : reject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  const [fromMs, toMs] = timesOfScan(visit, booking);
  if (visit.verifiedAtMs < fromMs || visit.verifiedAtMs > toMs)
    return reject({ code: 'SCAN_TIME_OUT_OF_RANGE', fromMs, toMs });
  if (booking.status === 'cancelled') {
    const { at } = booking.cancellation;
    if (visit.verifiedAtMs >= Date.parse(at)) return reject({ code: 'VOUCHER_CANCELLED', cancelledAt: at });
  }
  if (booking.status === 'completed') {
    const { verifiedAtMs, gate } = booking.visit;
    return reject({ code: 'VOUCHER_ALREADY_VERIFIED', verifiedAtMs, gate });
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
      disputed: refundedInFull(booking),
      ...nextPublic(booking, activityRevision),
    },
  });
}

/**
 * First and last possible time of a scan. A scan now is always possible, although the clock of this node may be behind
 * that of the node which confirmed.
 */
function timesOfScan({ reportedAtMs }: ReportedVisit, { confirmedAtMs }: ExistingBooking): readonly [number, number] {
  return [Math.max(reportedAtMs - OFFLINE_MS, Math.min(confirmedAtMs ?? 0, reportedAtMs)), reportedAtMs];
}
