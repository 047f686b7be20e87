import type { VenueId } from '../../domain/activity/activity.ts';
import type { BookingRejection } from '../../domain/booking/commands.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import { type BookingId, type DeviceId, type Mode, modeOf, parseBookingId } from '../../domain/ids.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import type { BookingContext } from '../booking/booking-context.ts';
import { type BookingView, viewOf } from '../booking/read-booking.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import { tooManyGuests, voucherExpired, wrongVenue } from '../voucher/verify-voucher.ts';

type Completed = Extract<ExistingBooking, { status: 'completed' }>;

export type ArrivalsRecorded = {
  readonly kind: 'recorded';
  readonly id: BookingId;
  readonly booking: Completed;
  readonly position: Position | null;
  readonly replayed: boolean;
};

/** Records how many guests of a visited booking are present, the later ones included. A repetition changes nothing. */
export async function recordArrivals(
  arrival: { readonly bookingId: string; readonly guestsPresent: number },
  device: { readonly deviceId: DeviceId; readonly venueId: VenueId; readonly mode: Mode },
  cause: Cause,
  context: BookingContext,
): Promise<ArrivalsRecorded | Refused> {
  const id = parseBookingId(arrival.bookingId);
  const found = id === null || modeOf(id) !== device.mode ? null : await viewOf(id, context);
  if (found === null) return notFound(arrival.bookingId);
  if (found.kind === 'refused') return found;
  const nowMs = context.clock.nowMs();
  const { deviceId, venueId } = device;
  const { guestsPresent } = arrival;
  const reply = await context.streams.bookings.handle(
    found.id,
    { type: 'RecordArrivals', venueId, deviceId, guestsPresent, nowMs, at: new Date(nowMs).toISOString() },
    cause,
    nowMs + context.limits.responseMs,
  );
  if (reply.kind === 'rejected') return explain(reply.rejection, found, context);
  if (reply.kind !== 'accepted') return noReply(reply);
  const { state: booking, position, events } = reply;
  if (booking.status !== 'completed') throw new Error(`${found.id} has arrivals and no visit`);
  return { kind: 'recorded', id: found.id, booking, position, replayed: events.length === 0 };
}

function explain(rejection: BookingRejection, { id, booking }: BookingView, context: BookingContext): Refused {
  switch (rejection.code) {
    case 'WRONG_VENUE':
      return wrongVenue(rejection.venueId, booking, context);
    case 'VOUCHER_EXPIRED':
      return voucherExpired(rejection);
    case 'TOO_MANY_GUESTS':
      return tooManyGuests(rejection);
    case 'NO_VISIT':
      return refused(
        'INVALID_REQUEST',
        `The booking ${id} has no visit; scan its voucher first, with guests_present.`,
        {
          details: `status: ${booking.status}`,
        },
      );
    default:
      return notFound(id);
  }
}

function notFound(id: string): Refused {
  return refused(
    'BOOKING_NOT_FOUND',
    `booking_id "${id}" has no voucher of this venue; take an id from the list of arrivals.`,
  );
}
