import { Elysia } from 'elysia';
import { confirmRequest, rejectRequest } from '../../application/booking/operate-booking.ts';
import { type BookingView, readBooking } from '../../application/booking/read-booking.ts';
import { readTimeline } from '../../application/booking/read-timeline.ts';
import { refused } from '../../application/refusal.ts';
import type { ChangedBy } from '../../domain/booking/changed-by.ts';
import { type Role, sees } from '../../domain/operator/roles.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { RefusedEarly } from '../refused-early.ts';
import * as schema from './operator-schema.ts';
import { bookingHeaders, presentListedForOperator, presentOperated } from './present.ts';
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
        positioned: 'deliveries',
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
    );
}

export function forRole(role: Role, context: HttpContext) {
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
