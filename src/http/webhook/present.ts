import { isOfEvent, type LoggedDelivery } from '../../../projections/deliveries/query.ts';
import type { EndpointDocument } from '../../../projections/endpoints/read-model.ts';
import type { SignedIn } from '../../application/session/session-caller.ts';
import type { EndpointHealth } from '../../application/webhook/endpoint-health.ts';
import type { TestSent } from '../../application/webhook/send-test-event.ts';
import { sees } from '../../domain/operator/roles.ts';
import { readDeliveryDetails, readTestDetails } from '../../webhooks/delivery-log.ts';
import { endpointId } from '../../webhooks/identifiers.ts';
import type { HttpContext } from '../context.ts';
import { originOf } from '../origin.ts';

/** Whether deliveries to a receiver fail, and whether it is suspended. */
export function presentHealth({ failingSince, suspendedSince }: EndpointHealth) {
  return { failing_since: failingSince, suspended_since: suspendedSince };
}

/**
 * The delivery of the public contract. No log contains its payload or URL: they are rebuilt from the stored facts.
 *
 * @param guest whether the payload shows the guest, and the URL its path
 */
async function present(delivery: LoggedDelivery, guest: 'shown' | 'hidden', { webhooks }: HttpContext) {
  const { store } = webhooks;
  const { url, payload } = isOfEvent(delivery)
    ? await readDeliveryDetails(delivery, guest, store)
    : await readTestDetails({ ...delivery, ...delivery.test, sentAt: delivery.scheduledAt }, store);
  return {
    delivery_id: delivery.deliveryId,
    key_id: delivery.keyId,
    event_id: delivery.eventId,
    event: delivery.event,
    booking_id: payload.data.booking_id,
    ...(payload.test && { test: payload.test }),
    url: guest === 'shown' ? url : originOf(url),
    status: delivery.status,
    scheduled_at: delivery.scheduledAt,
    attempts: delivery.attempts.map(({ at, responseCode, responseTimeMs, error }) => ({
      at,
      response_code: responseCode,
      response_time_ms: responseTimeMs,
      error,
    })),
    next_attempt_at: delivery.nextAttemptAtMs === null ? null : new Date(delivery.nextAttemptAtMs).toISOString(),
    failed_because: delivery.exhaustion,
    payload,
  };
}

/** For the key itself, or for an operator, as the role sees it. */
export function presentDelivery(delivery: LoggedDelivery, caller: SignedIn, context: HttpContext) {
  const shown = caller.kind === 'key' || sees(caller.operator.role, 'guest');
  return present(delivery, shown ? 'shown' : 'hidden', context);
}

/** In a list. Operators read the guest in a single delivery only, whose read is audited. */
export function presentListedDelivery(delivery: LoggedDelivery, caller: SignedIn, context: HttpContext) {
  return present(delivery, caller.kind === 'key' ? 'shown' : 'hidden', context);
}

export function presentReceiver(endpoint: EndpointDocument, { keys, digest }: Pick<HttpContext, 'keys' | 'digest'>) {
  const { endpointId: id, keyId, kind, origin, status, failingSince, suspendedSince, error } = endpoint;
  const url = keys.get(keyId)?.webhookUrl ?? null;
  return {
    receiver_id: id,
    key_id: keyId,
    urls_of: kind,
    origin,
    in_use: kind === 'booking' || id === endpointId(digest, { keyId, endpoint: { kind: 'key' } }, url),
    status,
    failing_since: failingSince,
    suspended_since: suspendedSince,
    error,
  };
}

export function presentTest({ deliveryId, status, responseCode, responseTimeMs, error, signature }: TestSent) {
  return {
    delivery_id: deliveryId,
    status,
    response_code: responseCode,
    response_time_ms: responseTimeMs,
    error,
    signature,
  };
}
