import { BY_VENUE } from '../../domain/booking/changed-by.ts';
import type { Changer } from '../../domain/booking/events.ts';
import { isOperatorId } from '../../domain/ids.ts';
import { type Cause, unreachable } from '../../eventsourcing/message.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import type { VenueRequest } from '../../vouchers/venue-request.ts';
import type { VenueRequestStatus } from '../../vouchers/venue-texts.ts';
import type { Refused } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';
import { confirmRequest, rejectRequest } from './operate-booking.ts';
import { type BookingView, bookingHistory, readBooking } from './read-booking.ts';

/** How the request of a venue stands. `decision`: by whom and when (ms since the epoch) it was decided; null: by nobody. */
export type StandingRequest = {
  readonly kind: 'request';
  readonly view: BookingView;
  readonly status: VenueRequestStatus;
  readonly decision: { readonly by: Changer; readonly atMs: number } | null;
};

type Context = BookingContext & { readonly store: Pick<DecodedEventStore, 'read'> };

/** Reads a request, and changes nothing. */
export async function readRequest(request: VenueRequest, context: Context): Promise<StandingRequest | Refused> {
  const view = await readBooking(request.bookingId, 'operator', context);
  if (view.kind === 'refused') return view;
  const status = statusOf(view, request, context.clock.nowMs());
  return { kind: 'request', view, status, decision: await decisionOf(view, context) };
}

/**
 * The venue confirms or declines the version that its link names, until the deadline, once. If the request is not waiting any
 * more, nothing changes; the answer says how it stands then.
 */
export async function answerRequest(
  request: VenueRequest,
  answer: 'confirm' | 'decline',
  cause: Cause,
  context: Context,
): Promise<StandingRequest | Refused> {
  const standing = await readRequest(request, context);
  if (standing.kind === 'refused' || standing.status !== 'waiting') return standing;
  const { id, booking } = standing.view;
  const { answerByMs } = request;
  const byVenue = { ...cause, by: BY_VENUE };
  const ifVersions = [booking.version];
  const answered =
    answer === 'confirm'
      ? await confirmRequest({ id, ifVersions, answerByMs }, byVenue, context)
      : await rejectRequest({ id, reason: 'venue_unavailable', by: 'venue', ifVersions, answerByMs }, byVenue, context);
  const after = await readRequest(request, context);
  // Somebody else was faster, or the deadline: the page says how it stands. Still waiting: the answer was refused for another reason.
  return answered.kind === 'refused' && (after.kind === 'refused' || after.status === 'waiting') ? answered : after;
}

function statusOf({ booking }: BookingView, { version, answerByMs }: VenueRequest, nowMs: number): VenueRequestStatus {
  switch (booking.status) {
    case 'processing':
      return 'changed';
    case 'pending':
      if (booking.notices.venue?.version !== version) return 'changed';
      return nowMs < answerByMs && nowMs < booking.answerByMs ? 'waiting' : 'expired';
    case 'rejected':
      return booking.rejection.by === 'system' ? 'expired' : 'declined';
    case 'cancelled':
      return 'cancelled';
    case 'confirmed':
    case 'completed':
      return 'confirmed';
    default:
      return unreachable(booking);
  }
}

async function decisionOf({ id, booking }: BookingView, context: Context): Promise<StandingRequest['decision']> {
  if (booking.status === 'pending' || booking.status === 'processing') return null;
  if (booking.status === 'rejected') return { by: booking.rejection.by, atMs: Date.parse(booking.rejection.at) };
  if (booking.status === 'cancelled') return { by: booking.cancellation.by, atMs: Date.parse(booking.cancellation.at) };
  const confirmed = (await bookingHistory(id, context)).find(({ type }) => type === 'BookingConfirmed');
  if (confirmed === undefined) return null;
  const { by, at } = confirmed.cause;
  const operated = isOperatorId(by) ? 'operator' : 'system';
  return { by: by === BY_VENUE ? 'venue' : operated, atMs: Date.parse(at) };
}
