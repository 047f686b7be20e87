import { publicFactsOf } from '../../domain/booking/facts.ts';
import type { DeliveryFacts } from '../../domain/delivery/delivery.ts';
import { type Announcement, referencesOf } from '../../domain/delivery/public-events.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';
import { deliveryId, publicEventId } from '../../webhooks/identifiers.ts';
import type { KeySettingsAt, WebhookSettings } from './key-settings.ts';
import { type ScheduleDelivery, scheduleDeliveries } from './process-manager.ts';

/**
 * Schedules the delivery of an event if a receiver listened for it when it was stored; else nothing is written. The
 * position of the event decides, so a repetition decides the same. Only for an event of an earlier version,
 * DeliveryOmitted is written: the feed needs a record of it.
 *
 * @returns true if done, false to try again
 */
export async function scheduleDelivery(
  command: ScheduleDelivery,
  context: WebhookContext,
  settingsAt: KeySettingsAt,
): Promise<boolean> {
  const { event, bookingId, bookingRevision, position, keyChangedAt } = command;
  const { streams, clock, digest, webhookLimits } = context;
  const nowMs = clock.nowMs();
  if (Date.parse(command.at) < nowMs - webhookLimits.logDays * DAY_MS) return true;
  const facts = command.facts ?? (await earlierFacts(command, context));
  if (facts === null) return false;
  // The manager does not know the key of an event of an earlier version, so all its changes up to the event are needed.
  const changedAt = command.facts === null ? position : keyChangedAt;
  const settings = await settingsAt(facts.keyId, position, changedAt);
  const heard = settings !== null && isHeard(event, facts, settings);
  if (!heard && (command.facts !== null || settings === null)) return true;
  const at = new Date(nowMs).toISOString();
  const eventId = publicEventId(digest, command.storedEventId);
  const delivery: DeliveryFacts = { eventId, event, bookingId, bookingRevision, ...facts, at };
  const { correlationId, storedEventId: causationId } = command;
  const cause = { correlationId, causationId, by: scheduleDeliveries.name, at };
  const id = deliveryId(digest, delivery, null);
  const type = heard ? 'ScheduleDelivery' : 'OmitDelivery';
  const reply = await streams.deliveries.handle(id, { type, facts: delivery }, cause, nowMs + DECISION_MS, {
    known: 'no-stream',
  });
  return reply.kind === 'accepted' || reply.kind === 'erased';
}

/** What an event of an earlier version refers to, read from its booking; null if it cannot be read now. */
async function earlierFacts(
  { bookingId }: ScheduleDelivery,
  { streams, clock, catalogue }: WebhookContext,
): Promise<Announcement['facts']> {
  const reply = await streams.bookings.read(bookingId, clock.nowMs() + DECISION_MS);
  if (reply.kind !== 'state' || reply.state.status === 'none') return null;
  const { facts } = reply.state;
  return referencesOf(publicFactsOf(facts, catalogue.get(facts.activityId)?.revision));
}

function isHeard(
  event: ScheduleDelivery['event'],
  { endpoint }: NonNullable<Announcement['facts']>,
  { webhookUrl, webhookEvents }: WebhookSettings,
): boolean {
  if (endpoint.kind === 'key' && webhookUrl === null) return false;
  return webhookEvents === null || webhookEvents.includes(event);
}
