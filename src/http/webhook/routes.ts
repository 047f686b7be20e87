import { Elysia } from 'elysia';
import { listDeliveries } from '../../../projections/deliveries/query.ts';
import { refused } from '../../application/refusal.ts';
import { inLog, readDelivery } from '../../application/webhook/delivery-log.ts';
import { keyOfList, keyOfRequest } from '../../application/webhook/key-of-request.ts';
import { sendTest } from '../../application/webhook/send-test-event.ts';
import { parseBookingId } from '../../domain/ids.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { parseMoment } from '../fields.ts';
import { presentDelivery, presentListedDelivery, presentTest } from './present.ts';
import * as schema from './schema.ts';

export function webhookRoutes(context: HttpContext) {
  return new Elysia({ name: 'webhook', tags: ['Webhooks'] })
    .use(access(context))
    .post(
      '/api/webhooks/test',
      async ({ body, caller, call }) => {
        const owner = keyOfRequest(caller, body.key, context.keys);
        if (owner.kind === 'refused') return call.refuse(owner);
        const { keyId, webhookUrl } = owner.key;
        const url = body.webhook_url ?? webhookUrl;
        if (url === null) {
          const message = 'webhook_url is missing, and the key has none of its own; send one.';
          return call.refuse(refused('INVALID_REQUEST', message));
        }
        const test = { keyId, event: body.event_type, url, named: body.webhook_url ?? null };
        return call.reply(await sendTest(test, call.cause, context.webhooks), presentTest, commandHeaders);
      },
      {
        keyOrOperator: 'webhook',
        body: schema.testBody(context.production),
        response: schema.TESTED_ANSWER,
        detail: schema.TEST_DETAIL,
      },
    )
    .get(
      '/api/webhooks/deliveries',
      async ({ query, caller, call }) => {
        const listed = keyOfList(caller, query.key);
        if (listed.kind === 'refused') return call.refuse(listed);
        const bookingId = query.booking_id === undefined ? null : parseBookingId(query.booking_id);
        if (query.booking_id !== undefined && bookingId === null) return success({ items: [], next_cursor: null });
        const fromMs = query.from === undefined ? 0 : (parseMoment(query.from)?.fromMs ?? 0);
        const toMs = query.to === undefined ? null : (parseMoment(query.to)?.toMs ?? null);
        const page = await listDeliveries(context.readModels, await context.collection('deliveries'), {
          keyId: listed.keyId,
          status: query.status ?? null,
          event: query.event ?? null,
          bookingId,
          from: inLog(fromMs, context.webhooks),
          to: toMs === null ? null : new Date(toMs).toISOString(),
          direction: 'desc',
          limit: query.limit ?? schema.DEFAULT_LIMIT,
          after: readCursor(query.cursor),
        });
        const items = await Promise.all(page.items.map((delivery) => presentListedDelivery(delivery, caller, context)));
        return success({ items, next_cursor: writeCursor(page.next) });
      },
      {
        positioned: 'deliveries',
        keyOrOperator: 'webhook',
        query: schema.DELIVERIES_QUERY,
        response: schema.DELIVERIES_ANSWER,
        detail: schema.LIST_DELIVERIES_DETAIL,
      },
    )
    .get(
      '/api/webhooks/deliveries/:id',
      async ({ params, caller, call }) => {
        const read = await readDelivery(params.id, caller.kind === 'key' ? caller.key.keyId : null, context);
        if (read.kind === 'refused') return call.refuse(read);
        return success(await presentDelivery(read.delivery, caller, context));
      },
      {
        positioned: 'deliveries',
        keyOrOperator: 'webhook',
        params: schema.DELIVERY_PATH,
        response: schema.DELIVERY_ANSWER,
        detail: schema.GET_DELIVERY_DETAIL,
      },
    );
}
