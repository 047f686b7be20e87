import { Elysia } from 'elysia';
import { recoverDeliveries, resendDelivery } from '../../application/webhook/resend-delivery.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { parseMoment } from '../fields.ts';
import { presentDelivery } from './present.ts';
import { RECOVER_BODY, RECOVERED_ANSWER, RESENT_ANSWER } from './resend-schema.ts';
import { DELIVERY_PATH } from './schema.ts';

/** Sends deliveries again. */
export function resendRoutes(context: HttpContext) {
  return new Elysia({ name: 'resend', tags: ['Webhooks'] })
    .use(access(context))
    .post(
      '/api/webhooks/deliveries/:id/resend',
      async ({ params, key, idempotencyKey, call }) => {
        const resent = await resendDelivery({ deliveryId: params.id, key, idempotencyKey }, call.cause, context);
        if (resent.kind === 'refused') return call.refuse(resent);
        const data = await presentDelivery(resent.delivery, context);
        return call.reply(resent, () => data, commandHeaders);
      },
      {
        apiKey: 'webhook',
        idempotent: true,
        positioned: 'deliveries',
        params: DELIVERY_PATH,
        response: RESENT_ANSWER,
        detail: RESEND_DETAIL,
      },
    )
    .post(
      '/api/webhooks/recover',
      async ({ body, key, idempotencyKey, call }) => {
        const { since } = body;
        const sinceMs = parseMoment(since)?.fromMs ?? 0;
        const request = { key, idempotencyKey, since, sinceMs, after: readCursor(body.cursor) };
        return call.reply(
          await recoverDeliveries(request, call.cause, context),
          ({ count, suspended, next }) => ({ resent: count, suspended, next_cursor: writeCursor(next) }),
          commandHeaders,
        );
      },
      {
        apiKey: 'webhook',
        idempotent: true,
        positioned: 'deliveries',
        body: RECOVER_BODY,
        response: RECOVERED_ANSWER,
        detail: RECOVER_DETAIL,
      },
    );
}

const RESEND_DETAIL = {
  operationId: 'resend_delivery',
  summary: 'Send a delivery again',
  description:
    'Makes one more round of attempts, the first at once, then with the same pauses, whatever the status of the delivery: ' +
    'with the same event id and bytes, to the present URL, signed with the present secret. The delivery keeps its earlier ' +
    'attempts. A delivery that is being retried gets its next attempt at once. A suspended receiver is refused. Repeated ' +
    'with the same `Idempotency-Key` it changes nothing.',
};

const RECOVER_DETAIL = {
  operationId: 'recover_deliveries',
  summary: 'Send all deliveries that failed since a time again',
  description:
    'Sends every delivery again that was scheduled at `since` or later and is `failed` now, oldest first. One request covers ' +
    'at most 500: if `next_cursor` is not null, send it back as `cursor`, with the same `since`. Deliveries that are being ' +
    'retried or have succeeded stay as they are. With the same `Idempotency-Key`, no delivery is sent again twice.',
};
