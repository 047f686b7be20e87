import { DAY_MS } from '../../eventsourcing/durations.ts';
import type { LocalDate } from '../activity/activity.ts';
import type { ExistingBooking } from './state.ts';

/**
 * When the retention of the guest's data begins (ms since the epoch): at the visit; else at the cancellation or rejection;
 * else at the end of the booked date, which may still come.
 */
export function endedAtMs(booking: ExistingBooking): number {
  if (booking.status === 'completed') return booking.visit.verifiedAtMs;
  if (booking.status === 'cancelled') return Date.parse(booking.cancellation.at);
  if (booking.status === 'rejected') return Date.parse(booking.rejection.at);
  return booking.hours?.closesAtMs ?? endOfDateMs(booking.facts.date);
}

/** For bookings of earlier versions, without hours. All cities are ahead of UTC, so the date has ended there by then. */
export function endOfDateMs(date: LocalDate): number {
  return Date.parse(date) + DAY_MS;
}
