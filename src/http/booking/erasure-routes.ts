import { Elysia } from 'elysia';
import { eraseAndRecord, readErasure } from '../../application/booking/erasure.ts';
import { exportGuest } from '../../application/booking/export-guest.ts';
import type { BookingView } from '../../application/booking/read-booking.ts';
import type { ChangedBy } from '../../domain/booking/changed-by.ts';
import { access } from '../access.ts';
import type { HttpContext } from '../context.ts';
import { passedBy } from '../wait-for-position.ts';
import * as erasure from './erasure-schema.ts';
import * as schema from './operator-schema.ts';
import { bookingHeaders, presentOperated } from './present.ts';
import { presentErasure, presentGuestExport } from './present-erasure.ts';
import { withChangedBy } from './read.ts';

/** The guest's data of any booking: its erasure, and a copy of it. */
export function erasureRoutes(context: HttpContext) {
  return new Elysia({ name: 'erasure', tags: ['Bookings'] })
    .use(access(context))
    .post(
      '/api/bookings/:booking_id/erase',
      async ({ params, operator, call }) => {
        const present = (view: BookingView & ChangedBy) => presentOperated(view, operator.role, context);
        const erased = await eraseAndRecord(params.booking_id, call.cause, context);
        if (erased.kind !== 'refused' && erased.position !== null)
          await passedBy(['bookings', 'guests'], erased.position, context);
        return call.reply(await withChangedBy(erased, context), present, bookingHeaders);
      },
      {
        operator: true,
        params: schema.ANY_BOOKING_PATH,
        response: schema.OPERATE_BOOKING_ANSWER,
        detail: schema.ERASE_GUEST_DETAIL,
      },
    )
    .get(
      '/api/bookings/:booking_id/erasure',
      async ({ params, call }) => call.reply(await readErasure(params.booking_id, context), presentErasure),
      {
        operator: true,
        params: schema.ANY_BOOKING_PATH,
        response: erasure.ERASURE_ANSWER,
        detail: erasure.GET_ERASURE_DETAIL,
      },
    )
    .get(
      '/api/bookings/:booking_id/guest-export',
      async ({ params, call }) =>
        call.reply(await exportGuest(params.booking_id, context), (exported) => presentGuestExport(exported, context)),
      {
        operator: true,
        params: schema.ANY_BOOKING_PATH,
        response: erasure.GUEST_EXPORT_ANSWER,
        detail: erasure.EXPORT_GUEST_DETAIL,
      },
    );
}
