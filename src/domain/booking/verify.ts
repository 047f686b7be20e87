import { accept, reject } from '../../eventsourcing/decider.ts';
import { HOUR_MS } from '../../eventsourcing/durations.ts';
import type { BookingCommandOf, BookingDecision } from './commands.ts';
import type { BookingEvent, ReportedVisit } from './events.ts';
import { guestsOf } from './facts.ts';
import { type Booking, type ExistingBooking, nextPublic, refundedInFull, visitBy } from './state.ts';

type Command = BookingCommandOf<'VerifyVisit'>;

/** Maximum time from a scan to its report by a device that was offline. */
const OFFLINE_MS = 48 * HOUR_MS;

/**
 * Checks in the order of the public contract: venue, time of the scan, cancelled, already verified, date. Accepts a visit
 * before the cancellation: an offline device reports it later. A scan that is reported at once is later than everything
 * in the stream, although the clock of this node may be behind that of the node which cancelled or voided.
 */
export function verifyVisit({ venueId, visit, activityRevision }: Command, booking: ExistingBooking): BookingDecision {
  const { facts, voucher } = booking;
  if (voucher === null) return reject({ code: 'VOUCHER_NOT_FOUND' });
  if (venueId !== facts.venueId) return reject({ code: 'WRONG_VENUE', venueId: facts.venueId });
  const recorded = visitBy(visit.command, booking);
  if (recorded !== null)
    return recorded.fingerprint === visit.fingerprint ? accept() : reject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  const [fromMs, toMs] = timesOfScan(visit, booking);
  if (visit.verifiedAtMs < fromMs || visit.verifiedAtMs > toMs)
    return reject({ code: 'SCAN_TIME_OUT_OF_RANGE', fromMs, toMs });
  const numGuests = guestsOf(facts);
  if (visit.guestsPresent !== undefined && visit.guestsPresent > numGuests)
    return reject({ code: 'TOO_MANY_GUESTS', numGuests });
  if (booking.status === 'cancelled') {
    const { at } = booking.cancellation;
    if (isAfter(visit, at)) return reject({ code: 'VOUCHER_CANCELLED', cancelledAt: at });
  }
  if (booking.status === 'completed') {
    const { verifiedAtMs, gate } = booking.visit;
    return reject({ code: 'VOUCHER_ALREADY_VERIFIED', verifiedAtMs, gate, voidedAt: null });
  }
  // Otherwise a device could bring a voided visit back by reporting its scan again.
  const voided = booking.voidedVisits.findLast(
    (each) => each.visit.deviceId === visit.deviceId && !isAfter(visit, each.at),
  );
  if (voided !== undefined) {
    const { verifiedAtMs, gate } = voided.visit;
    return reject({ code: 'VOUCHER_ALREADY_VERIFIED', verifiedAtMs, gate, voidedAt: voided.at });
  }
  const { validFromMs, validUntilMs } = voucher;
  if (visit.verifiedAtMs < validFromMs)
    return reject({ code: 'VOUCHER_NOT_VALID_TODAY', date: facts.date, validFromMs });
  if (visit.verifiedAtMs >= validUntilMs) return reject({ code: 'VOUCHER_EXPIRED', date: facts.date, validUntilMs });
  const { keyId, activityId, city, category, attribution } = facts;
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
      opensAtMs: facts.hours?.opensAtMs ?? null,
      ...nextPublic(booking, activityRevision),
    },
  });
}

/** Records guests who came after the visit, on the same day. A number that is not larger changes nothing. */
export function recordArrivals(
  { venueId, deviceId, guestsPresent, nowMs, at }: BookingCommandOf<'RecordArrivals'>,
  booking: ExistingBooking,
): BookingDecision {
  const { facts, voucher } = booking;
  if (voucher === null) return reject({ code: 'BOOKING_NOT_FOUND' });
  if (venueId !== facts.venueId) return reject({ code: 'WRONG_VENUE', venueId: facts.venueId });
  if (booking.status !== 'completed') return reject({ code: 'NO_VISIT' });
  const numGuests = guestsOf(facts);
  if (guestsPresent > numGuests) return reject({ code: 'TOO_MANY_GUESTS', numGuests });
  if (guestsPresent <= booking.guestsPresent) return accept();
  const { validUntilMs } = voucher;
  if (nowMs >= validUntilMs) return reject({ code: 'VOUCHER_EXPIRED', date: facts.date, validUntilMs });
  return accept<BookingEvent>({ type: 'GuestsArrived', data: { guestsPresent, deviceId, at } });
}

/** Takes a visit back if it counts. The booking is again as before the report of the visit. */
export function voidVisit(
  { visit: command, reason, at }: BookingCommandOf<'VoidVisit'>,
  booking: Booking,
): BookingDecision {
  if (booking.status === 'none') return reject({ code: 'BOOKING_NOT_FOUND' });
  if (booking.status !== 'completed' || booking.visit.command !== command) return accept();
  return accept<BookingEvent>({ type: 'VisitVoided', data: { visit: booking.visit, reason, by: 'operator', at } });
}

/** Whether the scan was made at this time (ISO 8601 UTC) of the booking's stream, or later. */
function isAfter({ verifiedAtMs, reportedAtMs }: ReportedVisit, at: string): boolean {
  return verifiedAtMs === reportedAtMs || verifiedAtMs >= Date.parse(at);
}

/**
 * First and last possible time of a scan. A scan now is always possible, although the clock of this node may be behind
 * that of the node which confirmed.
 */
function timesOfScan({ reportedAtMs }: ReportedVisit, { confirmedAtMs }: ExistingBooking): readonly [number, number] {
  return [Math.max(reportedAtMs - OFFLINE_MS, Math.min(confirmedAtMs ?? 0, reportedAtMs)), reportedAtMs];
}
