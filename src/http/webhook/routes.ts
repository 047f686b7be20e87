import { Elysia } from 'elysia';
import { listDeliveries } from '../../../projections/deliveries/query.ts';
import { refused } from '../../application/refusal.ts';
import { inLog, readDelivery } from '../../application/webhook/delivery-log.ts';
import { enableEndpoint } from '../../application/webhook/endpoint-health.ts';
import { sendTest } from '../../application/webhook/send-test-event.ts';
import { parseBookingId } from '../../domain/ids.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { parseMoment } from '../fields.ts';
import { presentDelivery, presentHealth, presentTest } from './present.ts';
import {
  DEFAULT_LIMIT,
  DELIVERIES_ANSWER,
  DELIVERIES_QUERY,
  DELIVERY_ANSWER,
  DELIVERY_PATH,
  ENABLED_ANSWER,
  enableBody,
  TESTED_ANSWER,
  testBody,
} from './schema.ts';

export function webhookRoutes(context: HttpContext) {
  return new Elysia({ name: 'webhook', tags: ['Webhooks'] })
    .use(access(context))
    .post(
      '/api/webhooks/test',
      async ({ body, key: { keyId, webhookUrl }, call }) => {
        const url = body.webhook_url ?? webhookUrl;
        if (url === null) {
          const message = 'webhook_url is missing, and this key has none of its own; send one.';
          return call.refuse(refused('INVALID_REQUEST', message));
        }
        return call.reply(await sendTest({ keyId, event: body.event_type, url }, context.webhooks), presentTest);
      },
      {
        apiKey: 'webhook',
        body: testBody(context.production),
        response: TESTED_ANSWER,
        detail: TEST_DETAIL,
      },
    )
    .get(
      '/api/webhooks/deliveries',
      async ({ query, key: { keyId } }) => {
        const bookingId = query.booking_id === undefined ? null : parseBookingId(query.booking_id);
        if (query.booking_id !== undefined && bookingId === null) return success({ items: [], next_cursor: null });
        const fromMs = query.from === undefined ? 0 : (parseMoment(query.from)?.fromMs ?? 0);
        const toMs = query.to === undefined ? null : (parseMoment(query.to)?.toMs ?? null);
        const page = await listDeliveries(context.readModels, await context.collection('deliveries'), {
          keyId,
          status: query.status ?? null,
          event: query.event ?? null,
          bookingId,
          from: inLog(fromMs, context.webhooks),
          to: toMs === null ? null : new Date(toMs).toISOString(),
          direction: 'desc',
          limit: query.limit ?? DEFAULT_LIMIT,
          after: readCursor(query.cursor),
        });
        const items = await Promise.all(page.items.map((delivery) => presentDelivery(delivery, context)));
        return success({ items, next_cursor: writeCursor(page.next) });
      },
      {
        apiKey: 'webhook',
        positioned: 'deliveries',
        query: DELIVERIES_QUERY,
        response: DELIVERIES_ANSWER,
        detail: {
          operationId: 'list_deliveries',
          summary: "The key's deliveries, newest first",
          description:
            'The list has a delivery from its first attempt on. `from` and `to` limit the time at which it was scheduled; a date ' +
            'includes the whole day.',
        },
      },
    )
    .get(
      '/api/webhooks/deliveries/:id',
      async ({ params, key, call }) => {
        const read = await readDelivery(params.id, key.keyId, context);
        return read.kind === 'refused' ? call.refuse(read) : success(await presentDelivery(read.delivery, context));
      },
      {
        apiKey: 'webhook',
        positioned: 'deliveries',
        params: DELIVERY_PATH,
        response: DELIVERY_ANSWER,
        detail: {
          operationId: 'get_delivery',
          summary: 'One delivery, with its attempts and payload',
          description: 'A key sees only its own deliveries.',
        },
      },
    )
    .post(
      '/api/webhooks/enable',
      async ({ body, key: { keyId, webhookUrl }, call }) => {
        const origin = URL.parse(body.webhook_url ?? '')?.origin;
        const endpoint = origin === undefined ? ({ kind: 'key' } as const) : ({ kind: 'booking', origin } as const);
        const enabled = await enableEndpoint({ keyId, endpoint }, webhookUrl, call.cause, context.webhooks);
        return call.reply(enabled, ({ health }) => presentHealth(health), commandHeaders);
      },
      { apiKey: 'webhook', body: enableBody(context.production), response: ENABLED_ANSWER, detail: ENABLE_DETAIL },
    );
}

const TEST_DETAIL = {
  operationId: 'test_webhook',
  summary: 'Send an example of an event to a receiver',
  description:
    "Makes one attempt, to `webhook_url` or, without it, to the key's own, with `test: true` in the event. The service neither " +
    'logs nor retries it. If the receiver refuses it or is unreachable, this request succeeds, with the `status` `failed`.',
};

const ENABLE_DETAIL = {
  operationId: 'enable_webhook',
  summary: 'End the suspension of a receiver',
  description:
    "Without `webhook_url`, enables the key's own receiver; with it, the receiver of bookings with its scheme, host and port. " +
    'The receiver gets events that happen from now on; `POST /api/webhooks/recover` sends those that failed. If the ' +
    'receiver is not suspended, nothing changes.',
};
