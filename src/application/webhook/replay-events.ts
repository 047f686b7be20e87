import { listPastEvents } from '../../../projections/feed/query.ts';
import type { FeedDocument } from '../../../projections/feed/read-model.ts';
import { type ReplayId, WEBHOOK_EVENTS, type WebhookEvent } from '../../domain/delivery/delivery.ts';
import { type Cause, latest, type Position } from '../../eventsourcing/message.ts';
import type { Cursor } from '../../ports/read-model-store.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';
import { deliveryId, replayId } from '../../webhooks/identifiers.ts';
import { noReply, type Refused } from '../refusal.ts';
import { askerOf, type DeliveryLogContext, inLog, MAX_PER_REQUEST } from './delivery-log.ts';
import { withoutSuspended } from './endpoint-health.ts';
import type { WebhookKey } from './key-of-request.ts';

/** Part of the hash of replay ids. Another name would send events again that an earlier request has replayed. */
const REPLAY = 'replay_events';
/** Concurrent commands of one request. */
const AT_ONCE = 64;

type ReplayRequest = {
  readonly key: WebhookKey;
  readonly idempotencyKey: string | null;
  /** The period as it was sent, which is part of the replay id. */
  readonly from: string;
  readonly to: string | undefined;
  readonly fromMs: number;
  /** Exclusive; null: no end. */
  readonly toMs: number | null;
  /** Undefined: those that the key listens to. */
  readonly events: readonly WebhookEvent[] | undefined;
  readonly after: Cursor | null;
};

export type Replayed = {
  readonly kind: 'replayed';
  readonly id: ReplayId;
  readonly scheduled: number;
  /** How many were skipped because their receiver is suspended. */
  readonly suspended: number;
  readonly next: Cursor | null;
  /** Position of the last scheduled delivery; null if there was none. */
  readonly position: Position | null;
};

/** Schedules a new delivery for each past event of a period. Repeating the same replay schedules nothing more. */
export async function replayEvents(
  { key: { keyId, webhookUrl, webhookEvents }, ...request }: ReplayRequest,
  cause: Cause,
  { readModels, collection, webhooks }: DeliveryLogContext,
): Promise<Replayed | Refused> {
  const events = request.events ?? webhookEvents ?? WEBHOOK_EVENTS;
  const page = await listPastEvents(readModels, await collection('feed'), {
    keyId,
    events,
    from: inLog(request.fromMs, webhooks),
    to: request.toMs === null ? null : new Date(request.toMs).toISOString(),
    limit: MAX_PER_REQUEST,
    after: request.after,
  });
  const scope = [
    keyId,
    REPLAY,
    request.from,
    request.to ?? '',
    ...events.toSorted(),
    ...askerOf(keyId, cause),
  ] as const;
  const id = replayId(scope, request.idempotencyKey, webhooks);
  const withReceiver = page.items.filter(({ endpoint }) => endpoint.kind === 'booking' || webhookUrl !== null);
  const found = await withoutSuspended(withReceiver, webhookUrl, webhooks);
  if (found.kind === 'refused') return found;
  const { others, suspended } = found;
  let position: Position | null = null;
  for (let at = 0; at < others.length; at += AT_ONCE) {
    const some = others.slice(at, at + AT_ONCE);
    for (const reply of await Promise.all(some.map((event) => schedule(event, id, cause, webhooks)))) {
      if (reply.kind === 'unavailable') return noReply(reply);
      if (reply.kind === 'accepted') position = latest([position, reply.position]);
    }
  }
  return { kind: 'replayed', id, scheduled: others.length, suspended, next: page.next, position };
}

function schedule(
  { position: _position, ...past }: FeedDocument,
  replay: ReplayId,
  cause: Cause,
  { streams, clock, digest }: WebhookContext,
) {
  const nowMs = clock.nowMs();
  const facts = { ...past, at: new Date(nowMs).toISOString() };
  const command = { type: 'ScheduleReplay', facts, replay } as const;
  return streams.deliveries.handle(deliveryId(digest, facts, replay), command, cause, nowMs + DECISION_MS);
}
