import type { DeliveryId, TestFacts, WebhookEvent } from '../../domain/delivery/delivery.ts';
import type { KeyId } from '../../domain/ids.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import { DECISION_MS, type WebhookContext } from '../../webhooks/context.ts';
import { exampleEvent } from '../../webhooks/event-contracts.ts';
import { freshIds } from '../../webhooks/identifiers.ts';
import { verdictOf } from '../../webhooks/response.ts';
import { signedHeaders, signingSecrets } from '../../webhooks/signature.ts';
import { noReply, type Refused } from '../refusal.ts';

export type TestSent = {
  readonly kind: 'sent';
  readonly deliveryId: DeliveryId;
  readonly status: 'success' | 'failed';
  /** Null if the receiver did not respond. */
  readonly responseCode: number | null;
  readonly responseTimeMs: number;
  /** Why it failed; null if it succeeded. */
  readonly error: string | null;
  /** The `X-Service-Signature` that was sent. */
  readonly signature: string;
  /** Of the entry in the delivery log. */
  readonly position: Position | null;
};

type TestRequest = {
  readonly keyId: KeyId;
  readonly event: WebhookEvent;
  readonly url: string;
  /** The URL, if the request named it; null: it is the key's own. */
  readonly named: string | null;
};

/**
 * Sends an example event: one attempt, whose outcome it records for the delivery log (docs/decisions/0077).
 */
export async function sendTest(
  { keyId, event, url, named }: TestRequest,
  cause: Cause,
  { streams, clock, ids, sealer, sender, version, webhookLimits }: WebhookContext,
): Promise<TestSent | Refused> {
  const atMs = clock.nowMs();
  const key = await streams.apiKeys.read(keyId, atMs + DECISION_MS);
  if (key.kind === 'unavailable') return noReply(key);
  if (key.kind === 'erased' || key.state.status === 'none')
    throw new Error(`API key ${keyId} was authenticated but has no stream`);
  const { eventId, deliveryId } = freshIds(ids);
  const body = JSON.stringify(exampleEvent(event, eventId, atMs));
  const secrets = signingSecrets(key.state, sealer, atMs);
  const headers = signedHeaders({ body, eventId, event, deliveryId, atMs, secrets, version });
  const exchange = await sender.post({ url, headers, body, timeoutMs: webhookLimits.timeoutMs });
  const verdict = verdictOf(exchange);
  const { responseCode } = verdict;
  const error = verdict.kind === 'failed' ? verdict.error : null;
  const endedMs = clock.nowMs();
  const facts: TestFacts = {
    eventId,
    event,
    keyId,
    keyRevision: key.revision,
    origin: named === null ? null : new URL(named).origin,
    responseCode,
    responseTimeMs: exchange.timeMs,
    error,
    sentAt: new Date(atMs).toISOString(),
    at: new Date(endedMs).toISOString(),
  };
  const recording = { type: 'RecordTest', facts } as const;
  const recorded = await streams.deliveries.handle(deliveryId, recording, cause, endedMs + DECISION_MS);
  if (recorded.kind === 'unavailable') return noReply(recorded);
  if (recorded.kind !== 'accepted') throw new Error(`delivery-${deliveryId} did not take a test`);
  return {
    kind: 'sent',
    deliveryId,
    status: error === null ? 'success' : 'failed',
    responseCode,
    responseTimeMs: exchange.timeMs,
    error,
    signature: headers['x-service-signature'],
    position: recorded.position,
  };
}
