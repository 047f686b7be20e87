import { Elysia } from 'elysia';
import type { Static } from 'typebox';
import { type CancelBooking, cancelBooking, quoteCancellation } from '../../application/booking/cancel-booking.ts';
import { awaitVoucherMail } from '../../application/booking/mail-notifier.ts';
import { committedModification, type Modified, modifyBooking } from '../../application/booking/modify-booking.ts';
import type { ModifyBooking } from '../../application/booking/plan-modification.ts';
import { quoteModification } from '../../application/booking/quote-modification.ts';
import type { Refused } from '../../application/refusal.ts';
import { access } from '../access.ts';
import type { Call } from '../call.ts';
import type { HttpContext } from '../context.ts';
import { dateOf } from '../fields.ts';
import * as schema from './change-schema.ts';
import {
  bookingHeaders,
  presentCancellationQuote,
  presentCancelled,
  presentModificationQuote,
  presentModified,
} from './present.ts';
import { BOOKING_PATH } from './schema.ts';

/** Changing and cancelling a booking of the caller's own key. */
export function bookingChangeRoutes(context: HttpContext) {
  return new Elysia({ name: 'booking-change', tags: ['Bookings'] })
    .use(access(context))
    .post(
      '/api/b2a/bookings/:booking_id/modify',
      async ({ params, body, key, idempotencyKey, ifVersions, call }) => {
        const { cause, overQuota } = call;
        const dryRun = body.dry_run === true;
        const headers = { idempotencyKey, ifVersions };
        const request = modificationOf({ id: params.booking_id, asker: key.keyId, ...headers }, body, context);
        const answer = (outcome: Modified | Refused) =>
          call.reply(outcome, (modified) => presentModified(modified, context), bookingHeaders);
        if (overQuota !== null)
          return answer(await call.pastQuota(dryRun ? null : await committedModification(request, context)));
        if (dryRun)
          return call.reply(await quoteModification(request, cause, context), presentModificationQuote, bookingHeaders);
        return answer(await awaitVoucherMail(await modifyBooking(request, cause, context), cause, context));
      },
      {
        apiKey: { permission: 'execute_booking', repeatsPastQuota: true },
        idempotent: true,
        ifMatch: true,
        params: BOOKING_PATH,
        body: schema.modificationBody(context),
        response: schema.MODIFY_BOOKING_ANSWER,
        detail: schema.MODIFY_BOOKING_DETAIL,
      },
    )
    .post(
      '/api/b2a/bookings/:booking_id/cancel',
      async ({ params, body, key, idempotencyKey, ifVersions, call }) => {
        const reason = body.reason ?? 'user_requested';
        const request = { id: params.booking_id, asker: key.keyId, reason, idempotencyKey, ifVersions };
        if (body.dry_run === true) return quoteOf(request, call, context);
        return call.reply(await cancelBooking(request, call.cause, context), presentCancelled, bookingHeaders);
      },
      {
        apiKey: 'execute_booking',
        idempotent: true,
        ifMatch: true,
        params: BOOKING_PATH,
        body: schema.CANCELLATION_BODY,
        response: schema.CANCEL_BOOKING_ANSWER,
        detail: schema.CANCEL_BOOKING_DETAIL,
      },
    );
}

/** A modification by an agent or by the operator. */
export function modificationOf(
  identity: Pick<ModifyBooking, 'id' | 'asker' | 'idempotencyKey' | 'ifVersions'>,
  body: Static<ReturnType<typeof schema.modificationBody>['schema']>,
  { guestLimits }: HttpContext,
): ModifyBooking {
  return {
    ...identity,
    date: body.booking_date === undefined ? null : dateOf(body.booking_date),
    numAdults: body.num_adults ?? null,
    numChildren: body.num_children ?? null,
    name: body.user_name ?? null,
    email: body.user_email ?? null,
    specialRequests: body.special_requests,
    expectedTotal: body.expected_total ?? null,
    maxGuests: guestLimits.maxGuests,
  };
}

/** What a cancellation would refund: the same for an agent and for the operator. */
export async function quoteOf(request: CancelBooking, call: Call, context: HttpContext) {
  return call.reply(await quoteCancellation(request, context), presentCancellationQuote, bookingHeaders);
}
