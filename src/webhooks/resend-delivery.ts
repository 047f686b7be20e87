import type { DeliveryId, ResendRequestId } from '../domain/delivery/delivery.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import { DECISION_MS, type WebhookContext } from './context.ts';

/** So many deliveries of one request are decided on at once. */
const AT_ONCE = 64;

/** Who asks, under which name: a repetition with the same name changes nothing. */
export type ResendRequest = { readonly request: ResendRequestId; readonly cause: Cause };

export type Resent = {
  readonly kind: 'resent';
  /** How many are sent again. */
  readonly count: number;
  /** Of the last event that says so; null where nothing was to be done. */
  readonly position: Position | null;
};

type Unavailable = { readonly kind: 'unavailable'; readonly reason: string };

/** Sends a delivery again, whatever became of it. Where an attempt is owed at once already, that is the one. */
export async function resendDelivery(
  delivery: DeliveryId,
  asked: ResendRequest,
  context: Pick<WebhookContext, 'streams' | 'clock'>,
): Promise<Resent | Unavailable> {
  return decide('Resend', delivery, asked, context);
}

/** Sends those of the deliveries again that are still failed. */
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
      // What was resent so far stays so: the repetition of the request finds it, and goes on behind it.
      if (done.kind === 'unavailable') return done;
      count += done.count;
      if (done.position !== null && (last === null || done.position > last)) last = done.position;
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
      // Listed, and gone since: its time in the log was over.
      return { kind: 'resent', count: 0, position: null };
  }
}
