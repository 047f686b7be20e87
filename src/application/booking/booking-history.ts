import { type BookingEvent, bookingCodec } from '../../domain/booking/events.ts';
import type { BookingId } from '../../domain/ids.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import type { EventStore } from '../../ports/event-store.ts';

/** An event of a booking, with its cause. */
export type HistoryEntry = { readonly event: BookingEvent; readonly cause: Cause };

/** All events of a booking, oldest first, read from its stream. */
export async function bookingHistory(
  id: BookingId,
  { store }: { readonly store: Pick<EventStore, 'read'> },
): Promise<readonly HistoryEntry[]> {
  const read = await store.read(`${bookingCodec.category}-${id}`);
  if (read.kind !== 'events') return [];
  return read.events.map((stored) => ({ event: bookingCodec.decode(stored), cause: stored.cause }));
}
