import { Elysia } from 'elysia';
import { cancelDate, quoteDateCancellation, readDateCancellation } from '../../application/allotment/cancel-date.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './cancellation-schema.ts';
import { presentDateCancellation, presentDateQuote } from './present-cancellation.ts';
import { dateOfPath } from './routes.ts';

/** An operator cancels all bookings of a date. */
export function dateCancellationRoutes(context: HttpContext) {
  return new Elysia({ name: 'date-cancellation', tags: ['Inventory'] })
    .use(access(context))
    .get(
      '/api/activities/:activity_id/allotments/:date/cancel',
      async ({ params, call }) => {
        const date = dateOfPath(params, context);
        if (typeof date !== 'string') return call.refuse(date);
        return call.reply(await readDateCancellation(params.activity_id, date, context), presentDateCancellation);
      },
      {
        operator: true,
        params: schema.CANCEL_DATE_PATH,
        response: schema.DATE_CANCELLATION_ANSWER,
        detail: schema.GET_DATE_CANCELLATION_DETAIL,
      },
    )
    .post(
      '/api/activities/:activity_id/allotments/:date/cancel',
      async ({ params, body, idempotencyKey, call }) => {
        const date = dateOfPath(params, context);
        if (typeof date !== 'string') return call.refuse(date);
        const request = { activityId: params.activity_id, date, reason: body.reason ?? 'weather' } as const;
        if (body.dry_run === true) return call.reply(await quoteDateCancellation(request, context), presentDateQuote);
        const cancelled = await cancelDate({ ...request, idempotencyKey }, call.cause, context);
        return call.reply(cancelled, presentDateCancellation, commandHeaders);
      },
      {
        idempotent: true,
        // A dry run reads the bookings.
        positioned: 'bookings',
        operator: true,
        params: schema.CANCEL_DATE_PATH,
        body: schema.CANCEL_DATE_BODY,
        response: schema.CANCEL_DATE_ANSWER,
        detail: schema.CANCEL_DATE_DETAIL,
      },
    );
}
