import { Elysia } from 'elysia';
import { confirmRequest, eraseGuest, rejectRequest } from '../../application/booking/operate-booking.ts';
import { type BookingView, readBooking } from '../../application/booking/read-booking.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { cancelOrQuote } from './change-routes.ts';
import {
  ANY_BOOKING_ANSWER,
  ANY_BOOKING_PATH,
  ANY_CANCELLATION_BODY,
  CANCEL_ANY_BOOKING_ANSWER,
  CONFIRM_BOOKING_ANSWER,
  LIST_ALL_BOOKINGS_ANSWER,
  LIST_ALL_QUERY,
  OPERATE_BOOKING_ANSWER,
  REJECTION_BODY,
} from './operator-schema.ts';
import { bookingHeaders, presentOperated } from './present.ts';
import { historyIn, readPage } from './read.ts';
import { BOOKING_QUERY } from './schema.ts';

/** The bookings of all keys, for the operator. */
export function operatorBookingRoutes(context: HttpContext) {
  return new Elysia({ name: 'operator-booking', tags: ['Bookings'] })
    .use(queries(context))
    .use(venueAnswers(context))
    .use(cancellationAndErasure(context));
}

function queries(context: HttpContext) {
  const present = (view: BookingView) => presentOperated(view, context);
  return new Elysia()
    .use(access(context))
    .get(
      '/api/bookings',
      async ({ query }) => {
        const { views, next } = await readPage(query, 'operator', context);
        return success({ items: views.map(present), next_cursor: next });
      },
      {
        operator: 'admin',
        positioned: 'bookings',
        query: LIST_ALL_QUERY,
        response: LIST_ALL_BOOKINGS_ANSWER,
        detail: {
          operationId: 'list_all_bookings',
          summary: 'The bookings of all keys, newest first',
          description:
            '`from` and `to` are booking dates; the range includes both. `status=pending` lists the bookings that wait for ' +
            'the answer of a venue.',
        },
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
        operator: 'admin',
        params: ANY_BOOKING_PATH,
        query: BOOKING_QUERY,
        response: ANY_BOOKING_ANSWER,
        detail: {
          operationId: 'get_any_booking',
          summary: 'Read any booking',
          description: '`include=history` adds the history of the booking.',
        },
      },
    );
}

function venueAnswers(context: HttpContext) {
  const present = (view: BookingView) => presentOperated(view, context);
  return new Elysia()
    .use(access(context))
    .post(
      '/api/bookings/:booking_id/confirm',
      async ({ params, ifVersions, call }) => {
        const confirmed = await confirmRequest({ id: params.booking_id, ifVersions }, call.cause, context);
        return call.reply(confirmed, present, bookingHeaders);
      },
      {
        operator: 'admin',
        ifMatch: true,
        params: ANY_BOOKING_PATH,
        response: CONFIRM_BOOKING_ANSWER,
        detail: {
          operationId: 'confirm_booking',
          summary: 'Confirm a pending booking',
          description:
            'The booking becomes `confirmed`: it is charged, its voucher is mailed, and `booking_confirmed` is sent. ' +
            'Repeated, the answer is the same. Send the `ETag` of the booking that the venue has agreed to as `If-Match`: ' +
            'a booking that its guests have changed since is not confirmed.',
        },
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
        operator: 'admin',
        params: ANY_BOOKING_PATH,
        body: REJECTION_BODY,
        response: OPERATE_BOOKING_ANSWER,
        detail: {
          operationId: 'reject_booking',
          summary: 'Reject a pending booking',
          description:
            'The booking becomes `rejected`, with `ACTIVITY_UNAVAILABLE` (`venue_unavailable`) or `SERVICE_UNAVAILABLE` ' +
            '(`system`) as its `code`: its slots are free again, nothing was charged, and `booking_cancelled` is sent. ' +
            'Repeated, the answer is the same.',
        },
      },
    );
}

function cancellationAndErasure(context: HttpContext) {
  const present = (view: BookingView) => presentOperated(view, context);
  return new Elysia()
    .use(access(context))
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
        operator: 'admin',
        idempotent: true,
        ifMatch: true,
        params: ANY_BOOKING_PATH,
        body: ANY_CANCELLATION_BODY,
        response: CANCEL_ANY_BOOKING_ANSWER,
        detail: {
          operationId: 'cancel_any_booking',
          summary: 'Cancel any booking',
          description:
            'As `cancel_booking`, with further reasons, which refund in full; `user_requested` refunds by the policy. A ' +
            'booking that is already cancelled does not change. `dry_run: true` returns what would be refunded.',
        },
      },
    )
    .post(
      '/api/bookings/:booking_id/erase',
      async ({ params, call }) => {
        const erased = await eraseGuest(params.booking_id, call.cause, context);
        return call.reply(erased, present, bookingHeaders);
      },
      {
        operator: 'admin',
        params: ANY_BOOKING_PATH,
        response: OPERATE_BOOKING_ANSWER,
        detail: {
          operationId: 'erase_guest',
          summary: "Erase a guest's data",
          description:
            'From this answer on, name, mail address and special requests read `[erased]`, in payloads of webhooks too. They ' +
            'are removed from the store right after. The booking, its voucher and the analytics stay; no more mail is ' +
            'sent. It cannot be undone. Repeated, the answer is the same.',
        },
      },
    );
}
