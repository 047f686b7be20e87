import { Elysia } from 'elysia';
import { keyOfRequest } from '../../application/webhook/key-of-request.ts';
import { recoverDeliveries, resendDelivery } from '../../application/webhook/resend-delivery.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { parseMoment } from '../fields.ts';
import { presentDelivery } from './present.ts';
import * as schema from './resend-schema.ts';
import { DELIVERY_PATH } from './schema.ts';

/** Sends deliveries again. */
export function resendRoutes(context: HttpContext) {
  return new Elysia({ name: 'resend', tags: ['Webhooks'] })
    .use(access(context))
    .post(
      '/api/webhooks/deliveries/:id/resend',
      async ({ params, caller, idempotencyKey, call }) => {
        const request = { deliveryId: params.id, caller, idempotencyKey };
        const resent = await resendDelivery(request, call.cause, context);
        if (resent.kind === 'refused') return call.refuse(resent);
        const data = await presentDelivery(resent.delivery, caller, context);
        return call.reply(resent, () => data, commandHeaders);
      },
      {
        idempotent: true,
        positioned: 'deliveries',
        keyOrOperator: 'webhook',
        params: DELIVERY_PATH,
        response: schema.RESENT_ANSWER,
        detail: schema.RESEND_DETAIL,
      },
    )
    .post(
      '/api/webhooks/recover',
      async ({ body, caller, idempotencyKey, call }) => {
        const { since, status = 'failed' } = body;
        const owner = keyOfRequest(caller, body.key, context.keys);
        if (owner.kind === 'refused') return call.refuse(owner);
        const sinceMs = parseMoment(since)?.fromMs ?? 0;
        const request = { key: owner.key, idempotencyKey, status, since, sinceMs, after: readCursor(body.cursor) };
        return call.reply(
          await recoverDeliveries(request, call.cause, context),
          ({ count, suspended, next }) => ({ resent: count, suspended, next_cursor: writeCursor(next) }),
          commandHeaders,
        );
      },
      {
        idempotent: true,
        positioned: 'deliveries',
        keyOrOperator: 'webhook',
        body: schema.RECOVER_BODY,
        response: schema.RECOVERED_ANSWER,
        detail: schema.RECOVER_DETAIL,
      },
    );
}
