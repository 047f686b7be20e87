import type { EndpointFacts } from '../../domain/endpoint/endpoint.ts';
import { DAY_MS } from '../../eventsourcing/durations.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';
import { deliveryUrl } from '../../webhooks/delivery-log.ts';
import { readEndpoint } from '../../webhooks/endpoint-state.ts';
import { type ReportAttempts, suspendEndpoints } from './process-manager.ts';

/**
 * Reports the outcomes of attempts to an endpoint's stream, which suspends the endpoint if it has only failed for too
 * long.
 *
 * @returns true if done, false to try again
 */
export async function reportAttempts(command: ReportAttempts, context: WebhookContext): Promise<boolean> {
  const { streams, clock, webhookLimits } = context;
  const { endpoint: id, report, correlationId, causationId } = command;
  const endpoint = await readEndpoint(id, context);
  if (endpoint.status === 'unavailable') return false;
  // The usual case: nothing to record.
  if (endpoint.status === 'working' && report.failures === null) return true;
  const facts = endpoint.status === 'working' ? await factsOf(command, context) : endpoint.facts;
  if (facts === 'unavailable') return false;
  // The delivery has expired from the log.
  if (facts === null) return true;
  const nowMs = clock.nowMs();
  const at = new Date(nowMs).toISOString();
  const suspendAfterMs = webhookLimits.suspendDays * DAY_MS;
  const reporting = { type: 'ReportAttempts', facts, report, suspendAfterMs, at } as const;
  const cause = { correlationId, causationId, by: suspendEndpoints.name, at };
  const reply = await streams.endpoints.handle(id, reporting, cause, nowMs + DECISION_MS);
  return reply.kind === 'accepted';
}

/** Owner and origin of the endpoint, from the delivery; null if the delivery has expired. */
async function factsOf(
  { delivery, keyRevision }: ReportAttempts,
  { streams, clock, store }: WebhookContext,
): Promise<EndpointFacts | 'unavailable' | null> {
  const reply = await streams.deliveries.read(delivery, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable') return 'unavailable';
  if (reply.kind === 'erased' || !('facts' in reply.state)) return null;
  const { keyId, bookingId, endpoint } = reply.state.facts;
  const url = await deliveryUrl({ keyId, bookingId, endpoint, keyRevision }, store);
  return { keyId, kind: endpoint.kind, origin: URL.parse(url ?? '')?.origin ?? '' };
}
