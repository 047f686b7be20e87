import type { KeySettings } from '../../domain/apikey/apikey.ts';
import type { BookingFacts } from '../../domain/booking/facts.ts';
import type { DeliveryFacts, DeliveryTarget } from '../../domain/delivery/delivery.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';
import { deliveryId, publicEventId } from '../../webhooks/identifiers.ts';
import { type ScheduleDelivery, scheduleDeliveries } from './process-manager.ts';

/**
 * Schedules the delivery of an event if a receiver subscribes to it, else records DeliveryOmitted. Decided once per
 * event.
 *
 * @returns true if done, false to try again
 */
export async function scheduleDelivery(command: ScheduleDelivery, context: WebhookContext): Promise<boolean> {
  const { streams, clock, digest, catalogue, webhookLimits } = context;
  const nowMs = clock.nowMs();
  if (Date.parse(command.at) < nowMs - webhookLimits.logDays * DAY_MS) return true;
  const facts = command.facts ?? (await factsOf(command, context));
  if (facts === null) return false;
  const { keyId, activityId } = facts;
  const key = await streams.apiKeys.read(keyId, nowMs + DECISION_MS);
  if (key.kind === 'unavailable') return false;
  if (key.kind === 'erased' || key.state.status === 'none') return true;
  const endpoint = endpointOf(facts);
  const eventId = publicEventId(digest, command.storedEventId);
  const at = new Date(nowMs).toISOString();
  const delivery: DeliveryFacts = {
    eventId,
    event: command.event,
    bookingId: command.booking,
    bookingRevision: command.revision,
    keyId,
    endpoint,
    activityRevision: catalogue.get(activityId)?.revision ?? 0,
    at,
  };
  const { correlationId, storedEventId: causationId } = command;
  const cause = { correlationId, causationId, by: scheduleDeliveries.name, at };
  const id = deliveryId(digest, delivery, null);
  const type = isHeard(command, endpoint, key.state.facts) ? 'ScheduleDelivery' : 'OmitDelivery';
  const reply = await streams.deliveries.handle(id, { type, facts: delivery }, cause, nowMs + DECISION_MS, {
    known: 'no-stream',
  });
  return reply.kind === 'accepted' || reply.kind === 'erased';
}

/** Reads key and receiver from the booking; null if it cannot be read now. */
async function factsOf(
  { booking }: ScheduleDelivery,
  { streams, clock }: WebhookContext,
): Promise<ScheduleDelivery['facts']> {
  const reply = await streams.bookings.read(booking, clock.nowMs() + DECISION_MS);
  return reply.kind === 'state' && reply.state.status !== 'none' ? reply.state.facts : null;
}

/** The booking's own webhook URL takes precedence over the key's. */
function endpointOf({ webhookUrl }: Pick<BookingFacts, 'webhookUrl'>): DeliveryTarget {
  if (webhookUrl === null) return { kind: 'key' };
  return { kind: 'booking', origin: URL.parse(webhookUrl)?.origin ?? webhookUrl };
}

function isHeard(
  { event }: ScheduleDelivery,
  { kind }: DeliveryTarget,
  { webhookUrl, webhookEvents }: Pick<KeySettings, 'webhookUrl' | 'webhookEvents'>,
): boolean {
  if (kind === 'key' && webhookUrl === null) return false;
  return webhookEvents === null || webhookEvents.includes(event);
}
