import { OrderedMap } from '../../collections/ordered-map.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { streamId } from '../../eventsourcing/message.ts';
import { oldestPosition, type ProcessManager } from '../../eventsourcing/process-manager.ts';
import type { Erasure } from '../../ports/erasure-ledger.ts';

/** About 300 bytes each. One batch of events may be added. While the ledger is unavailable, the log is read no further. */
const MAX_OPEN = 1_000;

/** Erasures that are not in the ledger yet, by booking. */
export type RecordErasuresState = OrderedMap<string, Erasure>;

export type RecordErasuresCommand = { readonly type: 'RecordErasure'; readonly erasure: Erasure };

/**
 * Records each GuestErased of the log in the ledger. The request and the reaper record it too, before they answer or delete
 * anything; this one also finds the erasures of releases without a ledger, and those that a new ledger lacks: while the ledger is
 * empty, it begins at the start of the log.
 */
export const recordErasures: ProcessManager<RecordErasuresState, BookingEvent, RecordErasuresCommand> = {
  // Names the checkpoint stream; never renamed.
  name: 'erasure-ledger',
  categories: inBothModes('booking'),
  initial: new OrderedMap(),
  react(open, { type, data, stream, position }) {
    if (type !== 'GuestErased') return open;
    const booking = streamId(stream);
    return open.with(booking, { booking, position, at: data.at });
  },
  due: (open, _nowMs, { limit, busy }) =>
    [...open.values()]
      .map((erasure) => ({ type: 'RecordErasure', erasure }) as const)
      .filter((command) => !busy(recordErasuresKey(command)))
      .slice(0, limit),
  done: (open, { erasure }) => open.without(erasure.booking),
  drop: (open, key) => open.without(key),
  openBound: { max: MAX_OPEN, count: ({ size }) => size },
  oldestOpen: (open) => oldestPosition(open.values()),
};

/** Commands with the same key do not run at the same time. */
export function recordErasuresKey({ erasure }: RecordErasuresCommand): string {
  return erasure.booking;
}
