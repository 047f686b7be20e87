import { OrderedMap } from '../../collections/ordered-map.ts';
import type { AllotmentEvent } from '../../domain/allotment/events.ts';
import type { AllotmentId } from '../../domain/ids.ts';
import { type Cause, type Position, streamId } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';

/** A date whose cancellation has not finished. `cause`: of the operator's request. */
export type CancelDatesCommand = {
  readonly type: 'ContinueCancellation';
  readonly allotmentId: AllotmentId;
  readonly cause: Omit<Cause, 'at'>;
  /** The checkpoint must stay before this event. */
  readonly position: Position;
};

/** By allotment. */
export type CancelDatesState = OrderedMap<string, CancelDatesCommand>;

/**
 * Cancels the bookings of closed dates. The allotment's stream says which are left, so that the state here is one item per
 * date, and a restart continues where the last node stopped. Test bookings have no place on a live date.
 */
export const cancelDates: ProcessManager<CancelDatesState, AllotmentEvent, CancelDatesCommand> = {
  // Names the checkpoint stream; never renamed.
  name: 'date-cancellation',
  categories: ['allotment'],
  initial: new OrderedMap(),
  react(open, event) {
    const allotmentId = streamId(event.stream) as AllotmentId;
    switch (event.type) {
      case 'DateCancelled': {
        const { cause, id: causationId, position } = event;
        const { correlationId, by } = cause;
        const command = { allotmentId, cause: { correlationId, causationId, by }, position };
        return open.with(allotmentId, { type: 'ContinueCancellation', ...command });
      }
      case 'DateCancellationFinished':
        return open.without(allotmentId);
      default:
        return open;
    }
  },
  due(open, _nowMs, { limit, busy }) {
    return [...open.values()]
      .sort((left, right) => left.position - right.position)
      .filter((command) => !busy(cancelDatesKey(command)))
      .slice(0, limit);
  },
  /** The event that finishes the cancellation closes it. */
  done: (open) => open,
  drop: (open, key) => open.without(key),
  oldestOpen: (open) => oldestPosition(open.values()),
};

/** Commands with the same key do not run at the same time. */
export function cancelDatesKey({ allotmentId }: CancelDatesCommand): string {
  return allotmentId;
}
