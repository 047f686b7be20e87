import type { Unavailable } from '../actors/actor.ts';
import type { DeliveryFacts } from '../domain/delivery/delivery.ts';
import type { Endpoint, EndpointId } from '../domain/endpoint/endpoint.ts';
import type { KeyId } from '../domain/ids.ts';
import { type Cause, type Position, unreachable } from '../eventsourcing/message.ts';
import { DECISION_MS, type WebhookContext } from './context.ts';
import { endpointId } from './identifiers.ts';

type UnavailableEndpoint = { readonly status: 'unavailable'; readonly reply: Unavailable };
type Receiver = Pick<DeliveryFacts, 'keyId' | 'endpoint'>;

/** Since when a receiver only fails, and since when it is suspended (ISO 8601 UTC); else null. */
export type EndpointHealth = { readonly failingSince: string | null; readonly suspendedSince: string | null };

/** Health of a working or unused receiver. */
export const NOT_FAILING: EndpointHealth = { failingSince: null, suspendedSince: null };

/** Reads an endpoint from its stream. */
export async function readEndpoint(
  id: EndpointId,
  { streams, clock }: Pick<WebhookContext, 'streams' | 'clock'>,
): Promise<Endpoint | UnavailableEndpoint> {
  const reply = await streams.endpoints.read(id, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'erased') throw new Error(`endpoint-${id} was erased`);
  return reply.kind === 'state' ? reply.state : { status: 'unavailable', reply };
}

/** The endpoint of a receiver, if the key's URL is `keyUrl`; null if there is none. */
export async function readEndpointOf(
  receiver: Receiver,
  keyUrl: string | null,
  context: Pick<WebhookContext, 'streams' | 'clock' | 'digest'>,
): Promise<Endpoint | UnavailableEndpoint | null> {
  const id = endpointId(context.digest, receiver, keyUrl);
  return id === null ? null : readEndpoint(id, context);
}

/** The health of the receiver at the key's own URL. */
export async function keyEndpointHealth(
  { keyId, webhookUrl }: { readonly keyId: KeyId; readonly webhookUrl: string | null },
  context: Pick<WebhookContext, 'streams' | 'clock' | 'digest'>,
): Promise<{ readonly kind: 'health'; readonly health: EndpointHealth } | Unavailable> {
  const endpoint = await readEndpointOf({ keyId, endpoint: { kind: 'key' } }, webhookUrl, context);
  if (endpoint?.status === 'unavailable') return endpoint.reply;
  return { kind: 'health', health: endpoint === null ? NOT_FAILING : healthOf(endpoint) };
}

/** Splits off the deliveries to suspended receivers, if the key's URL is `keyUrl`. The others keep their order. */
export async function withoutSuspended<Delivery extends Receiver>(
  deliveries: readonly Delivery[],
  keyUrl: string | null,
  context: Pick<WebhookContext, 'streams' | 'clock' | 'digest'>,
): Promise<
  { readonly status: 'known'; readonly others: readonly Delivery[]; readonly suspended: number } | UnavailableEndpoint
> {
  const named = deliveries.map((delivery) => ({ delivery, id: endpointId(context.digest, delivery, keyUrl) }));
  const suspended = new Set<EndpointId>();
  for (const id of new Set(named.map((each) => each.id))) {
    if (id === null) continue;
    const endpoint = await readEndpoint(id, context);
    if (endpoint.status === 'unavailable') return endpoint;
    if (endpoint.status === 'suspended') suspended.add(id);
  }
  const others = named.filter(({ id }) => id === null || !suspended.has(id)).map(({ delivery }) => delivery);
  return { status: 'known', others, suspended: deliveries.length - others.length };
}

/**
 * Ends the suspension of an endpoint. Does nothing if it is not suspended.
 *
 * @returns its new health, and the position of the event; null if nothing changed
 */
export async function enableEndpoint(
  id: EndpointId,
  cause: Cause,
  { streams, clock }: Pick<WebhookContext, 'streams' | 'clock'>,
): Promise<
  { readonly kind: 'enabled'; readonly health: EndpointHealth; readonly position: Position | null } | Unavailable
> {
  const command = { type: 'EnableEndpoint', at: cause.at } as const;
  const reply = await streams.endpoints.handle(id, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable') return reply;
  if (reply.kind !== 'accepted') throw new Error(`endpoint-${id} rejected EnableEndpoint`);
  return { kind: 'enabled', health: healthOf(reply.state), position: reply.position };
}

function healthOf(endpoint: Endpoint): EndpointHealth {
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
