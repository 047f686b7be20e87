import type { ExistingKey } from '../../domain/apikey/apikey.ts';
import type { DeliveryCommand, DeliveryFacts } from '../../domain/delivery/delivery.ts';
import type { EndpointId } from '../../domain/endpoint/endpoint.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import type { Exchange } from '../../ports/sender.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';
import { readEndpoint } from '../../webhooks/endpoint-state.ts';
import { readEventFacts } from '../../webhooks/event-facts.ts';
import { endpointId } from '../../webhooks/identifiers.ts';
import { publicEvent } from '../../webhooks/public-event.ts';
import { readRetryAfter, verdictOf } from '../../webhooks/response.ts';
import { signedHeaders, signingSecrets } from '../../webhooks/signature.ts';
import { type AttemptCommand, deliverWebhooks } from './process-manager.ts';

/** Position of the recorded outcome; null if nothing was recorded; `gone` if the delivery has expired. */
export type Attempted = Position | 'gone' | null;

/**
 * Makes one attempt at a delivery and records its outcome. It first reads the stream, to check that the attempt is
 * still due. A crash between request and record repeats the attempt with the same ids and the same body.
 *
 * @throws SenderClosed if the node stops before the receiver responds
 */
export async function attemptDelivery(command: AttemptCommand, context: WebhookContext): Promise<Attempted> {
  const { streams, clock } = context;
  const reply = await streams.deliveries.read(command.delivery, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'state' && reply.state.status === 'none') return 'gone';
  if (reply.kind !== 'state' || reply.state.status !== 'open') return null;
  const { facts, attempts } = reply.state;
  if (attempts + 1 !== command.attempt) return null;
  const key = await streams.apiKeys.read(facts.keyId, clock.nowMs() + DECISION_MS);
  if (key.kind !== 'state' || key.state.status === 'none') return null;
  if (key.state.status === 'inactive') return stopAttempts('key_inactive', command, context);
  const url = await urlOf(facts, key.state, context);
  const id = endpointId(context.digest, facts, url);
  if (url === null || id === null) return stopAttempts('no_webhook_url', command, context);
  const endpoint = await readEndpoint(id, context);
  if (endpoint.status === 'unavailable') return null;
  if (endpoint.status === 'suspended') return stopAttempts('suspended', command, context);
  const exchange = await send(url, command, { facts, key: key.state }, context);
  const used = { keyRevision: key.revision, endpointId: id };
  const outcome = outcomeOf(exchange, command, used, clock.nowMs());
  return recordOutcome(outcome, command, context);
}

async function urlOf(
  { endpoint, bookingId }: DeliveryFacts,
  key: ExistingKey,
  { streams, clock }: WebhookContext,
): Promise<string | null> {
  if (endpoint.kind === 'key') return key.facts.webhookUrl;
  const booking = await streams.bookings.read(bookingId, clock.nowMs() + DECISION_MS);
  if (booking.kind !== 'state' || booking.state.status === 'none') throw new Error(`booking-${bookingId} has no state`);
  return booking.state.facts.webhookUrl;
}

async function send(
  url: string,
  { delivery }: AttemptCommand,
  { facts, key }: { readonly facts: DeliveryFacts; readonly key: ExistingKey },
  { store, activityAt, clock, sealer, sender, version, webhookLimits }: WebhookContext,
): Promise<Exchange> {
  const { eventId, event } = facts;
  const body = JSON.stringify(publicEvent(await readEventFacts(facts, store, activityAt)));
  const atMs = clock.nowMs();
  const secrets = signingSecrets(key, sealer, atMs);
  const headers = signedHeaders({ body, eventId, event, deliveryId: delivery, atMs, secrets, version });
  return sender.post({ url, headers, body, timeoutMs: webhookLimits.timeoutMs });
}

function outcomeOf(
  exchange: Exchange,
  { attempt }: AttemptCommand,
  used: { readonly keyRevision: number; readonly endpointId: EndpointId },
  nowMs: number,
) {
  const verdict = verdictOf(exchange);
  const attempted = { attempt, ...used, responseTimeMs: exchange.timeMs, at: new Date(nowMs).toISOString() };
  if (verdict.kind === 'acknowledged')
    return { type: 'RecordSuccess', responseCode: verdict.responseCode, ...attempted } as const;
  const { responseCode, error } = verdict;
  const header = exchange.kind === 'answered' ? exchange.retryAfter : null;
  const retryAfterMs = readRetryAfter(header, nowMs);
  return { type: 'RecordFailure', responseCode, error, retryAfterMs, failedAtMs: nowMs, ...attempted } as const;
}

function stopAttempts(
  reason: Extract<DeliveryCommand, { type: 'StopAttempts' }>['reason'],
  command: AttemptCommand,
  context: WebhookContext,
): Promise<Position | null> {
  const at = new Date(context.clock.nowMs()).toISOString();
  return recordOutcome({ type: 'StopAttempts', reason, at }, command, context);
}

type Outcome = Extract<DeliveryCommand, { type: 'RecordSuccess' | 'RecordFailure' | 'StopAttempts' }>;

/** Records an outcome in the delivery's stream and logs one line. */
async function recordOutcome(
  outcome: Outcome,
  { delivery, attempt, correlationId, causationId }: AttemptCommand,
  { streams, clock, log }: WebhookContext,
): Promise<Position | null> {
  const cause: Cause = { correlationId, causationId, by: deliverWebhooks.name, at: outcome.at };
  const reply = await streams.deliveries.handle(delivery, outcome, cause, clock.nowMs() + DECISION_MS);
  const events = reply.kind === 'accepted' ? reply.events.map(({ type }) => type) : [];
  log.info('webhook attempted', { delivery, attempt, ...logFields(outcome), events });
  return reply.kind === 'accepted' ? reply.position : null;
}

function logFields(outcome: Outcome): object {
  switch (outcome.type) {
    case 'RecordSuccess':
      return { responseCode: outcome.responseCode, responseTimeMs: outcome.responseTimeMs };
    case 'RecordFailure':
      return {
        responseCode: outcome.responseCode,
        responseTimeMs: outcome.responseTimeMs,
        error: outcome.error,
      };
    default:
      return { reason: outcome.reason };
  }
}
