import type { DeliveryId, WebhookEvent } from '../../domain/delivery/delivery.ts';
import type { KeyId } from '../../domain/ids.ts';
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
};

/**
 * Sends an example event to a URL: one attempt, no retry. Nothing is stored, neither in a stream nor in the delivery
 * log.
 */
export async function sendTest(
  { keyId, event, url }: { readonly keyId: KeyId; readonly event: WebhookEvent; readonly url: string },
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
  return {
    kind: 'sent',
    deliveryId,
    status: verdict.kind === 'acknowledged' ? 'success' : 'failed',
    responseCode: verdict.responseCode,
    responseTimeMs: exchange.timeMs,
    error: verdict.kind === 'failed' ? verdict.error : null,
    signature: headers['x-service-signature'],
  };
}
