import { Elysia } from 'elysia';
import { listBookings } from '../../../projections/bookings/query.ts';
import { bookingHistory } from '../../application/booking/booking-history.ts';
import { confirmRequest, eraseGuest, rejectRequest } from '../../application/booking/operate-booking.ts';
import { readBooking } from '../../application/booking/read-booking.ts';
import type { ActivityId } from '../../domain/activity/activity.ts';
import { findCity } from '../../domain/activity/cities.ts';
import type { KeyId } from '../../domain/booking/booking.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { etagOf } from '../etag.ts';
import { dateOf } from '../fields.ts';
import { waitForPosition } from '../wait-for-position.ts';
import { cancelOrQuote } from './cancel.ts';
import {
  ANY_BOOKING,
  ANY_BOOKING_PATH,
  ANY_CANCELLATION_REQUEST,
  CANCEL_ANY_BOOKING,
  CONFIRM_BOOKING,
  LIST_ALL_BOOKINGS,
  LIST_ALL_QUERY,
  OPERATE_BOOKING,
  REJECTION_REQUEST,
} from './operator-schema.ts';
import { bookingHeaders, presentOperated } from './present.ts';
import { presentHistory } from './present-history.ts';
import { BOOKING_QUERY, DEFAULT_LIMIT } from './schema.ts';

/** The bookings of all keys, for the operator. */
export function operatorBookingRoutes(context: HttpContext) {
  return new Elysia({ name: 'operator-booking', tags: ['Bookings'] })
    .use(queries(context))
    .use(venueAnswers(context))
    .use(cancellationAndErasure(context));
}

function queries(context: HttpContext) {
  return new Elysia()
    .use(access(context))
    .get(
      '/api/bookings',
      async ({ query, call, request }) => {
        const read = readCursor(query.cursor ?? null);
        if (read.kind === 'refused') return call.refuse(read);
        await waitForPosition('bookings', request.headers, context);
        const page = await listBookings(context.readModels, await context.collection('bookings'), {
          keyId: (query.key_id ?? null) as KeyId | null,
          city: query.city === undefined ? null : findCity(query.city),
          activityId: (query.activity_id ?? null) as ActivityId | null,
          status: query.status ?? null,
          from: query.from === undefined ? null : dateOf(query.from),
          to: query.to === undefined ? null : dateOf(query.to),
          limit: query.limit ?? DEFAULT_LIMIT,
          after: read.cursor,
        });
        const views = await Promise.all(page.items.map(({ bookingId }) => readBooking(bookingId, 'operator', context)));
        const items = views.flatMap((view) => (view.kind === 'booking' ? [presentOperated(view, context)] : []));
        return success({ items, next_cursor: writeCursor(page.next) });
      },
      {
        operator: 'admin',
        positioned: true,
        query: LIST_ALL_QUERY,
        response: LIST_ALL_BOOKINGS,
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
      async ({ params, query, call, set }) => {
        const view = await readBooking(params.booking_id, 'operator', context);
        if (view.kind === 'refused') return call.refuse(view);
        set.headers['etag'] = etagOf(view.booking);
        const data = presentOperated(view, context);
        if (query.include === undefined) return success(data);
        const history = presentHistory(await bookingHistory(view.id, context.webhooks), view.booking.facts.keyId);
        return success({ ...data, history });
      },
      {
        operator: 'admin',
        params: ANY_BOOKING_PATH,
        query: BOOKING_QUERY,
        response: ANY_BOOKING,
        detail: {
          operationId: 'get_any_booking',
          summary: 'Any booking, at its latest',
          description: '`include=history` adds the history of the booking.',
        },
      },
    );
}

function venueAnswers(context: HttpContext) {
  return new Elysia()
    .use(access(context))
    .post(
      '/api/bookings/:booking_id/confirm',
      async ({ params, ifVersion, call, set }) => {
        const confirmed = await confirmRequest({ id: params.booking_id, ifVersion }, call.cause, context);
        if (confirmed.kind === 'refused') return call.refuse(confirmed);
        Object.assign(set.headers, bookingHeaders(confirmed));
        return success(presentOperated(confirmed, context));
      },
      {
        operator: 'admin',
        ifMatch: true,
        params: ANY_BOOKING_PATH,
        response: CONFIRM_BOOKING,
        detail: {
          operationId: 'confirm_booking',
          summary: "The venue's yes to a pending booking",
          description:
            'The booking becomes `confirmed`: it is charged, its voucher is mailed, and `booking_confirmed` is sent. ' +
            'Repeated, the answer is the same. Send the `ETag` of the booking that the venue has agreed to as `If-Match`: ' +
            'a booking that its guests have changed since is not confirmed.',
        },
      },
    )
    .post(
      '/api/bookings/:booking_id/reject',
      async ({ params, body, call, set }) => {
        const request = { id: params.booking_id, reason: body.reason ?? 'venue_unavailable' } as const;
        const rejected = await rejectRequest(request, call.cause, context);
        if (rejected.kind === 'refused') return call.refuse(rejected);
        Object.assign(set.headers, bookingHeaders(rejected));
        return success(presentOperated(rejected, context));
      },
      {
        operator: 'admin',
        params: ANY_BOOKING_PATH,
        body: REJECTION_REQUEST,
        response: OPERATE_BOOKING,
        detail: {
          operationId: 'reject_booking',
          summary: "The venue's no to a pending booking",
          description:
            'The booking becomes `rejected`, with `ACTIVITY_UNAVAILABLE` (`venue_unavailable`) or `SERVICE_UNAVAILABLE` ' +
            '(`system`) as its `code`: its slots are free again, nothing was charged, and `booking_cancelled` is sent. ' +
            'Repeated, the answer is the same.',
        },
      },
    );
}

function cancellationAndErasure(context: HttpContext) {
  return new Elysia()
    .use(access(context))
    .post(
      '/api/bookings/:booking_id/cancel',
      async ({ params, body, idempotencyKey, ifVersion, call, set }) => {
        const request = {
          id: params.booking_id,
          asker: 'operator',
          reason: body.reason,
          idempotencyKey,
          ifVersion,
        } as const;
        const answer = await cancelOrQuote(request, body.dry_run === true, call.cause, context);
        if (answer.kind === 'refused') return call.refuse(answer);
        Object.assign(set.headers, answer.headers);
        return success(answer.data);
      },
      {
        operator: 'admin',
        idempotent: true,
        ifMatch: true,
        params: ANY_BOOKING_PATH,
        body: ANY_CANCELLATION_REQUEST,
        response: CANCEL_ANY_BOOKING,
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
      async ({ params, call, set }) => {
        const erased = await eraseGuest(params.booking_id, call.cause, context);
        if (erased.kind === 'refused') return call.refuse(erased);
        Object.assign(set.headers, bookingHeaders(erased));
        return success(presentOperated(erased, context));
      },
      {
        operator: 'admin',
        params: ANY_BOOKING_PATH,
        response: OPERATE_BOOKING,
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
