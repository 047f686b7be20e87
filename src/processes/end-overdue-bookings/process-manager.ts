import { OrderedMap } from '../../collections/ordered-map.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import type { BookingId } from '../../domain/ids.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { type Position, streamId } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';

/** An open booking, and when the service ends it (ms since the epoch). */
type Waiting = {
  readonly waitsFor: EndOverdueBookingsCommand['type'];
  readonly booking: BookingId;
  readonly untilMs: number;
  /** The checkpoint must stay before this event. */
  readonly position: Position;
};

/** By booking id. */
export type EndOverdueBookingsState = OrderedMap<string, Waiting>;

export type EndOverdueBookingsCommand =
  /** The workflow did not end: takes its last step, or rejects the booking. */
  | { readonly type: 'FinishBooking'; readonly booking: BookingId }
  /** The venue did not answer in time. */
  | { readonly type: 'RejectUnanswered'; readonly booking: BookingId };

/** Ends each `processing` or `pending` booking at its deadline, after a crash or if the venue does not answer. */
export const endOverdueBookings: ProcessManager<EndOverdueBookingsState, BookingEvent, EndOverdueBookingsCommand> = {
  // Names the checkpoint stream; never renamed.
  name: 'booking-deadlines',
  categories: inBothModes('booking'),
  initial: new OrderedMap(),
  react(waiting, event) {
    const booking = streamId(event.stream) as BookingId;
    const { position } = event;
    switch (event.type) {
      case 'BookingStarted':
        return waiting.with(booking, {
          waitsFor: 'FinishBooking',
          booking,
          untilMs: event.data.finishByMs,
          position,
        });
      case 'BookingPlacedOnRequest':
        return waiting.with(booking, {
          waitsFor: 'RejectUnanswered',
          booking,
          untilMs: event.data.answerByMs,
          position,
        });
      case 'BookingModified': {
        const { answerByMs } = event.data;
        const asked = waiting.get(booking);
        return asked === undefined || answerByMs === null
          ? waiting
          : waiting.with(booking, { ...asked, untilMs: answerByMs });
      }
      case 'BookingConfirmed':
      case 'BookingRejected':
      case 'BookingCancelled':
        return waiting.without(booking);
      default:
        return waiting;
    }
  },
  due(waiting, nowMs, { limit, busy }) {
    return [...waiting.values()]
      .filter(({ untilMs }) => nowMs >= untilMs)
      .sort((left, right) => (left.position < right.position ? -1 : 1))
      .map(({ waitsFor: type, booking }) => ({ type, booking }))
      .filter((command) => !busy(endOverdueBookingsKey(command)))
      .slice(0, limit);
  },
  /** The resulting events close the booking. */
  done: (waiting) => waiting,
  drop: (waiting, key) => waiting.without(key.slice(key.indexOf(' ') + 1)),
  oldestOpen: (waiting) => oldestPosition(waiting.values()),
};

/** Commands with the same key do not run at the same time. */
export function endOverdueBookingsKey({ type, booking }: EndOverdueBookingsCommand): string {
  return `${type} ${booking}`;
}
