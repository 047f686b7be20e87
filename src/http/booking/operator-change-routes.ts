import { Elysia } from 'elysia';
import { cancelBooking } from '../../application/booking/cancel-booking.ts';
import { awaitVoucherMail } from '../../application/booking/mail-notifier.ts';
import { mailVoucher } from '../../application/booking/mail-voucher.ts';
import { type Modified, modifyBooking } from '../../application/booking/modify-booking.ts';
import { quoteModification } from '../../application/booking/quote-modification.ts';
import type { ChangedBy } from '../../domain/booking/changed-by.ts';
import { access } from '../access.ts';
import type { HttpContext } from '../context.ts';
import { modificationOf, quoteOf } from './change-routes.ts';
import { modificationBody } from './change-schema.ts';
import { forRole } from './operator-routes.ts';
import * as schema from './operator-schema.ts';
import {
  bookingHeaders,
  presentCancelledForOperator,
  presentModificationQuote,
  presentModifiedForOperator,
} from './present.ts';
import { withChangedBy } from './read.ts';

/** Changes of the bookings of all keys, for the operator. */
export function operatorBookingChangeRoutes(context: HttpContext) {
  return new Elysia({ name: 'operator-booking-change', tags: ['Bookings'] })
    .use(access(context))
    .post(
      '/api/bookings/:booking_id/modify',
      async ({ params, body, idempotencyKey, ifVersions, operator, call }) => {
        const { cause } = call;
        const identity = { id: params.booking_id, asker: 'operator', idempotencyKey, ifVersions } as const;
        const request = modificationOf(identity, body, context);
        if (body.dry_run === true)
          return call.reply(await quoteModification(request, cause, context), presentModificationQuote, bookingHeaders);
        const modified = await awaitVoucherMail(await modifyBooking(request, cause, context), cause, context);
        const present = (made: Modified & ChangedBy) => presentModifiedForOperator(made, operator.role, context);
        return call.reply(await withChangedBy(modified, context), present, bookingHeaders);
      },
      {
        idempotent: true,
        ifMatch: true,
        operator: true,
        params: schema.ANY_BOOKING_PATH,
        body: modificationBody(context),
        response: schema.MODIFY_ANY_BOOKING_ANSWER,
        detail: schema.MODIFY_ANY_BOOKING_DETAIL,
      },
    )
    .post(
      '/api/bookings/:booking_id/voucher-mail',
      async ({ params, idempotencyKey, operator, call }) => {
        const { cause } = call;
        const asked = await mailVoucher({ id: params.booking_id, idempotencyKey }, cause, context);
        const mailed = await awaitVoucherMail(asked, cause, context);
        return call.reply(await withChangedBy(mailed, context), forRole(operator.role, context), bookingHeaders);
      },
      {
        idempotent: true,
        operator: true,
        params: schema.ANY_BOOKING_PATH,
        response: schema.MAIL_VOUCHER_ANSWER,
        detail: schema.MAIL_VOUCHER_DETAIL,
      },
    )
    .post(
      '/api/bookings/:booking_id/cancel',
      async ({ params, body, idempotencyKey, ifVersions, call }) => {
        const { reason } = body;
        const request = { id: params.booking_id, asker: 'operator', reason, idempotencyKey, ifVersions } as const;
        if (body.dry_run === true) return quoteOf(request, call, context);
        const cancelled = await cancelBooking(request, call.cause, context);
        return call.reply(await withChangedBy(cancelled, context), presentCancelledForOperator, bookingHeaders);
      },
      {
        idempotent: true,
        ifMatch: true,
        operator: true,
        params: schema.ANY_BOOKING_PATH,
        body: schema.ANY_CANCELLATION_BODY,
        response: schema.CANCEL_ANY_BOOKING_ANSWER,
        detail: schema.CANCEL_ANY_BOOKING_DETAIL,
      },
    );
}
