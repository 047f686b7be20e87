import { isOfEvent, type LoggedDelivery } from '../../../projections/deliveries/query.ts';
import type { EndpointHealth } from '../../application/webhook/endpoint-health.ts';
import type { TestSent } from '../../application/webhook/send-test-event.ts';
import { readDeliveryDetails, readTestDetails } from '../../webhooks/delivery-log.ts';
import type { HttpContext } from '../context.ts';

/** Whether deliveries to a receiver fail, and whether it is suspended. */
export function presentHealth({ failingSince, suspendedSince }: EndpointHealth) {
  return { failing_since: failingSince, suspended_since: suspendedSince };
}

/** The delivery of the public contract. No log contains its payload or URL: they are rebuilt from the stored facts. */
export async function presentDelivery(delivery: LoggedDelivery, { webhooks }: HttpContext) {
  const { store } = webhooks;
  const { url, payload } = isOfEvent(delivery)
    ? await readDeliveryDetails(delivery, store)
    : await readTestDetails({ ...delivery, ...delivery.test, sentAt: delivery.scheduledAt }, store);
  return {
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    event: delivery.event,
    booking_id: payload.data.booking_id,
    ...(payload.test && { test: payload.test }),
    url,
    status: delivery.status,
    attempts: delivery.attempts.map(({ at, responseCode, responseTimeMs, error }) => ({
      at,
      response_code: responseCode,
      response_time_ms: responseTimeMs,
      error,
    })),
    next_attempt_at: delivery.nextAttemptAtMs === null ? null : new Date(delivery.nextAttemptAtMs).toISOString(),
    payload,
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
