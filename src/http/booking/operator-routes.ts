import { Elysia } from 'elysia';
import { cancelBooking } from '../../application/booking/cancel-booking.ts';
import { awaitVoucherMail } from '../../application/booking/mail-notifier.ts';
import { mailVoucher } from '../../application/booking/mail-voucher.ts';
import { type Modified, modifyBooking } from '../../application/booking/modify-booking.ts';
import { confirmRequest, rejectRequest } from '../../application/booking/operate-booking.ts';
import { quoteModification } from '../../application/booking/quote-modification.ts';
import { type BookingView, readBooking } from '../../application/booking/read-booking.ts';
import { readTimeline } from '../../application/booking/read-timeline.ts';
import { refused } from '../../application/refusal.ts';
import type { ChangedBy } from '../../domain/booking/changed-by.ts';
import { type Role, sees } from '../../domain/operator/roles.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { RefusedEarly } from '../refused-early.ts';
import { modificationOf, quoteOf } from './change-routes.ts';
import { modificationBody } from './change-schema.ts';
import * as schema from './operator-schema.ts';
import {
  bookingHeaders,
  presentCancelledForOperator,
  presentListedForOperator,
  presentModificationQuote,
  presentModifiedForOperator,
  presentOperated,
} from './present.ts';
import { presentHistoryForOperator } from './present-history.ts';
import { presentTimeline } from './present-timeline.ts';
import { historyIn, readPage, withChangedBy } from './read.ts';
import { BOOKING_QUERY } from './schema.ts';

/** The bookings of all keys, for the operator. */
export function operatorBookingRoutes(context: HttpContext) {
  return new Elysia({ name: 'operator-booking', tags: ['Bookings'] })
    .use(access(context))
    .get(
      '/api/bookings',
      async ({ query, operator: { role } }) => {
        assertSeen(query, role);
        const { items, next } = await readPage(query, context);
        return success({
          items: items.map((item) => presentListedForOperator(item, role, context)),
          next_cursor: next,
        });
      },
      {
        positioned: ['bookings', 'guests'],
        operator: true,
        query: schema.listAllQuery(context),
        response: schema.LIST_ALL_BOOKINGS_ANSWER,
        detail: schema.LIST_ALL_BOOKINGS_DETAIL,
      },
    )
    .get(
      '/api/bookings/:booking_id',
      async ({ params, query, operator, call }) => {
        const view = await readBooking(params.booking_id, 'operator', context);
        const history = await historyIn(view, query, context, presentHistoryForOperator);
        return call.reply(
          await withChangedBy(view, context),
          (found) => ({ ...forRole(operator.role, context)(found), ...history }),
          bookingHeaders,
        );
      },
      {
        operator: true,
        params: schema.ANY_BOOKING_PATH,
        query: BOOKING_QUERY,
        response: schema.ANY_BOOKING_ANSWER,
        detail: schema.GET_ANY_BOOKING_DETAIL,
      },
    )
    .get(
      '/api/bookings/:booking_id/timeline',
      async ({ params, call }) =>
        call.reply(await readTimeline(params.booking_id, context), presentTimeline, bookingHeaders),
      {
        operator: true,
        params: schema.ANY_BOOKING_PATH,
        response: schema.TIMELINE_ANSWER,
        detail: schema.TIMELINE_DETAIL,
      },
    )
    .post(
      '/api/bookings/:booking_id/confirm',
      async ({ params, ifVersions, operator, call }) => {
        const confirmed = await confirmRequest({ id: params.booking_id, ifVersions }, call.cause, context);
        return call.reply(await withChangedBy(confirmed, context), forRole(operator.role, context), bookingHeaders);
      },
      {
        ifMatch: true,
        operator: true,
        params: schema.ANY_BOOKING_PATH,
        response: schema.CONFIRM_BOOKING_ANSWER,
        detail: schema.CONFIRM_BOOKING_DETAIL,
      },
    )
    .post(
      '/api/bookings/:booking_id/reject',
      async ({ params, body, operator, call }) => {
        const request = { id: params.booking_id, reason: body.reason ?? 'venue_unavailable' } as const;
        const rejected = await rejectRequest(request, call.cause, context);
        return call.reply(await withChangedBy(rejected, context), forRole(operator.role, context), bookingHeaders);
      },
      {
        operator: true,
        params: schema.ANY_BOOKING_PATH,
        body: schema.REJECTION_BODY,
        response: schema.OPERATE_BOOKING_ANSWER,
        detail: schema.REJECT_BOOKING_DETAIL,
      },
    )
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

function forRole(role: Role, context: HttpContext) {
  return (view: BookingView & ChangedBy) => presentOperated(view, role, context);
}

/** The filters that would find a booking by what the role does not see. */
const GUEST_FILTERS = ['guest', 'reference', 'voucher_code'] as const;

/** @throws RefusedEarly if the role does not see what a filter looks for */
function assertSeen(query: Partial<Record<(typeof GUEST_FILTERS)[number], unknown>>, role: Role): void {
  const sent = GUEST_FILTERS.find((name) => query[name] !== undefined);
  if (sent === undefined || sees(role, 'guest')) return;
  const message = `The role "${role}" does not see ${sent} and cannot filter by it; leave it out.`;
  throw new RefusedEarly(refused('FORBIDDEN', message));
}
