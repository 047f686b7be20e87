import type { EndpointFacts } from '../domain/endpoint/endpoint.ts';
import { type EndpointWatchCommand, endpointWatch } from '../domain/endpoint/watch.ts';
import { DECISION_MS, type WebhookContext } from './context.ts';
import { deliveryUrl } from './delivery-log.ts';
import { readEndpoint } from './endpoint-state.ts';

const DAY_MS = 86_400_000;

/**
 * Tells an endpoint what attempts at it came to; it is suspended where it has only failed for too long.
 *
 * @returns true where nothing remains to be done, false where it is to be tried again
 */
export async function reportAttempts(command: EndpointWatchCommand, context: WebhookContext): Promise<boolean> {
  const { streams, clock, webhookLimits } = context;
  const { endpoint: id, report, correlationId, causationId } = command;
  const endpoint = await readEndpoint(id, context);
  if (endpoint.status === 'unavailable') return false;
  // What mostly happens: it works, and goes on working.
  if (endpoint.status === 'working' && report.failures === null) return true;
  const facts = endpoint.status === 'working' ? await factsOf(command, context) : endpoint.facts;
  if (facts === 'unavailable') return false;
  // Its time in the log was over while nobody reported.
  if (facts === null) return true;
  const nowMs = clock.nowMs();
  const at = new Date(nowMs).toISOString();
  const suspendAfterMs = webhookLimits.suspendDays * DAY_MS;
  const reporting = { type: 'ReportAttempts', facts, report, suspendAfterMs, at } as const;
  const cause = { correlationId, causationId, by: endpointWatch.name, at };
  const reply = await streams.endpoints.handle(id, reporting, cause, nowMs + DECISION_MS);
  return reply.kind === 'accepted';
}

/** Whose receiver it is, and where: of the delivery, and the URL that its attempt used. Null where it is gone. */
async function factsOf(
  { delivery, keyRevision }: EndpointWatchCommand,
  { streams, clock, store }: WebhookContext,
): Promise<EndpointFacts | 'unavailable' | null> {
  const reply = await streams.deliveries.read(delivery, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable') return 'unavailable';
  if (reply.kind === 'erased' || reply.state.status === 'none' || reply.state.status === 'omitted') return null;
  const { keyId, bookingId, endpoint } = reply.state.facts;
  const url = await deliveryUrl({ keyId, bookingId, endpoint, keyRevision }, store);
  return { keyId, kind: endpoint.kind, origin: URL.parse(url ?? '')?.origin ?? '' };
}
