import { Elysia } from 'elysia';
import { listBookings } from '../../../projections/bookings/query.ts';
import { bookingHistory } from '../../application/booking/booking-history.ts';
import {
  type Booked,
  bookActivity,
  committedBooking,
  quoteBooking,
} from '../../application/booking/execute-booking.ts';
import { awaitVoucherMail } from '../../application/booking/mail-notifier.ts';

import { readBooking } from '../../application/booking/read-booking.ts';
import type { Refused } from '../../application/refusal.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { etagOf } from '../etag.ts';
import { dateOf } from '../fields.ts';
import { waitForPosition } from '../wait-for-position.ts';
import { bookingHeaders, presentBooking, presentQuote } from './present.ts';
import { presentHistory } from './present-history.ts';
import {
  BOOKING_BY_ID,
  BOOKING_PATH,
  BOOKING_QUERY,
  bookingRequest,
  DEFAULT_LIMIT,
  EXECUTE_BOOKING,
  LIST_BOOKINGS,
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
    async ({ body, key, idempotencyKey, language, call, set }) => {
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
      const answer = (booked: Booked | Refused) => {
        if (booked.kind === 'refused') return call.refuse(booked);
        Object.assign(set.headers, bookingHeaders(booked));
        return success(presentBooking(booked, context));
      };
      if (overQuota !== null)
        return answer(await call.pastQuota(dryRun ? null : await committedBooking(request, context)));
      if (dryRun) {
        const quote = await quoteBooking(request, context);
        return quote.kind === 'refused' ? call.refuse(quote) : success(presentQuote(quote));
      }
      return answer(await awaitVoucherMail(await bookActivity(request, cause, context), cause, context));
    },
    {
      apiKey: { permission: 'execute_booking', replays: true },
      idempotent: true,
      language: true,
      body: bookingRequest(context),
      response: EXECUTE_BOOKING,
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
      async ({ query, key, call, request }) => {
        const read = readCursor(query.cursor ?? null);
        if (read.kind === 'refused') return call.refuse(read);
        await waitForPosition('bookings', request.headers, context);
        const page = await listBookings(context.readModels, await context.collection('bookings'), {
          keyId: key.keyId,
          city: null,
          activityId: null,
          status: query.status ?? null,
          from: query.from === undefined ? null : dateOf(query.from),
          to: query.to === undefined ? null : dateOf(query.to),
          limit: query.limit ?? DEFAULT_LIMIT,
          after: read.cursor,
        });
        // Read models contain no personal data: the guest is read from the streams.
        const views = await Promise.all(page.items.map(({ bookingId }) => readBooking(bookingId, key.keyId, context)));
        const items = views.flatMap((view) => {
          // The streams may be newer than the list.
          if (view.kind === 'refused' || (query.status !== undefined && view.booking.status !== query.status))
            return [];
          return [presentBooking(view, context)];
        });
        return success({ items, next_cursor: writeCursor(page.next) });
      },
      {
        apiKey: 'execute_booking',
        positioned: true,
        query: LIST_QUERY,
        response: LIST_BOOKINGS,
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
      async ({ params, query, key, call, set }) => {
        const view = await readBooking(params.booking_id, key.keyId, context);
        if (view.kind === 'refused') return call.refuse(view);
        set.headers['etag'] = etagOf(view.booking);
        const data = presentBooking(view, context);
        if (query.include === undefined) return success(data);
        const history = presentHistory(await bookingHistory(view.id, context.webhooks), key.keyId);
        return success({ ...data, history });
      },
      {
        apiKey: 'execute_booking',
        params: BOOKING_PATH,
        query: BOOKING_QUERY,
        response: BOOKING_BY_ID,
        detail: {
          operationId: 'get_booking',
          summary: 'One booking, at its latest',
          description:
            'A key sees only the bookings that it made. `include=history` adds the history of the booking. While a booking ' +
            'is `processing`, read it again after a second.',
        },
      },
    );
}
