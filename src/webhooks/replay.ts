import type { DeliveryFacts, ReplayId } from '../domain/delivery/delivery.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import { DECISION_MS, type WebhookContext } from './context.ts';
import { deliveryId } from './identifiers.ts';

/** So many deliveries of one request are scheduled at once. */
const AT_ONCE = 64;

export type Replayed =
  | {
      readonly kind: 'replayed';
      /** Of the last delivery that was scheduled; null where there was none. */
      readonly position: Position | null;
    }
  | { readonly kind: 'unavailable'; readonly reason: string };

/**
 * Schedules events of the past anew, each as a delivery of its own. The same replay schedules an event only once, however
 * often it is asked for.
 */
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
      const position = reply.kind === 'accepted' ? reply.position : null;
      if (position !== null && (last === null || position > last)) last = position;
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
