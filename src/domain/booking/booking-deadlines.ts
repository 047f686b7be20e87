import type { Position, Recorded } from '../../eventsourcing/message.ts';
import type { ProcessManager } from '../../eventsourcing/process-manager.ts';
import { PersistentMap } from '../persistent-map.ts';
import type { BookingEvent, BookingId } from './booking.ts';

/** A booking that somebody still owes an end, and the moment (ms since the epoch) from which on the service gives it one. */
type Waiting = {
  readonly waitsFor: DeadlineCommand['type'];
  readonly booking: BookingId;
  readonly untilMs: number;
  /** The process manager must be able to read from there again. */
  readonly position: Position;
};

/** By booking. */
export type DeadlinesState = PersistentMap<Waiting>;

export type DeadlineCommand =
  /** Its attempt came to no end: what is missing is done, or it is rejected. */
  | { readonly type: 'FinishBooking'; readonly booking: BookingId }
  /** The venue has not answered in time. */
  | { readonly type: 'RejectUnanswered'; readonly booking: BookingId };

/**
 * Sees that every booking which was answered as `processing` or `pending` comes to an end, whoever crashed and whoever
 * did not answer.
 */
export const bookingDeadlines: ProcessManager<DeadlinesState, BookingEvent, DeadlineCommand> = {
  name: 'booking-deadlines',
  categories: ['booking'],
  initial: new PersistentMap(),
  react(waiting, event) {
    const booking = bookingOf(event);
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
    return [...waiting.entries()]
      .map(([, item]) => item)
      .filter(({ untilMs }) => nowMs >= untilMs)
      .sort((left, right) => (left.position < right.position ? -1 : 1))
      .map(({ waitsFor: type, booking }) => ({ type, booking }))
      .filter((command) => !busy(deadlineKey(command)))
      .slice(0, limit);
  },
  /** Every command of this kind ends in an event. */
  done: (waiting) => waiting,
  oldestOpen(waiting) {
    let oldest: Position | null = null;
    for (const [, { position }] of waiting.entries()) if (oldest === null || position < oldest) oldest = position;
    return oldest;
  },
};

/** Of the same name only one is under way. */
export function deadlineKey({ type, booking }: DeadlineCommand): string {
  return `${type} ${booking}`;
}

function bookingOf({ stream }: Recorded<BookingEvent>): BookingId {
  // The codec read an event of this stream as a booking's.
  return stream.slice('booking-'.length) as BookingId;
}
