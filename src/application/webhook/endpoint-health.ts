import type { DeliveryFacts } from '../../domain/delivery/delivery.ts';
import type { Endpoint, EndpointId } from '../../domain/endpoint/endpoint.ts';
import type { KeyId } from '../../domain/ids.ts';
import { type Cause, type Position, unreachable } from '../../eventsourcing/message.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';
import { readEndpoint } from '../../webhooks/endpoint-state.ts';
import { endpointId } from '../../webhooks/identifiers.ts';
import { noReply, type Refused } from '../refusal.ts';

type Receiver = Pick<DeliveryFacts, 'keyId' | 'endpoint'>;

/** Since when a receiver only fails, and since when it is suspended (ISO 8601 UTC); else null. */
export type EndpointHealth = { readonly failingSince: string | null; readonly suspendedSince: string | null };

/** Health of a working or unused receiver. */
const NOT_FAILING: EndpointHealth = { failingSince: null, suspendedSince: null };

/** The endpoint of a receiver, if the key's URL is `keyUrl`; null if there is none. */
export async function readEndpointOf(
  receiver: Receiver,
  keyUrl: string | null,
  context: Pick<WebhookContext, 'streams' | 'clock' | 'digest'>,
): Promise<{ readonly kind: 'endpoint'; readonly endpoint: Endpoint | null } | Refused> {
  const id = endpointId(context.digest, receiver, keyUrl);
  const endpoint = id === null ? null : await readEndpoint(id, context);
  return endpoint?.status === 'unavailable' ? noReply(endpoint.reply) : { kind: 'endpoint', endpoint };
}

/** The health of the receiver at the key's own URL. */
export async function keyEndpointHealth(
  { keyId, webhookUrl }: { readonly keyId: KeyId; readonly webhookUrl: string | null },
  context: Pick<WebhookContext, 'streams' | 'clock' | 'digest'>,
): Promise<{ readonly kind: 'health'; readonly health: EndpointHealth } | Refused> {
  const read = await readEndpointOf({ keyId, endpoint: { kind: 'key' } }, webhookUrl, context);
  return read.kind === 'refused' ? read : { kind: 'health', health: healthOf(read.endpoint) };
}

/** Splits off the deliveries to suspended receivers, if the key's URL is `keyUrl`. The others keep their order. */
export async function withoutSuspended<Delivery extends Receiver>(
  deliveries: readonly Delivery[],
  keyUrl: string | null,
  context: Pick<WebhookContext, 'streams' | 'clock' | 'digest'>,
): Promise<{ readonly kind: 'known'; readonly others: readonly Delivery[]; readonly suspended: number } | Refused> {
  const named = deliveries.map((delivery) => ({ delivery, id: endpointId(context.digest, delivery, keyUrl) }));
  const suspended = new Set<EndpointId>();
  for (const id of new Set(named.map((each) => each.id))) {
    if (id === null) continue;
    const endpoint = await readEndpoint(id, context);
    if (endpoint.status === 'unavailable') return noReply(endpoint.reply);
    if (endpoint.status === 'suspended') suspended.add(id);
  }
  const others = named.filter(({ id }) => id === null || !suspended.has(id)).map(({ delivery }) => delivery);
  return { kind: 'known', others, suspended: deliveries.length - others.length };
}

/**
 * Ends the suspension of a receiver, if the key's URL is `keyUrl`. Does nothing if it is not suspended.
 *
 * @returns its new health, and the position of the event; null if nothing changed
 */
export async function enableEndpoint(
  receiver: Receiver,
  keyUrl: string | null,
  cause: Cause,
  { streams, clock, digest }: Pick<WebhookContext, 'streams' | 'clock' | 'digest'>,
): Promise<
  { readonly kind: 'enabled'; readonly health: EndpointHealth; readonly position: Position | null } | Refused
> {
  const id = endpointId(digest, receiver, keyUrl);
  if (id === null) return { kind: 'enabled', health: NOT_FAILING, position: null };
  const command = { type: 'EnableEndpoint', at: cause.at } as const;
  const reply = await streams.endpoints.handle(id, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind !== 'accepted') throw new Error(`endpoint-${id} rejected EnableEndpoint`);
  return { kind: 'enabled', health: healthOf(reply.state), position: reply.position };
}

function healthOf(endpoint: Endpoint | null): EndpointHealth {
  if (endpoint === null) return NOT_FAILING;
  switch (endpoint.status) {
    case 'working':
      return NOT_FAILING;
    case 'failing':
      return { failingSince: endpoint.since, suspendedSince: null };
    case 'suspended':
      return { failingSince: endpoint.failingSince, suspendedSince: endpoint.since };
    default:
      return unreachable(endpoint);
  }
}
