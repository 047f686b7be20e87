import { PriorityQueue } from '../../collections/priority-queue.ts';
import type { BookingEvent } from '../../domain/booking/events.ts';
import type { BookingFacts } from '../../domain/booking/facts.ts';
import type { WebhookEvent } from '../../domain/delivery/delivery.ts';
import type { BookingId } from '../../domain/ids.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { type Position, streamId } from '../../eventsourcing/message.ts';
import type { ProcessManager } from '../../eventsourcing/process-manager.ts';
import { PUBLIC_NAMES } from '../../webhooks/public-event.ts';

/** A booking's event that becomes a public event. */
export type ScheduleDelivery = {
  /** Of the event: booking and revision. Commands with the same key do not run at the same time. */
  readonly key: string;
  /** Of the event. */
  readonly position: Position;
  readonly event: WebhookEvent;
  readonly booking: BookingId;
  readonly revision: number;
  /** Key and receiver of the booking, if the event contains them. */
  readonly facts: Pick<BookingFacts, 'keyId' | 'webhookUrl' | 'activityId'> | null;
  readonly storedEventId: string;
  readonly correlationId: string;
  /** Time of the event, ISO 8601 UTC. */
  readonly at: string;
};

export type ScheduleDeliveriesState = PriorityQueue<ScheduleDelivery>;

/**
 * Gives one command per public event, in order within a booking. The receiver is looked up when the
 * command is executed.
 */
export const scheduleDeliveries: ProcessManager<ScheduleDeliveriesState, BookingEvent, ScheduleDelivery> = {
  // Names the checkpoint stream; never renamed.
  name: 'webhook-fan-out',
  categories: inBothModes('booking'),
  initial: new PriorityQueue(),
  react(open, event) {
    const publicName = PUBLIC_NAMES[event.type];
    if (publicName === null) return open;
    const booking = streamId(event.stream) as BookingId;
    const { revision, position, id, cause } = event;
    const key = `${booking}@${revision}`;
    return open.with(key, position, {
      key,
      position,
      event: publicName,
      booking,
      revision,
      facts: event.type === 'BookingConfirmed' ? factsOf(event.data) : null,
      storedEventId: id,
      correlationId: cause.correlationId,
      at: cause.at,
    });
  },
  due(open, _nowMs, { limit, busy }) {
    const due: ScheduleDelivery[] = [];
    // One command per booking at a time, so that the feed keeps the order of its events.
    const met = new Set<BookingId>();
    for (const command of open.values()) {
      if (due.length >= limit) break;
      if (met.has(command.booking)) continue;
      met.add(command.booking);
      if (!busy(command.key)) due.push(command);
    }
    return due;
  },
  done: (open, { key }) => open.without(key),
  drop: (open, key) => open.without(key),
  oldestOpen: (open) => open.first?.position ?? null,
};

function factsOf({ keyId, webhookUrl, activityId }: BookingFacts): ScheduleDelivery['facts'] {
  return { keyId, webhookUrl, activityId };
}
