import { Type } from 'typebox';
import {
  findDelivery,
  LOGGED_STATUSES,
  type LoggedDelivery,
  listDeliveries,
} from '../../../projections/deliveries/query.ts';
import type { KnownKey } from '../../application/authenticate.ts';
import { type Refused, refused, serviceUnavailable } from '../../application/refusal.ts';
import { WEBHOOK_EVENTS } from '../../domain/apikey/apikey.ts';
import { parseBookingId } from '../../domain/booking/voucher-code.ts';
import { rebuildDelivery } from '../../webhooks/delivery-log.ts';
import { parseDeliveryId } from '../../webhooks/identifiers.ts';
import { sendTest } from '../../webhooks/send-test.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { DELIVERY_BY_ID, LIST_DELIVERIES, TEST_WEBHOOK } from '../declarations/webhooks.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { form, optional, required } from '../form.ts';
import { freshEnough } from '../freshness.ts';

const DEFAULT_LIMIT = 20;
const DAY_MS = 86_400_000;

const EVENT = Type.Union(WEBHOOK_EVENTS.map((event) => Type.Literal(event)));
const EVENT_RULE = `one of ${WEBHOOK_EVENTS.join(', ')}`;

/** POST /api/webhooks/test: without `webhook_url`, to the key's own. */
export function testWebhook(context: HttpContext) {
  const shape = form({
    event_type: required(EVENT, EVENT_RULE),
    webhook_url: field.webhookUrl(context.production),
  });
  return endpoint(context, TEST_WEBHOOK, shape, async ({ caller, fields }) => {
    const url = fields.webhook_url ?? caller.webhookUrl;
    if (fields.event_type === null || url === null) {
      return refused('INVALID_REQUEST', 'webhook_url is missing, and this key has none of its own; send one.');
    }
    const sent = await sendTest({ keyId: caller.keyId, event: fields.event_type, url }, context.webhooks);
    if (sent.kind === 'unavailable') return serviceUnavailable(sent.reason);
    const { deliveryId, status, responseCode, responseTimeMs, error, signature } = sent;
    return {
      kind: 'data',
      data: {
        delivery_id: deliveryId,
        status,
        response_code: responseCode,
        response_time_ms: responseTimeMs,
        error,
        signature,
      },
    };
  });
}

const listShape = form({
  status: optional(
    Type.Union(LOGGED_STATUSES.map((status) => Type.Literal(status))),
    `one of ${LOGGED_STATUSES.join(', ')}`,
  ),
  event: optional(EVENT, EVENT_RULE),
  booking_id: optional(Type.String({ maxLength: 80 }), 'a booking_id'),
  from: field.anyMoment,
  to: field.anyMoment,
  cursor: field.cursor,
  limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }), 'a whole number from 1 to 100'),
});

/** GET /api/webhooks/deliveries: the caller's deliveries, newest first. */
export function listOwnDeliveries(context: HttpContext) {
  return endpoint(context, LIST_DELIVERIES, listShape, async ({ caller, fields, headers }) => {
    const read = readCursor(fields.cursor);
    if (read.kind === 'refused') return read;
    const bookingId = fields.booking_id === null ? null : parseBookingId(fields.booking_id);
    if (fields.booking_id !== null && bookingId === null)
      return { kind: 'data', data: { items: [], next_cursor: null } };
    await freshEnough('deliveries', headers, context);
    const from = fields.from === null ? null : field.parseMoment(fields.from)?.fromMs;
    const to = fields.to === null ? null : field.parseMoment(fields.to)?.toMs;
    const page = await listDeliveries(context.readModels, await context.collection('deliveries'), {
      keyId: caller.keyId,
      status: fields.status,
      event: fields.event,
      bookingId,
      from: new Date(Math.max(from ?? 0, logBeginsAtMs(context))).toISOString(),
      to: to === null || to === undefined ? null : new Date(to).toISOString(),
      direction: 'desc',
      limit: fields.limit ?? DEFAULT_LIMIT,
      after: read.cursor,
    });
    const items = await Promise.all(page.items.map((delivery) => presentDelivery(delivery, context)));
    return { kind: 'data', data: { items, next_cursor: writeCursor(page.next) } };
  });
}

/** GET /api/webhooks/deliveries/{id} */
export function deliveryById(context: HttpContext) {
  return endpoint(context, DELIVERY_BY_ID, null, async ({ caller, params, headers }) => {
    await freshEnough('deliveries', headers, context);
    const delivery = await ownDelivery(params, caller, context);
    return isRefused(delivery) ? delivery : { kind: 'data', data: await presentDelivery(delivery, context) };
  });
}

/** The delivery that a path names, where it is in the caller's log. */
export async function ownDelivery(
  params: Readonly<Record<string, string>>,
  { keyId }: Pick<KnownKey, 'keyId'>,
  context: HttpContext,
): Promise<LoggedDelivery | Refused> {
  const text = params['id'] ?? '';
  const id = parseDeliveryId(text);
  const from = new Date(logBeginsAtMs(context)).toISOString();
  const delivery =
    id === null
      ? null
      : await findDelivery(context.readModels, await context.collection('deliveries'), { id, keyId, from });
  return (
    delivery ??
    refused(
      'NOT_FOUND',
      `There is no delivery "${text.slice(0, 80)}" in this key's log; GET /api/webhooks/deliveries lists them.`,
    )
  );
}

export function isRefused(found: LoggedDelivery | Refused): found is Refused {
  return 'refusal' in found;
}

/** When the log begins, ms since the epoch: nothing older is shown or sent. */
export function logBeginsAtMs({ clock, webhooks }: HttpContext): number {
  return clock.nowMs() - webhooks.webhookLimits.logDays * DAY_MS;
}

/** The delivery of the public contract. Payload and URL stand in no log: they are rebuilt from the facts. */
export async function presentDelivery(delivery: LoggedDelivery, { webhooks }: HttpContext) {
  const { url, payload } = await rebuildDelivery(delivery, webhooks.store);
  return {
    delivery_id: delivery.deliveryId,
    event_id: delivery.eventId,
    event: delivery.event,
    booking_id: delivery.bookingId,
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
