import type { BookingId, KeyId } from '../../domain/ids.ts';
import { spendingChanges } from '../../domain/spending/booking-changes.ts';
import { spendingIdOf } from '../../domain/spending/spending.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import type { DecodedEventStore } from '../../ports/event-store.ts';
import { StoreUnavailable } from '../../ports/store-unavailable.ts';
import type { Streams } from '../streams.ts';
import type { BookingContext } from './booking-context.ts';
import { bookingHistory } from './read-booking.ts';

type Easing = {
  readonly streams: Pick<Streams, 'spendings'>;
  readonly store: Pick<DecodedEventStore, 'read'>;
};

/**
 * Eases the spending of a day by the amounts that a booking's events of that day refunded or dropped, in their order.
 * Each event eases once. @param at a time of the day, ISO 8601 UTC. @returns false if a stream did not answer
 * @throws StoreUnavailable if the booking's events cannot be read
 */
export async function easeSpending(
  bookingId: BookingId,
  { keyId, at }: { readonly keyId: KeyId; readonly at: string },
  cause: Cause,
  deadlineMs: number,
  { streams, store }: Easing,
): Promise<boolean> {
  const id = spendingIdOf(keyId, at);
  const spending = await streams.spendings.read(id, deadlineMs);
  if (spending.kind !== 'state') return false;
  if (spending.state.reservations.size === 0) return true;
  const changes = spendingChanges(await bookingHistory(bookingId, { store }));
  for (const { revision, at: changedAt, amountMinor, currency, claims } of changes) {
    if (amountMinor >= 0 || spendingIdOf(keyId, changedAt) !== id) continue;
    const eased = { amountMinor: -amountMinor, currency, booking: bookingId, claims, revision, at: changedAt };
    const reply = await streams.spendings.handle(id, { type: 'Ease', ...eased }, cause, deadlineMs);
    if (reply.kind !== 'accepted') return false;
  }
  return true;
}

/**
 * The same after a request has changed a booking, if its key has a limit. Best effort: the process manager eases the
 * rest.
 */
export async function easeNow(
  bookingId: BookingId,
  keyId: KeyId,
  cause: Cause,
  deadlineMs: number,
  { spending, streams }: Pick<BookingContext, 'spending' | 'streams'>,
): Promise<void> {
  if ((spending.limitsOf(keyId)?.dayTotal ?? null) === null) return;
  try {
    await easeSpending(bookingId, { keyId, at: cause.at }, cause, deadlineMs, { streams, store: spending.store });
  } catch (fault) {
    // The request's change is stored, so its answer is not a 503.
    if (!(fault instanceof StoreUnavailable)) throw fault;
  }
}
