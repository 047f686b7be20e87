import { Elysia } from 'elysia';
import { committedBooking, type ExecutedBooking, executeBooking } from '../../application/booking/execute-booking.ts';
import { awaitVoucherMail } from '../../application/booking/mail-notifier.ts';
import { quoteBooking } from '../../application/booking/quote-booking.ts';
import { readBooking } from '../../application/booking/read-booking.ts';
import type { Refused } from '../../application/refusal.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { dateOf } from '../fields.ts';
import { bookingHeaders, presentBooking, presentQuote } from './present.ts';
import { historyIn, readPage } from './read.ts';
import {
  BOOKING_BY_ID_ANSWER,
  BOOKING_PATH,
  BOOKING_QUERY,
  bookingBody,
  EXECUTE_BOOKING_ANSWER,
  LIST_BOOKINGS_ANSWER,
  LIST_QUERY,
} from './schema.ts';

/** Booking an activity, and the bookings of the caller's own key. */
export function bookingRoutes(context: HttpContext) {
  return new Elysia({ name: 'booking', tags: ['Bookings'] })
    .use(executeBookingRoute(context))
    .use(bookingQueries(context));
}

function executeBookingRoute(context: HttpContext) {
  return new Elysia().use(access(context)).post(
    '/api/b2a/execute_booking',
    async ({ body, key, idempotencyKey, language, call }) => {
      const { cause, overQuota } = call;
      const dryRun = body.dry_run === true;
      const request = {
        keyId: key.keyId,
        idempotencyKey,
        activityId: body.activity_id,
        date: dateOf(body.booking_date),
        numAdults: body.num_adults,
        numChildren: body.num_children ?? 0,
        contextLogId: body.context_log_id ?? null,
        holdId: body.hold_id ?? null,
        guest: { name: body.user_name, email: body.user_email, specialRequests: body.special_requests ?? null },
        language,
        webhookUrl: body.webhook_url ?? null,
      };
      const answer = (outcome: ExecutedBooking | Refused) =>
        call.reply(outcome, (booked) => presentBooking(booked, context), bookingHeaders);
      if (overQuota !== null)
        return answer(await call.pastQuota(dryRun ? null : await committedBooking(request, context)));
      if (dryRun) return call.reply(await quoteBooking(request, context), presentQuote);
      return answer(await awaitVoucherMail(await executeBooking(request, cause, context), cause, context));
    },
    {
      apiKey: { permission: 'execute_booking', repeatsPastQuota: true },
      idempotent: true,
      language: true,
      body: bookingBody(context),
      response: EXECUTE_BOOKING_ANSWER,
      detail: {
        operationId: 'execute_booking',
        summary: 'Book an activity',
        description: [
          'Bookings are real and charged. When the answer says `confirmed`, slots, booking, charge and voucher are durable.',
          'Send an `Idempotency-Key`: the same request with the same key never books twice. It returns the first booking, ' +
            'and `Idempotent-Replayed: true`.',
          'A booking that is not finished by the response deadline is returned as `processing`, without a voucher and ' +
            'not yet charged. It becomes `confirmed` or `rejected` without another request: read it again, or wait for ' +
            'the webhook.',
          'The voucher is mailed to `user_email`. The answer waits for the mail server for a moment; if that takes ' +
            'longer, `email_sent` is false and the mail is sent later: read the booking again.',
          'Send the `log_id` of the recommendation that led to the booking as `context_log_id`. A `log_id` that does not ' +
            'belong to this key is refused with `INVALID_REQUEST`.',
          'Send the `hold_id` of a hold to book its slots at its price, for the same activity, date and guests.',
          '`dry_run: true` returns the price and whether there is room, and books nothing.',
          'An activity with `confirmation: on_request` is `pending` until its venue has answered: its slots are reserved, ' +
            '`voucher` is null, and nothing is charged before it is `confirmed`. If the venue declines, it is ' +
            '`rejected`, and `code` says why.',
        ].join('\n\n'),
      },
    },
  );
}

function bookingQueries(context: HttpContext) {
  return new Elysia()
    .use(access(context))
    .get(
      '/api/b2a/bookings',
      async ({ query, key }) => {
        const { views, next } = await readPage({ ...query, key_id: key.keyId }, key.keyId, context);
        // A booking may have changed since the list was written.
        const found = views.filter(({ booking }) => query.status === undefined || booking.status === query.status);
        return success({ items: found.map((view) => presentBooking(view, context)), next_cursor: next });
      },
      {
        apiKey: 'execute_booking',
        positioned: 'bookings',
        query: LIST_QUERY,
        response: LIST_BOOKINGS_ANSWER,
        detail: {
          operationId: 'list_bookings',
          summary: "The key's bookings, newest first",
          description:
            '`from` and `to` are booking dates; the range includes both. The list follows bookings within moments. To see ' +
            "the result of your own request, send that answer's `X-Position` back.",
        },
      },
    )
    .get(
      '/api/b2a/bookings/:booking_id',
      async ({ params, query, key, call }) => {
        const view = await readBooking(params.booking_id, key.keyId, context);
        const history = await historyIn(view, query, context);
        return call.reply(view, (found) => ({ ...presentBooking(found, context), ...history }), bookingHeaders);
      },
      {
        apiKey: 'execute_booking',
        params: BOOKING_PATH,
        query: BOOKING_QUERY,
        response: BOOKING_BY_ID_ANSWER,
        detail: {
          operationId: 'get_booking',
          summary: 'Read a booking',
          description:
            'A key sees only the bookings that it made. `include=history` adds the history of the booking. While a booking ' +
            'is `processing`, read it again after a second.',
        },
      },
    );
}
