import { Elysia } from 'elysia';
import { confirmRequest, rejectRequest } from '../../application/booking/operate-booking.ts';
import { type BookingView, readBooking } from '../../application/booking/read-booking.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { cancelOrQuote } from './change-routes.ts';
import * as schema from './operator-schema.ts';
import { bookingHeaders, presentListedForOperator, presentOperated } from './present.ts';
import { historyIn, readPage } from './read.ts';
import { BOOKING_QUERY } from './schema.ts';

/** The bookings of all keys, for the operator. */
export function operatorBookingRoutes(context: HttpContext) {
  const present = (view: BookingView) => presentOperated(view, context);
  return new Elysia({ name: 'operator-booking', tags: ['Bookings'] })
    .use(access(context))
    .get(
      '/api/bookings',
      async ({ query }) => {
        const { items, next } = await readPage(query, context);
        return success({ items: items.map((item) => presentListedForOperator(item, context)), next_cursor: next });
      },
      {
        operator: true,
        positioned: ['bookings', 'guests'],
        query: schema.listAllQuery(context),
        response: schema.LIST_ALL_BOOKINGS_ANSWER,
        detail: schema.LIST_ALL_BOOKINGS_DETAIL,
      },
    )
    .get(
      '/api/bookings/:booking_id',
      async ({ params, query, call }) => {
        const view = await readBooking(params.booking_id, 'operator', context);
        const history = await historyIn(view, query, context);
        return call.reply(view, (found) => ({ ...present(found), ...history }), bookingHeaders);
      },
      {
        operator: true,
        params: schema.ANY_BOOKING_PATH,
        query: BOOKING_QUERY,
        response: schema.ANY_BOOKING_ANSWER,
        detail: schema.GET_ANY_BOOKING_DETAIL,
      },
    )
    .post(
      '/api/bookings/:booking_id/confirm',
      async ({ params, ifVersions, call }) => {
        const confirmed = await confirmRequest({ id: params.booking_id, ifVersions }, call.cause, context);
        return call.reply(confirmed, present, bookingHeaders);
      },
      {
        operator: true,
        ifMatch: true,
        params: schema.ANY_BOOKING_PATH,
        response: schema.CONFIRM_BOOKING_ANSWER,
        detail: schema.CONFIRM_BOOKING_DETAIL,
      },
    )
    .post(
      '/api/bookings/:booking_id/reject',
      async ({ params, body, call }) => {
        const request = { id: params.booking_id, reason: body.reason ?? 'venue_unavailable' } as const;
        const rejected = await rejectRequest(request, call.cause, context);
        return call.reply(rejected, present, bookingHeaders);
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
      '/api/bookings/:booking_id/cancel',
      async ({ params, body, idempotencyKey, ifVersions, call }) => {
        const request = {
          id: params.booking_id,
          asker: 'operator',
          reason: body.reason,
          idempotencyKey,
          ifVersions,
        } as const;
        return cancelOrQuote(request, body.dry_run === true, call, context);
      },
      {
        operator: true,
        idempotent: true,
        ifMatch: true,
        params: schema.ANY_BOOKING_PATH,
        body: schema.ANY_CANCELLATION_BODY,
        response: schema.CANCEL_ANY_BOOKING_ANSWER,
        detail: schema.CANCEL_ANY_BOOKING_DETAIL,
      },
    );
}
