import { OrderedMap } from '../../collections/ordered-map.ts';
import type { ApiKeyEvent } from '../../domain/apikey/apikey.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import type { BookingId, KeyId } from '../../domain/ids.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { type Position, type Recorded, streamId } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';

/** An open booking, and when the service ends it (ms since the epoch). */
type Waiting = {
  readonly waitsFor: EndOverdueBookingsCommand['type'];
  readonly booking: BookingId;
  readonly keyId: KeyId;
  readonly untilMs: number;
  /** The checkpoint must stay before this event. */
  readonly position: Position;
};

export type EndOverdueBookingsState = {
  /** By booking id. */
  readonly waiting: OrderedMap<string, Waiting>;
  /** Keys that were deactivated: a request may still place a booking after that. */
  readonly inactive: OrderedMap<string, true>;
};

export type EndOverdueBookingsCommand =
  /** The workflow did not end: takes its last step, or rejects the booking. */
  | { readonly type: 'FinishBooking'; readonly booking: BookingId }
  /** The venue did not answer in time. */
  | { readonly type: 'RejectUnanswered'; readonly booking: BookingId }
  /** The booking waits for the venue, and its key was deactivated. */
  | { readonly type: 'RejectOfInactiveKey'; readonly booking: BookingId };

/**
 * Ends each `processing` or `pending` booking at its deadline, after a crash or if the venue does not answer; a `pending`
 * one also if its key is deactivated.
 */
export const endOverdueBookings: ProcessManager<
  EndOverdueBookingsState,
  BookingEvent | ApiKeyEvent,
  EndOverdueBookingsCommand
> = {
  // Names the checkpoint stream; never renamed.
  name: 'booking-deadlines',
  categories: [...inBothModes('booking'), 'apikey'],
  initial: { waiting: new OrderedMap(), inactive: new OrderedMap() },
  react(state, event) {
    const { waiting, inactive } = state;
    const id = streamId(event.stream);
    switch (event.type) {
      case 'BookingStarted':
      case 'BookingPlacedOnRequest':
        return { ...state, waiting: waiting.with(id, waitingFor(event, inactive)) };
      case 'BookingModified': {
        const { answerByMs } = event.data;
        const asked = waiting.get(id);
        if (asked?.waitsFor !== 'RejectUnanswered' || answerByMs === null) return state;
        return { ...state, waiting: waiting.with(id, { ...asked, untilMs: answerByMs }) };
      }
      case 'BookingConfirmed':
      case 'BookingRejected':
      case 'BookingCancelled':
        return { ...state, waiting: waiting.without(id) };
      case 'KeyDeactivated':
        return { waiting: endedWith(id as KeyId, waiting), inactive: inactive.with(id, true) };
      case 'KeyActivated':
        return { ...state, inactive: inactive.without(id) };
      default:
        return state;
    }
  },
  due({ waiting }, nowMs, { limit, busy }) {
    return [...waiting.values()]
      .filter(({ untilMs }) => nowMs >= untilMs)
      .sort((left, right) => (left.position < right.position ? -1 : 1))
      .map(({ waitsFor: type, booking }) => ({ type, booking }))
      .filter((command) => !busy(endOverdueBookingsKey(command)))
      .slice(0, limit);
  },
  /** The resulting events close the booking. */
  done: (state) => state,
  drop: (state, key) => ({ ...state, waiting: state.waiting.without(key.slice(key.indexOf(' ') + 1)) }),
  oldestOpen: ({ waiting }) => oldestPosition(waiting.values()),
};

function waitingFor(
  event: Recorded<Extract<BookingEvent, { type: 'BookingStarted' | 'BookingPlacedOnRequest' }>>,
  inactive: EndOverdueBookingsState['inactive'],
): Waiting {
  const { keyId } = event.data;
  const item = { booking: streamId(event.stream) as BookingId, keyId, position: event.position };
  if (event.type === 'BookingStarted') return { ...item, waitsFor: 'FinishBooking', untilMs: event.data.finishByMs };
  return inactive.get(keyId) === undefined
    ? { ...item, waitsFor: 'RejectUnanswered', untilMs: event.data.answerByMs }
    : { ...item, waitsFor: 'RejectOfInactiveKey', untilMs: 0 };
}

/** A started booking is finished first: it is rejected if it then waits for the venue. */
function endedWith(keyId: KeyId, waiting: EndOverdueBookingsState['waiting']): EndOverdueBookingsState['waiting'] {
  let after = waiting;
  for (const item of waiting.values()) {
    if (item.keyId === keyId && item.waitsFor === 'RejectUnanswered')
      after = after.with(item.booking, { ...item, waitsFor: 'RejectOfInactiveKey', untilMs: 0 });
  }
  return after;
}

/** Commands with the same key do not run at the same time. */
export function endOverdueBookingsKey({ type, booking }: EndOverdueBookingsCommand): string {
  return `${type} ${booking}`;
}
