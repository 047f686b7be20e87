import type { KeyId } from '../domain/booking/booking.ts';
import type { DeliveryFacts } from '../domain/delivery/delivery.ts';
import type { Endpoint, EndpointId } from '../domain/endpoint/endpoint.ts';
import { type Cause, type Position, unreachable } from '../eventsourcing/message.ts';
import { DECISION_MS, type WebhookContext } from './context.ts';
import { endpointId } from './identifiers.ts';

type Unavailable = { readonly status: 'unavailable'; readonly reason: string };
type Receiver = Pick<DeliveryFacts, 'keyId' | 'endpoint'>;

/** How a receiver does, ISO 8601 UTC: since when it only fails, and since when nothing is sent there; else null. */
export type EndpointHealth = { readonly failingSince: string | null; readonly suspendedSince: string | null };

/** The health of a receiver that works, or that nothing was ever sent to. */
export const NOT_FAILING: EndpointHealth = { failingSince: null, suspendedSince: null };

/** An endpoint as its stream has it now, on whichever node. */
export async function readEndpoint(
  id: EndpointId,
  { streams, clock }: Pick<WebhookContext, 'streams' | 'clock'>,
): Promise<Endpoint | Unavailable> {
  const reply = await streams.endpoints.read(id, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'erased') throw new Error(`endpoint-${id} was erased`);
  return reply.kind === 'state' ? reply.state : { status: 'unavailable', reason: reply.reason };
}

/** The receiver of a key's bookings or its own, where the key's URL is this one; null where there is none. */
export async function receiverState(
  receiver: Receiver,
  keyUrl: string | null,
  context: Pick<WebhookContext, 'streams' | 'clock' | 'digest'>,
): Promise<Endpoint | Unavailable | null> {
  const id = endpointId(context.digest, receiver, keyUrl);
  return id === null ? null : readEndpoint(id, context);
}

/** How the receiver of a key's own URL does. */
export async function keyReceiver(
  { keyId, webhookUrl }: { readonly keyId: KeyId; readonly webhookUrl: string | null },
  context: Pick<WebhookContext, 'streams' | 'clock' | 'digest'>,
): Promise<
  | { readonly kind: 'health'; readonly health: EndpointHealth }
  | { readonly kind: 'unavailable'; readonly reason: string }
> {
  const endpoint = await receiverState({ keyId, endpoint: { kind: 'key' } }, webhookUrl, context);
  if (endpoint?.status === 'unavailable') return { kind: 'unavailable', reason: endpoint.reason };
  return { kind: 'health', health: endpoint === null ? NOT_FAILING : healthOf(endpoint) };
}

/**
 * Tells deliveries apart by whether their receivers are suspended, where the key's URL is this one. Those of the other
 * receivers come in their order.
 */
export async function withoutSuspended<Delivery extends Receiver>(
  deliveries: readonly Delivery[],
  keyUrl: string | null,
  context: Pick<WebhookContext, 'streams' | 'clock' | 'digest'>,
): Promise<
  { readonly status: 'told'; readonly others: readonly Delivery[]; readonly suspended: number } | Unavailable
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
  return { status: 'told', others, suspended: deliveries.length - others.length };
}

/**
 * Ends the suspension of an endpoint. One that is not suspended stays as it is.
 *
 * @returns its health from now on, and where that was recorded: null where nothing was
 */
export async function enableEndpoint(
  id: EndpointId,
  cause: Cause,
  { streams, clock }: Pick<WebhookContext, 'streams' | 'clock'>,
): Promise<
  | { readonly kind: 'enabled'; readonly health: EndpointHealth; readonly position: Position | null }
  | { readonly kind: 'unavailable'; readonly reason: string }
> {
  const command = { type: 'EnableEndpoint', at: cause.at } as const;
  const reply = await streams.endpoints.handle(id, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable') return reply;
  if (reply.kind !== 'accepted') throw new Error(`endpoint-${id} refused to be enabled`);
  return { kind: 'enabled', health: healthOf(reply.state), position: reply.position };
}

export function healthOf(endpoint: Endpoint): EndpointHealth {
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
