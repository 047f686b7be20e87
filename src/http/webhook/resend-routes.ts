import { Elysia } from 'elysia';
import { type LoggedDelivery, listDeliveries } from '../../../projections/deliveries/query.ts';
import { noReply, type Refused, refused } from '../../application/refusal.ts';
import { recoverDeliveries, resendDelivery } from '../../application/webhook/resend-delivery.ts';
import { readEndpointOf, withoutSuspended } from '../../webhooks/endpoint-state.ts';
import { resendRequestId } from '../../webhooks/identifiers.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { parseMoment } from '../fields.ts';
import { logBeginsAtMs, MAX_PER_REQUEST, noDelivery, ownDelivery } from './delivery-log.ts';
import { presentDelivery } from './present.ts';
import { RECOVER_REQUEST, RECOVERED, RESENT } from './resend-schema.ts';
import { DELIVERY_PATH } from './schema.ts';

/** Part of the hash of request ids. Another name would send deliveries again that an earlier request has sent. */
const RESEND = 'resend_delivery';
const RECOVER = 'recover_deliveries';

/** Sends deliveries again. */
export function resendRoutes(context: HttpContext) {
  const { webhooks, readModels } = context;
  return new Elysia({ name: 'resend', tags: ['Webhooks'] })
    .use(access(context))
    .post(
      '/api/webhooks/deliveries/:id/resend',
      async ({ params, key, idempotencyKey, call }) => {
        const delivery = await ownDelivery(params.id, key, context);
        if (delivery === null) return call.refuse(noDelivery(params.id));
        const receiver = await readEndpointOf(delivery, key.webhookUrl, webhooks);
        if (receiver?.status === 'unavailable') return call.refuse(noReply(receiver.reply));
        if (receiver?.status === 'suspended') return call.refuse(suspended(delivery, receiver.since));
        const { cause } = call;
        const id = resendRequestId([key.keyId, RESEND, delivery.deliveryId], idempotencyKey, context);
        const resent = await resendDelivery(delivery.deliveryId, { request: id, cause }, webhooks);
        if (resent.kind === 'unavailable') return call.refuse(noReply(resent));
        if (resent.position === null) return success(await presentDelivery(delivery, context));
        const retrying = { ...delivery, status: 'retrying', nextAttemptAtMs: Date.parse(cause.at) } as const;
        const data = await presentDelivery(retrying, context);
        return call.reply(resent, () => data, commandHeaders);
      },
      {
        apiKey: 'webhook',
        idempotent: true,
        positioned: 'deliveries',
        params: DELIVERY_PATH,
        response: RESENT,
        detail: RESEND_DETAIL,
      },
    )
    .post(
      '/api/webhooks/recover',
      async ({ body, key: { keyId, webhookUrl }, idempotencyKey, call }) => {
        const sinceMs = parseMoment(body.since)?.fromMs ?? 0;
        const page = await listDeliveries(readModels, await context.collection('deliveries'), {
          keyId,
          status: 'failed',
          event: null,
          bookingId: null,
          from: new Date(Math.max(sinceMs, logBeginsAtMs(context))).toISOString(),
          to: null,
          direction: 'asc',
          limit: MAX_PER_REQUEST,
          after: readCursor(body.cursor),
        });
        const failed = await withoutSuspended(page.items, webhookUrl, webhooks);
        if (failed.status === 'unavailable') return call.refuse(noReply(failed.reply));
        const id = resendRequestId([keyId, RECOVER, body.since], idempotencyKey, context);
        const deliveries = failed.others.map(({ deliveryId }) => deliveryId);
        const recovered = await recoverDeliveries(deliveries, { request: id, cause: call.cause }, webhooks);
        if (recovered.kind === 'unavailable') return call.refuse(noReply(recovered));
        const data = { resent: recovered.count, suspended: failed.suspended, next_cursor: writeCursor(page.next) };
        return call.reply(recovered, () => data, commandHeaders);
      },
      {
        apiKey: 'webhook',
        idempotent: true,
        positioned: 'deliveries',
        body: RECOVER_REQUEST,
        response: RECOVERED,
        detail: RECOVER_DETAIL,
      },
    );
}

const RESEND_DETAIL = {
  operationId: RESEND,
  summary: 'Send a delivery again',
  description:
    'Makes one more round of attempts, the first at once, then with the same pauses, whatever the status of the delivery: ' +
    'with the same event id and bytes, to the present URL, signed with the present secret. The delivery keeps its earlier ' +
    'attempts. A delivery that is being retried gets its next attempt at once. A suspended receiver is refused. Repeated ' +
    'with the same `Idempotency-Key` it changes nothing.',
};

const RECOVER_DETAIL = {
  operationId: RECOVER,
  summary: 'Send all deliveries that failed since a time again',
  description:
    'Sends every delivery again that was scheduled at `since` or later and is `failed` now, oldest first. One request covers ' +
    'at most 500: if `next_cursor` is not null, send it back as `cursor`, with the same `since`. Deliveries that are being ' +
    'retried or have succeeded stay as they are. With the same `Idempotency-Key`, no delivery is sent again twice.',
};

function suspended({ endpoint: receiver }: LoggedDelivery, since: string): Refused {
  const [which, enabling] =
    receiver.kind === 'key'
      ? ["this key's webhook_url", 'an empty body']
      : [`the webhook_url of bookings at ${receiver.origin}`, `{"webhook_url": "${receiver.origin}"}`];
  return refused(
    'WEBHOOK_SUSPENDED',
    `The service sends nothing to ${which}: it only failed, and is suspended since ${since}. Repair it, POST /api/webhooks/enable with ${enabling}, then send this again.`,
  );
}
