import { OrderedMap } from '../../collections/ordered-map.ts';
import { PriorityQueue } from '../../collections/priority-queue.ts';
import type { ApiKeyEvent } from '../../domain/apikey/apikey.ts';
import { apiKeyCodec } from '../../domain/apikey/decider.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import { type Announcement, announcedBy } from '../../domain/delivery/public-events.ts';
import type { KeyId } from '../../domain/ids.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { type Position, type Recorded, streamId } from '../../eventsourcing/message.ts';
import type { ProcessManager } from '../../eventsourcing/process-manager.ts';

/** A booking's event that becomes a public event. */
export type ScheduleDelivery = Announcement & {
  /** Of the event: booking and revision. Commands with the same key do not run at the same time. */
  readonly key: string;
  /** Of the event. */
  readonly position: Position;
  /** Of the last event of the booking's key before this one that the manager has folded; null for none or if unknown. */
  readonly keyChangedAt: Position | null;
  readonly storedEventId: string;
  readonly correlationId: string;
  /** Time of the event, ISO 8601 UTC. */
  readonly at: string;
};

export type ScheduleDeliveriesState = {
  readonly open: PriorityQueue<ScheduleDelivery>;
  /** The position of the last folded event of each key. */
  readonly keyChanges: OrderedMap<KeyId, Position>;
};

const KEYS = apiKeyCodec.category;

/**
 * Gives one command per public event, in order within a booking. Whether a receiver listens is decided when the command
 * is executed, by the settings that the key had at the event's position.
 */
export const scheduleDeliveries: ProcessManager<ScheduleDeliveriesState, BookingEvent | ApiKeyEvent, ScheduleDelivery> =
  {
    // Names the checkpoint stream; never renamed.
    name: 'webhook-fan-out',
    categories: [...inBothModes('booking'), KEYS],
    initial: { open: new PriorityQueue(), keyChanges: new OrderedMap() },
    react(state, event) {
      const { stream, revision, position, id, cause } = event;
      if (isOfKey(event)) return { ...state, keyChanges: state.keyChanges.with(streamId(stream) as KeyId, position) };
      const announced = announcedBy(event);
      if (announced === null) return state;
      const { bookingId, facts } = announced;
      const key = `${bookingId}@${revision}`;
      const open = state.open.with(key, position, {
        ...announced,
        key,
        position,
        keyChangedAt: facts === null ? null : (state.keyChanges.get(facts.keyId) ?? null),
        storedEventId: id,
        correlationId: cause.correlationId,
        at: cause.at,
      });
      return { ...state, open };
    },
    due({ open }, _nowMs, { limit, busy }) {
      const due: ScheduleDelivery[] = [];
      // One command per booking at a time, so that the deliveries of its events are scheduled in their order.
      const met = new Set<string>();
      for (const command of open.values()) {
        if (due.length >= limit) break;
        if (met.has(command.bookingId)) continue;
        met.add(command.bookingId);
        if (!busy(command.key)) due.push(command);
      }
      return due;
    },
    done: (state, { key }) => ({ ...state, open: state.open.without(key) }),
    oldestOpen: ({ open }) => open.first?.position ?? null,
  };

function isOfKey(event: Recorded<BookingEvent | ApiKeyEvent>): event is Recorded<ApiKeyEvent> {
  return event.stream.startsWith(`${KEYS}-`);
}
