import type { Unavailable } from '../actors/actor.ts';
import type { Endpoint, EndpointId } from '../domain/endpoint/endpoint.ts';
import { DECISION_MS, type WebhookContext } from './context.ts';

/** Reads an endpoint from its stream. */
export async function readEndpoint(
  id: EndpointId,
  { streams, clock }: Pick<WebhookContext, 'streams' | 'clock'>,
): Promise<Endpoint | { readonly status: 'unavailable'; readonly reply: Unavailable }> {
  const reply = await streams.endpoints.read(id, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'erased') throw new Error(`endpoint-${id} was erased`);
  return reply.kind === 'state' ? reply.state : { status: 'unavailable', reply };
}
