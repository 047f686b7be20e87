import {
  isOfEvent,
  type LoggedDelivery,
  type LoggedEvent,
  listDeliveries,
} from '../../../projections/deliveries/query.ts';
import type { DeliveryId, ResendRequestId } from '../../domain/delivery/delivery.ts';
import { type Cause, latest, type Position } from '../../eventsourcing/message.ts';
import type { Cursor } from '../../ports/read-model-store.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';
import { resendRequestId } from '../../webhooks/identifiers.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import type { SignedIn } from '../session/session-caller.ts';
import { askerOf, type DeliveryLogContext, inLog, MAX_PER_REQUEST, readDelivery } from './delivery-log.ts';
import { readEndpointOf, withoutSuspended } from './endpoint-health.ts';
import { keyOfRequest, type WebhookKey, type WebhookKeys } from './key-of-request.ts';

/** Part of the hash of request ids. Another name would send deliveries again that an earlier request has sent. */
const RESEND = 'resend_delivery';
const RECOVER = 'recover_deliveries';
/** Concurrent commands of one request. */
const AT_ONCE = 64;

export type Resent = {
  readonly kind: 'resent';
  readonly delivery: LoggedEvent;
  /** Position of the event; null if an attempt is already due now. */
  readonly position: Position | null;
};

type Recovered = {
  readonly kind: 'recovered';
  /** Number of deliveries to send again. */
  readonly count: number;
  /** How many were skipped because their receiver is suspended. */
  readonly suspended: number;
  readonly next: Cursor | null;
  /** Position of the last event appended; null if nothing was to be done. */
  readonly position: Position | null;
};

/** Sends a delivery again, whatever its status. If an attempt is already due now, it adds none. */
export async function resendDelivery(
  {
    deliveryId,
    caller,
    idempotencyKey,
  }: {
    readonly deliveryId: string;
    readonly caller: SignedIn;
    /** A repeated request with the same key changes nothing. */
    readonly idempotencyKey: string | null;
  },
  cause: Cause,
  context: DeliveryLogContext & { readonly keys: WebhookKeys },
): Promise<Resent | Refused> {
  const { webhooks } = context;
  const read = await readDelivery(deliveryId, caller.kind === 'key' ? caller.key.keyId : null, context);
  if (read.kind === 'refused') return read;
  const { delivery } = read;
  if (!isOfEvent(delivery)) return onceOnly(delivery);
  const owner = keyOfRequest(caller, caller.kind === 'key' ? undefined : delivery.keyId, context.keys);
  if (owner.kind === 'refused') return owner;
  const { key } = owner;
  const receiver = await readEndpointOf(delivery, key.webhookUrl, webhooks);
  if (receiver.kind === 'refused') return receiver;
  if (receiver.endpoint?.status === 'suspended') return suspended(delivery, caller, receiver.endpoint.since);
  const request = resendRequestId(
    [key.keyId, RESEND, delivery.deliveryId, ...askerOf(key.keyId, cause)],
    idempotencyKey,
    webhooks,
  );
  const resent = await decide('Resend', delivery.deliveryId, { request, cause }, webhooks);
  if (resent.kind === 'refused') return resent;
  const { position } = resent;
  if (position === null) return { kind: 'resent', delivery, position };
  const retrying = { ...delivery, status: 'retrying', nextAttemptAtMs: Date.parse(cause.at) } as const;
  return { kind: 'resent', delivery: retrying, position };
}

/** Sends the deliveries again that were scheduled since a time and have failed, or those that wait for their next attempt. */
export async function recoverDeliveries(
  {
    key: { keyId, webhookUrl },
    idempotencyKey,
    status,
    since,
    sinceMs,
    after,
  }: {
    readonly key: Pick<WebhookKey, 'keyId' | 'webhookUrl'>;
    /** A repeated request with the same key changes nothing. */
    readonly idempotencyKey: string | null;
    readonly status: 'failed' | 'retrying';
    /** The time as it was sent, which is part of the request id. */
    readonly since: string;
    readonly sinceMs: number;
    readonly after: Cursor | null;
  },
  cause: Cause,
  { readModels, collection, webhooks }: DeliveryLogContext,
): Promise<Recovered | Refused> {
  const page = await listDeliveries(readModels, await collection('deliveries'), {
    keyId,
    status,
    event: null,
    bookingId: null,
    from: inLog(sinceMs, webhooks),
    to: null,
    direction: 'asc',
    limit: MAX_PER_REQUEST,
    after,
  });
  const listed = await withoutSuspended(page.items.filter(isOfEvent), webhookUrl, webhooks);
  if (listed.kind === 'refused') return listed;
  const which = status === 'failed' ? [since] : [since, status];
  const request = resendRequestId([keyId, RECOVER, ...which, ...askerOf(keyId, cause)], idempotencyKey, webhooks);
  const command = status === 'failed' ? 'Recover' : 'Resend';
  let count = 0;
  let position: Position | null = null;
  for (let at = 0; at < listed.others.length; at += AT_ONCE) {
    const some = listed.others.slice(at, at + AT_ONCE);
    const decided = some.map(({ deliveryId }) => decide(command, deliveryId, { request, cause }, webhooks));
    for (const done of await Promise.all(decided)) {
      // Those already resent stay resent; a repeated request skips them.
      if (done.kind === 'refused') return done;
      count += done.count;
      position = latest([position, done.position]);
    }
  }
  return { kind: 'recovered', count, suspended: listed.suspended, next: page.next, position };
}

async function decide(
  type: 'Resend' | 'Recover',
  delivery: DeliveryId,
  { request, cause }: { readonly request: ResendRequestId; readonly cause: Cause },
  { streams, clock }: Pick<WebhookContext, 'streams' | 'clock'>,
): Promise<{ readonly kind: 'decided'; readonly count: number; readonly position: Position | null } | Refused> {
  const nowMs = clock.nowMs();
  const command = { type, request, at: new Date(nowMs).toISOString() };
  const reply = await streams.deliveries.handle(delivery, command, cause, nowMs + DECISION_MS);
  switch (reply.kind) {
    case 'accepted':
      return { kind: 'decided', count: reply.events.length, position: reply.position };
    case 'unavailable':
      return noReply(reply);
    default:
      // It has expired from the delivery log since it was listed.
      return { kind: 'decided', count: 0, position: null };
  }
}

function onceOnly({ deliveryId }: LoggedDelivery): Refused {
  const message = `The delivery ${deliveryId} is a test, which is sent once; POST /api/webhooks/test sends a new one.`;
  return refused('INVALID_REQUEST', message);
}

function suspended({ endpoint: receiver, keyId }: LoggedEvent, caller: SignedIn, since: string): Refused {
  const which = receiver.kind === 'key' ? "the key's webhook_url" : `the webhook_url of bookings at ${receiver.origin}`;
  const named = {
    ...(caller.kind === 'operator' && { key: keyId }),
    ...(receiver.kind === 'booking' && { webhook_url: receiver.origin }),
  };
  const enabling = Object.keys(named).length === 0 ? 'an empty body' : JSON.stringify(named);
  return refused(
    'WEBHOOK_SUSPENDED',
    `The service sends nothing to ${which}: it only failed, and is suspended since ${since}. Repair it, POST /api/webhooks/enable with ${enabling}, then send this again.`,
  );
}
