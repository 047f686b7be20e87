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
import { bookingHeaders, presentBooking, presentListed, presentQuote } from './present.ts';
import { historyIn, readPage } from './read.ts';
import * as schema from './schema.ts';

/** Booking an activity, and the bookings of the caller's own key. */
export function bookingRoutes(context: HttpContext) {
  return new Elysia({ name: 'booking', tags: ['Bookings'] })
    .use(access(context))
    .post(
      '/api/b2a/execute_booking',
      async ({ body, key, idempotencyKey, language, call }) => {
        const { cause, overQuota } = call;
        const dryRun = body.dry_run === true;
        const request = {
          keyId: key.keyId,
          mode: key.mode,
          idempotencyKey,
          activityId: body.activity_id,
          date: dateOf(body.booking_date),
          numAdults: body.num_adults,
          numChildren: body.num_children ?? 0,
          contextLogId: body.context_log_id ?? null,
          holdId: body.hold_id ?? null,
          expectedTotal: body.expected_total ?? null,
          guest: {
            name: body.user_name,
            email: body.user_email,
            specialRequests: body.special_requests ?? null,
            reference: body.reference ?? null,
            metadata: body.metadata ?? {},
          },
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
        body: schema.bookingBody(context),
        response: schema.EXECUTE_BOOKING_ANSWER,
        detail: schema.EXECUTE_BOOKING_DETAIL,
      },
    )
    .get(
      '/api/b2a/bookings',
      async ({ query, key }) => {
        const { items, next } = await readPage({ ...query, key_id: key.keyId }, context);
        return success({ items: items.map((item) => presentListed(item, context)), next_cursor: next });
      },
      {
        apiKey: 'execute_booking',
        positioned: ['bookings', 'guests'],
        query: schema.listQuery(context),
        response: schema.LIST_BOOKINGS_ANSWER,
        detail: schema.LIST_BOOKINGS_DETAIL,
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
        params: schema.BOOKING_PATH,
        query: schema.BOOKING_QUERY,
        response: schema.BOOKING_BY_ID_ANSWER,
        detail: schema.GET_BOOKING_DETAIL,
      },
    );
}
