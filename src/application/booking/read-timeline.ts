import type { BookingEvent } from '../../domain/booking/events.ts';
import type { Recorded } from '../../eventsourcing/message.ts';
import type { Refused } from '../refusal.ts';
import { type BookingView, bookingHistory, type ReadContext, readBooking } from './read-booking.ts';
import { loggedWebhooks, type SentWebhook } from './sent-webhooks.ts';

/** Everything that happened to a booking. Contains no data of its guest. */
export type Timeline = Pick<BookingView, 'id' | 'booking'> & {
  readonly kind: 'timeline';
  /** Oldest first. */
  readonly events: readonly Recorded<BookingEvent>[];
  /** Those that the delivery log has, at most the newest 100. */
  readonly webhooks: readonly SentWebhook[];
};

export async function readTimeline(
  id: string,
  context: ReadContext & Parameters<typeof loggedWebhooks>[1],
): Promise<Timeline | Refused> {
  const view = await readBooking(id, 'operator', context);
  if (view.kind === 'refused') return view;
  const [events, webhooks] = await Promise.all([
    bookingHistory(view.id, context.webhooks),
    loggedWebhooks(view, context),
  ]);
  return { kind: 'timeline', id: view.id, booking: view.booking, events, webhooks };
}
