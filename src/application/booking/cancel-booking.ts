import type { Currency } from '../../domain/activity/money.ts';
import { freeUntilMs } from '../../domain/activity/pricing.ts';
import type { BookingCommandOf } from '../../domain/booking/commands.ts';
import { bookingDecider } from '../../domain/booking/decider.ts';
import type { BookingEvent, CancellationReason } from '../../domain/booking/events.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import type { BookingId, CommandId, KeyId } from '../../domain/ids.ts';
import { type Cause, type Position, unreachable } from '../../eventsourcing/message.ts';
import { commandIdOfKey, fingerprintOf } from '../identifiers.ts';
import { noReply, type Refused } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';
import { easeNow } from './ease-spending.ts';
import { explainBooking } from './explain-booking.ts';
import { settleGuests } from './expose-booking.ts';
import { readBooking } from './read-booking.ts';
import { releaseSlots } from './release-slots.ts';

export type CancelBooking = {
  /** As the caller sent it; not validated yet. */
  readonly id: string;
  /** An API key may cancel its own bookings, the operator any. */
  readonly asker: KeyId | 'operator';
  readonly reason: CancellationReason;
  readonly idempotencyKey: string | null;
  /** From If-Match: versions that may be cancelled; null: any. */
  readonly ifVersions: readonly number[] | null;
};

export type Cancelled = {
  readonly kind: 'cancelled';
  readonly id: BookingId;
  readonly booking: ExistingBooking;
  /** True if the booking was already cancelled; the first cancellation stands. */
  readonly replayed: boolean;
  /** Position of the last event that this request appended; null for a replay. */
  readonly position: Position | null;
};

export type CancellationQuote = {
  readonly kind: 'quote';
  readonly id: BookingId;
  readonly booking: ExistingBooking;
  /** Null if the booking is already cancelled. */
  readonly refund: {
    readonly reason: CancellationReason;
    readonly refundMinor: number;
    readonly currency: Currency;
    /** End of free cancellation, ms since the epoch; null if nothing was charged. */
    readonly freeUntilMs: number | null;
  } | null;
};

type CancelCommand = BookingCommandOf<'Cancel'>;

/**
 * Cancels a booking. The refund is recorded in the same append; the slots are released before it returns, or by the
 * reaper.
 */
export async function cancelBooking(
  request: CancelBooking,
  cause: Cause,
  context: BookingContext,
): Promise<Cancelled | Refused> {
  const view = await readBooking(request.id, request.asker, context);
  if (view.kind === 'refused') return view;
  const command = commandOf(request, view.id, context);
  const work = () => cancel(view.id, command, cause, context);
  if (request.idempotencyKey === null) return work();
  // With another body under the same key, the booking's stream decides which one counts.
  return context.inFlight.run(command.commandId, command.fingerprint, work, work);
}

/** The refund that the same request would give now, from the same decider. Writes nothing. */
export async function quoteCancellation(
  request: CancelBooking,
  context: BookingContext,
): Promise<CancellationQuote | Refused> {
  const view = await readBooking(request.id, request.asker, context);
  if (view.kind === 'refused') return view;
  const { id, booking } = view;
  const decision = bookingDecider.decide(commandOf(request, id, context), booking);
  if (decision.kind === 'rejected') return explainBooking(id, decision.rejection);
  const cancelled = cancellationIn(decision.events);
  if (cancelled === null) return { kind: 'quote', id, booking, refund: null };
  const { reason, refundMinor, currency } = cancelled;
  return { kind: 'quote', id, booking, refund: { reason, refundMinor, currency, freeUntilMs: freeUntilOf(booking) } };
}

function commandOf(
  { asker, reason, idempotencyKey, ifVersions }: CancelBooking,
  id: BookingId,
  { clock, digest, ids }: BookingContext,
): CancelCommand {
  const nowMs = clock.nowMs();
  const scope = ['cancel', asker, id];
  return {
    type: 'Cancel',
    commandId: idempotencyKey === null ? (ids.uuid() as CommandId) : commandIdOfKey(digest, scope, idempotencyKey),
    fingerprint: fingerprintOf(digest, [reason]),
    reason,
    by: asker === 'operator' ? 'operator' : 'user',
    ifVersions,
    nowMs,
    at: new Date(nowMs).toISOString(),
  };
}

async function cancel(
  id: BookingId,
  command: CancelCommand,
  cause: Cause,
  context: BookingContext,
): Promise<Cancelled | Refused> {
  const deadlineMs = context.clock.nowMs() + context.limits.responseMs;
  const reply = await context.streams.bookings.handle(id, command, cause, deadlineMs);
  switch (reply.kind) {
    case 'accepted': {
      const { state: booking, events, position } = reply;
      if (booking.status === 'none') throw new Error(`${id} was cancelled, but its stream has no booking`);
      const dropped = cancellationIn(events)?.dropped ?? [];
      const claims = { dropped, shrunk: [], version: booking.version };
      const releasedAt = await releaseSlots(claims, cause, deadlineMs, context.streams);
      await easeNow(id, booking.facts.keyId, cause, deadlineMs, context);
      await settleGuests(id, booking, context);
      return { kind: 'cancelled', id, booking, replayed: events.length === 0, position: releasedAt ?? position };
    }
    case 'rejected':
      return explainBooking(id, reply.rejection);
    case 'erased':
    case 'unavailable':
      return noReply(reply);
    default:
      return unreachable(reply);
  }
}

function cancellationIn(events: readonly BookingEvent[]) {
  return events.find((event) => event.type === 'BookingCancelled')?.data ?? null;
}

function freeUntilOf({ status, facts, hours }: ExistingBooking): number | null {
  return status !== 'confirmed' || hours === null ? null : freeUntilMs(facts.cancellation, hours.opensAtMs);
}
