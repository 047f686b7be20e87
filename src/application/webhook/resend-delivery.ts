import type { Unavailable } from '../../actors/actor.ts';
import type { DeliveryId, ResendRequestId } from '../../domain/delivery/delivery.ts';
import { type Cause, latest, type Position } from '../../eventsourcing/message.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';

/** Concurrent commands of one request. */
const AT_ONCE = 64;

/** Identifies a request to resend: repeating it with the same id changes nothing. */
type ResendRequest = { readonly request: ResendRequestId; readonly cause: Cause };

export type Resent = {
  readonly kind: 'resent';
  /** Number of deliveries to send again. */
  readonly count: number;
  /** Position of the last event appended; null if nothing was to be done. */
  readonly position: Position | null;
};

/** Sends a delivery again, whatever its status. If an attempt is already due now, it adds none. */
export async function resendDelivery(
  delivery: DeliveryId,
  asked: ResendRequest,
  context: Pick<WebhookContext, 'streams' | 'clock'>,
): Promise<Resent | Unavailable> {
  return decide('Resend', delivery, asked, context);
}

/** Sends the deliveries again whose status is still failed. */
export async function recoverDeliveries(
  deliveries: readonly DeliveryId[],
  asked: ResendRequest,
  context: Pick<WebhookContext, 'streams' | 'clock'>,
): Promise<Resent | Unavailable> {
  let count = 0;
  let last: Position | null = null;
  for (let at = 0; at < deliveries.length; at += AT_ONCE) {
    const some = deliveries.slice(at, at + AT_ONCE);
    for (const done of await Promise.all(some.map((delivery) => decide('Recover', delivery, asked, context)))) {
      // Those already resent stay resent; a repeated request skips them.
      if (done.kind === 'unavailable') return done;
      count += done.count;
      last = latest([last, done.position]);
    }
  }
  return { kind: 'resent', count, position: last };
}

async function decide(
  type: 'Resend' | 'Recover',
  delivery: DeliveryId,
  { request, cause }: ResendRequest,
  { streams, clock }: Pick<WebhookContext, 'streams' | 'clock'>,
): Promise<Resent | Unavailable> {
  const nowMs = clock.nowMs();
  const command = { type, request, at: new Date(nowMs).toISOString() };
  const reply = await streams.deliveries.handle(delivery, command, cause, nowMs + DECISION_MS);
  switch (reply.kind) {
    case 'accepted':
      return { kind: 'resent', count: reply.events.length, position: reply.position };
    case 'unavailable':
      return reply;
    default:
      // It has expired from the delivery log since it was listed.
      return { kind: 'resent', count: 0, position: null };
  }
}
