import type { Unavailable } from '../../actors/actor.ts';
import type { DeliveryFacts, ReplayId } from '../../domain/delivery/delivery.ts';
import { type Cause, latest, type Position } from '../../eventsourcing/message.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';
import { deliveryId } from '../../webhooks/identifiers.ts';

/** Concurrent commands of one request. */
const AT_ONCE = 64;

export type Replayed =
  | {
      readonly kind: 'replayed';
      /** Position of the last scheduled delivery; null if there was none. */
      readonly position: Position | null;
    }
  | Unavailable;

/** Schedules a new delivery for each past event. Repeating the same replay schedules nothing more. */
export async function replayEvents(
  events: readonly DeliveryFacts[],
  { replay, cause }: { readonly replay: ReplayId; readonly cause: Cause },
  context: WebhookContext,
): Promise<Replayed> {
  let last: Position | null = null;
  for (let at = 0; at < events.length; at += AT_ONCE) {
    const some = events.slice(at, at + AT_ONCE);
    for (const reply of await Promise.all(some.map((facts) => schedule(facts, { replay, cause }, context)))) {
      if (reply.kind === 'unavailable') return reply;
      if (reply.kind === 'accepted') last = latest([last, reply.position]);
    }
  }
  return { kind: 'replayed', position: last };
}

function schedule(
  past: DeliveryFacts,
  { replay, cause }: { readonly replay: ReplayId; readonly cause: Cause },
  { streams, clock, digest }: WebhookContext,
) {
  const nowMs = clock.nowMs();
  const facts = { ...past, at: new Date(nowMs).toISOString() };
  const command = { type: 'ScheduleReplay', facts, replay } as const;
  return streams.deliveries.handle(deliveryId(digest, facts, replay), command, cause, nowMs + DECISION_MS);
}
