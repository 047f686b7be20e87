import { OrderedMap } from '../../collections/ordered-map.ts';
import { accept, type Decision, reject } from '../../eventsourcing/decider.ts';
import type { BookingId, ClaimId, HoldId } from '../ids.ts';
import type { AllotmentCommand, AllotmentRejection } from './commands.ts';
import type { AllotmentEvent } from './events.ts';
import { type Allotment, type OpenAllotment, runningCancellation } from './state.ts';

type Command<Type extends AllotmentCommand['type']> = Extract<AllotmentCommand, { type: Type }>;
type CancellationEvent = Extract<
  AllotmentEvent,
  { type: 'DateCancelled' | 'DateBookingSettled' | 'DateCancellationFinished' }
>;
type Decided = Decision<AllotmentEvent, AllotmentRejection>;

/**
 * Closes the date: the capacity becomes 0, and until the cancellation has finished no hold and no earlier claim can be used
 * and no other capacity is set. A date that is closed already stays as it is: the first cancellation stands.
 */
export function cancelDate(command: Command<'CancelDate'>, allotment: OpenAllotment): Decided {
  const { commandId, fingerprint, reason, at } = command;
  const { cancellation, earlierCancellations, setCapacity } = allotment;
  if (cancellation?.command === commandId && cancellation.fingerprint !== fingerprint)
    return reject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  const repeated = cancellation?.command === commandId || earlierCancellations.includes(commandId);
  if (repeated || (cancellation !== null && setCapacity === 0)) return accept();
  const { held } = allotment;
  const cancelled: AllotmentEvent = {
    type: 'DateCancelled',
    data: {
      command: commandId,
      fingerprint,
      reason,
      bookings: bookingsIn(allotment).length,
      places: allotment.taken - held,
      holds: openHoldsIn(allotment).length,
      at,
    },
  };
  return setCapacity === 0
    ? accept(cancelled)
    : accept<AllotmentEvent>({ type: 'CapacitySet', data: { capacity: 0 } }, cancelled);
}

/** Records the outcome of a booking, once. */
export function settleBooking(command: Command<'SettleBooking'>, allotment: Allotment): Decided {
  const { commandId, bookingId, outcome, refundMinor } = command;
  const cancellation = runningCancellation(allotment);
  if (cancellation?.command !== commandId || cancellation.pending.get(bookingId) === undefined) return accept();
  const data = { command: commandId, booking: bookingId, outcome, refundMinor };
  return accept<AllotmentEvent>({ type: 'DateBookingSettled', data });
}

/** Rejects while a booking or a hold is left. */
export function finishCancellation({ commandId, at }: Command<'FinishCancellation'>, allotment: Allotment): Decided {
  const cancellation = runningCancellation(allotment);
  if (allotment.status === 'unopened' || cancellation?.command !== commandId) return accept();
  if (cancellation.pending.size > 0 || allotment.held > 0) return reject({ code: 'CANCELLATION_RUNNING' });
  return accept<AllotmentEvent>({ type: 'DateCancellationFinished', data: { command: commandId, at } });
}

/** What is left to do of a running cancellation. */
export function leftToCancel(allotment: OpenAllotment): {
  readonly bookings: readonly { readonly id: BookingId; readonly claims: readonly ClaimId[] }[];
  readonly holds: readonly HoldId[];
} {
  const claims = new Map<string, ClaimId[]>();
  for (const [id] of allotment.cancellation?.pending.entries() ?? []) claims.set(id, []);
  for (const [id, { booking, released }] of allotment.claims.entries())
    if (!released) claims.get(booking)?.push(id as ClaimId);
  return {
    bookings: [...claims].map(([id, taken]) => ({ id: id as BookingId, claims: taken })),
    holds: openHoldsIn(allotment),
  };
}

/** The open allotment after an event of its cancellation. */
export function evolveCancellation(allotment: OpenAllotment, event: CancellationEvent): OpenAllotment {
  if (event.type === 'DateCancelled') {
    const { cancellation: earlier, earlierCancellations } = allotment;
    const pending = bookingsIn(allotment).map((id): [string, true] => [id, true]);
    const started = { ...event.data, pending: OrderedMap.ofSorted(pending), ...NOTHING_DONE };
    const known = earlier === null ? earlierCancellations : [...earlierCancellations, earlier.command];
    return { ...allotment, cancellation: started, earlierCancellations: known };
  }
  const { cancellation } = allotment;
  if (cancellation === null) throw new Error(`${event.type} before DateCancelled`);
  if (event.type === 'DateCancellationFinished')
    return { ...allotment, cancellation: { ...cancellation, finishedAt: event.data.at } };
  const { booking, outcome, refundMinor } = event.data;
  const { visited, cancelled, gone } = cancellation;
  return {
    ...allotment,
    cancellation: {
      ...cancellation,
      pending: cancellation.pending.without(booking),
      visited: outcome === 'visited' ? visited.with(booking, true) : visited,
      cancelled: cancelled + (outcome === 'cancelled' ? 1 : 0),
      gone: gone + (outcome === 'gone' ? 1 : 0),
      refundMinor: cancellation.refundMinor + refundMinor,
    },
  };
}

const NOTHING_DONE = {
  visited: new OrderedMap<string, true>(),
  cancelled: 0,
  gone: 0,
  refundMinor: 0,
  finishedAt: null,
} as const;

/** The ids of bookings with claims that are not released, in order. */
function bookingsIn({ claims }: OpenAllotment): readonly BookingId[] {
  const bookings = new Set<BookingId>();
  for (const { booking, released } of claims.values()) if (!released) bookings.add(booking);
  return [...bookings].sort();
}

function openHoldsIn({ holds }: OpenAllotment): readonly HoldId[] {
  return [...holds.entries()].flatMap(([id, { status }]) => (status === 'open' ? [id as HoldId] : []));
}
