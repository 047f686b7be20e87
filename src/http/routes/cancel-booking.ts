import { Type } from 'typebox';
import {
  type CancelBooking,
  type Cancelled,
  cancelBooking,
  quoteCancellation,
} from '../../application/cancel-booking.ts';
import type { Refused } from '../../application/refusal.ts';
import type { ExistingBooking } from '../../domain/booking/booking.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import type { DataOf } from '../declaration.ts';
import { CANCEL_BOOKING } from '../declarations/cancel-booking.ts';
import { type Answer, endpoint } from '../endpoint.ts';
import { etagOf, ifMatch } from '../etag.ts';
import * as field from '../fields.ts';
import { form, optional } from '../form.ts';
import { presentCancellation, presentRefund } from '../present-booking.ts';

const shape = form({
  reason: optional(
    Type.Literal('user_requested', { default: 'user_requested' }),
    'user_requested; the other reasons are the operator’s',
  ),
  dry_run: field.dryRun,
});

/** POST /api/b2a/bookings/{booking_id}/cancel */
export function cancelOwnBooking(context: HttpContext) {
  return endpoint(context, CANCEL_BOOKING, shape, ({ caller, fields, params, headers, cause }) => {
    const { reason, dry_run: dryRun } = fields;
    const asked = { id: params['booking_id'] ?? '', asker: caller.keyId, reason: reason ?? 'user_requested' };
    return answerToCancel({ ...asked, dryRun: dryRun === true }, headers, cause, context);
  });
}

type AskedToCancel = Pick<CancelBooking, 'id' | 'asker' | 'reason'> & { readonly dryRun: boolean };

/** Cancels, or says what that would refund. */
export async function answerToCancel(
  { dryRun, ...asked }: AskedToCancel,
  headers: Headers,
  cause: Cause,
  context: HttpContext,
): Promise<Answer<DataOf<typeof CANCEL_BOOKING>>> {
  const idempotency = field.idempotencyKey(headers);
  if (idempotency.kind === 'refused') return idempotency;
  const match = ifMatch(headers);
  if (match.kind === 'refused') return match;
  const request = { ...asked, idempotencyKey: idempotency.key, ifVersion: match.versions };
  return dryRun ? quoted(request, context) : answerOf(await cancelBooking(request, cause, context));
}

async function quoted(request: CancelBooking, context: HttpContext): Promise<Answer<DataOf<typeof CANCEL_BOOKING>>> {
  const quote = await quoteCancellation(request, context);
  if (quote.kind === 'refused') return quote;
  const { id, booking, refund } = quote;
  const untilMs = refund?.freeUntilMs ?? null;
  const data = {
    dry_run: true as const,
    booking_id: id,
    status: booking.status,
    ...(refund === null
      ? cancellationOf(booking)
      : { cancelled_at: null, reason: refund.reason, ...presentRefund(refund.refundMinor, refund.currency) }),
    free_until: untilMs === null ? null : new Date(untilMs).toISOString(),
  };
  return { kind: 'data', data, headers: { etag: etagOf(booking) } };
}

function answerOf(cancelled: Cancelled | Refused): Answer<DataOf<typeof CANCEL_BOOKING>> {
  if (cancelled.kind === 'refused') return cancelled;
  const { id, booking } = cancelled;
  const headers = { etag: etagOf(booking), ...commandHeaders(cancelled) };
  return { kind: 'data', data: { booking_id: id, status: booking.status, ...cancellationOf(booking) }, headers };
}

function cancellationOf(booking: ExistingBooking) {
  const cancellation = presentCancellation(booking);
  if (cancellation === null) throw new Error(`a ${booking.status} booking was answered as cancelled`);
  return cancellation;
}
