import { type LoggedDelivery, listDeliveries } from '../../../projections/deliveries/query.ts';
import { refused, serviceUnavailable } from '../../application/refusal.ts';
import { receiverState, withoutSuspended } from '../../webhooks/endpoint-state.ts';
import { resendRequestId } from '../../webhooks/identifiers.ts';
import { recoverDeliveries, resendDelivery } from '../../webhooks/resend-delivery.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { RECOVER_DELIVERIES, RESEND_DELIVERY } from '../declarations/resend.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { form, required } from '../form.ts';
import { freshEnough } from '../freshness.ts';
import { isRefused, logBeginsAtMs, ownDelivery, presentDelivery } from './webhooks.ts';

/** So many deliveries are gone through by one request; the caller comes back for the rest. */
const RECOVERED_AT_ONCE = 500;

/** POST /api/webhooks/deliveries/{id}/resend: one more round of attempts, from now. */
export function resend(context: HttpContext) {
  return endpoint(context, RESEND_DELIVERY, null, async ({ caller, params, headers, cause }) => {
    const idempotency = field.idempotencyKey(headers);
    if (idempotency.kind === 'refused') return idempotency;
    await freshEnough('deliveries', headers, context);
    const delivery = await ownDelivery(params, caller, context);
    if (isRefused(delivery)) return delivery;
    const receiver = await receiverState(delivery, caller.webhookUrl, context.webhooks);
    if (receiver?.status === 'unavailable') return serviceUnavailable(receiver.reason);
    if (receiver?.status === 'suspended') return suspended(delivery, receiver.since);
    const scope = [caller.keyId, RESEND_DELIVERY.id, delivery.deliveryId] as const;
    const request = resendRequestId(scope, idempotency.key, context);
    const done = await resendDelivery(delivery.deliveryId, { request, cause }, context.webhooks);
    if (done.kind === 'unavailable') return serviceUnavailable(done.reason);
    const { position } = done;
    if (position === null) return { kind: 'data', data: await presentDelivery(delivery, context) };
    const resent = { ...delivery, status: 'retrying', nextAttemptAtMs: Date.parse(cause.at) } as const;
    return { kind: 'data', data: await presentDelivery(resent, context), headers: { 'x-position': position } };
  });
}

/** Of a receiver that is sent nothing: which, and what to do. */
function suspended({ endpoint: receiver }: LoggedDelivery, since: string) {
  const [which, body] =
    receiver.kind === 'key'
      ? ["this key's webhook_url", 'an empty body']
      : [`the webhook_url of bookings at ${receiver.origin}`, `{"webhook_url": "${receiver.origin}"}`];
  return refused(
    'WEBHOOK_SUSPENDED',
    `Nothing is sent to ${which}: it only failed, and is suspended since ${since}. Mend it, and POST /api/webhooks/enable with ${body}; then send this again.`,
  );
}

const recoverShape = form({
  since: required(field.anyMoment.schema, field.anyMoment.rule, field.anyMoment.code),
  cursor: field.cursor,
});

/** POST /api/webhooks/recover: what has failed since a time is sent again, the oldest first. */
export function recover(context: HttpContext) {
  return endpoint(context, RECOVER_DELIVERIES, recoverShape, async ({ caller, fields, headers, cause }) => {
    const idempotency = field.idempotencyKey(headers);
    if (idempotency.kind === 'refused') return idempotency;
    const read = readCursor(fields.cursor);
    if (read.kind === 'refused') return read;
    await freshEnough('deliveries', headers, context);
    const sinceMs = field.parseMoment(fields.since ?? '')?.fromMs ?? 0;
    const from = new Date(Math.max(sinceMs, logBeginsAtMs(context))).toISOString();
    const page = await listDeliveries(context.readModels, await context.collection('deliveries'), {
      keyId: caller.keyId,
      status: 'failed',
      event: null,
      bookingId: null,
      from,
      to: null,
      direction: 'asc',
      limit: RECOVERED_AT_ONCE,
      after: read.cursor,
    });
    const request = resendRequestId(
      [caller.keyId, RECOVER_DELIVERIES.id, fields.since ?? ''],
      idempotency.key,
      context,
    );
    const failed = await withoutSuspended(page.items, caller.webhookUrl, context.webhooks);
    if (failed.status === 'unavailable') return serviceUnavailable(failed.reason);
    const ids = failed.others.map(({ deliveryId }) => deliveryId);
    const done = await recoverDeliveries(ids, { request, cause }, context.webhooks);
    if (done.kind === 'unavailable') return serviceUnavailable(done.reason);
    const data = { resent: done.count, suspended: failed.suspended, next_cursor: writeCursor(page.next) };
    return { kind: 'data', data, headers: done.position === null ? {} : { 'x-position': done.position } };
  });
}
