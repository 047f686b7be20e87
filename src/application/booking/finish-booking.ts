import type { Unavailable } from '../../actors/actor.ts';
import type { BookingCommand } from '../../domain/booking/commands.ts';
import type { Booking } from '../../domain/booking/state.ts';
import { guestId } from '../../domain/guest/guest.ts';
import type { BookingId } from '../../domain/ids.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Streams } from '../streams.ts';
import { freshVoucher } from '../voucher/fresh-voucher.ts';
import { type Catalogue, revisionOf } from './booking-context.ts';

type Finishing = {
  readonly streams: {
    readonly bookings: Pick<Streams['bookings'], 'read' | 'handle'>;
    readonly guests: Pick<Streams['guests'], 'read'>;
  };
  readonly catalogue: Catalogue;
  readonly ids: Ids;
};
type Handled = Awaited<ReturnType<Streams['bookings']['handle']>>;

/**
 * Ends a booking whose workflow stopped half-way. If the guest is recorded, it takes the last step; if not, it rejects
 * the booking, which frees the slots. A workflow that resumes meanwhile does no harm: the first event stored wins.
 */
export async function finishBooking(
  id: BookingId,
  cause: Cause,
  deadlineMs: number,
  context: Finishing,
): Promise<Handled | Unavailable | { readonly kind: 'ended-already' }> {
  const { streams } = context;
  const reply = await streams.bookings.read(id, deadlineMs);
  if (reply.kind !== 'state') return reply;
  const { state: booking } = reply;
  if (booking.status !== 'processing') return { kind: 'ended-already' };
  const guest = await streams.guests.read(guestId(booking.guestRecord), deadlineMs);
  if (guest.kind === 'unavailable') return guest;
  const onRecord = guest.kind === 'state' && guest.state.status === 'recorded';
  const command = onRecord && guest.state.fingerprint === booking.facts.guest ? lastStep(id, booking, context) : null;
  return streams.bookings.handle(id, command ?? rejectCommand(cause.at), cause, deadlineMs);
}

/** Null if the hours are unknown: a voucher needs them. */
function lastStep(
  id: BookingId,
  { facts, hours, answerByMs }: Extract<Booking, { status: 'processing' }>,
  { catalogue, ids }: Finishing,
): BookingCommand | null {
  if (answerByMs !== null) return { type: 'PlaceOnRequest', facts, answerByMs };
  if (hours === null) return null;
  const activityRevision = revisionOf(facts.activityId, catalogue);
  return { type: 'ConfirmWithoutVenue', facts, voucher: freshVoucher(id, hours, { ids }), activityRevision };
}

function rejectCommand(at: string): BookingCommand {
  return { type: 'Reject', reason: 'system', code: 'SERVICE_UNAVAILABLE', by: 'system', at };
}
