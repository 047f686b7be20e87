import type { WebhookEvent } from '../domain/apikey/apikey.ts';
import type { KeyId } from '../domain/booking/booking.ts';
import type { DeliveryId } from '../domain/delivery/delivery.ts';
import { signingSecrets } from './attempt-delivery.ts';
import { DECISION_MS, type WebhookContext } from './context.ts';
import { exampleEvent } from './example-event.ts';
import { freshIds } from './identifiers.ts';
import { signedHeaders } from './signature.ts';
import { verdictOf } from './verdict.ts';

export type TestSent = {
  readonly kind: 'sent';
  readonly deliveryId: DeliveryId;
  readonly status: 'success' | 'failed';
  /** Null where there was no answer. */
  readonly responseCode: number | null;
  readonly responseTimeMs: number;
  /** Why it failed; null where it did not. */
  readonly error: string | null;
  /** The `X-Service-Signature` that was sent. */
  readonly signature: string;
};

/**
 * Sends an example of an event to a URL: one attempt, no retry. It tells of no booking, so it stands in no stream and in no
 * log; its answer is all there is of it.
 */
export async function sendTest(
  { keyId, event, url }: { readonly keyId: KeyId; readonly event: WebhookEvent; readonly url: string },
  { streams, clock, ids, sealer, sender, version, webhookLimits }: WebhookContext,
): Promise<TestSent | { readonly kind: 'unavailable'; readonly reason: string }> {
  const atMs = clock.nowMs();
  const key = await streams.apiKeys.read(keyId, atMs + DECISION_MS);
  if (key.kind === 'unavailable') return key;
  if (key.kind === 'erased' || key.state.status === 'none') throw new Error(`${keyId} called and has no stream`);
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
