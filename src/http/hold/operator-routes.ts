import { Elysia } from 'elysia';
import { listHolds } from '../../../projections/holds/query.ts';
import type { HoldDocument } from '../../../projections/holds/read-model.ts';
import { releaseHold } from '../../application/hold/release-hold.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import * as schema from './operator-schema.ts';

/** The open holds of all keys, for the operator. */
export function operatorHoldRoutes(context: HttpContext) {
  return new Elysia({ name: 'operator-hold', tags: ['Bookings'] })
    .use(access(context))
    .get(
      '/api/holds',
      async ({ query }) => {
        const page = await listHolds(context.readModels, await context.collection('holds'), {
          activityId: query.activity_id ?? null,
          date: query.date ?? null,
          keyId: query.key ?? null,
          nowMs: context.clock.nowMs(),
          limit: query.limit ?? schema.DEFAULT_LIMIT,
          after: readCursor(query.cursor),
        });
        return success({ items: page.items.map(present), next_cursor: writeCursor(page.next) });
      },
      {
        positioned: 'holds',
        operator: true,
        query: schema.holdsQuery(context),
        response: schema.LIST_HOLDS_ANSWER,
        detail: schema.LIST_HOLDS_DETAIL,
      },
    )
    .post(
      '/api/holds/:id/release',
      async ({ params, call }) => {
        const released = await releaseHold(params.id, 'operator', call.cause, context);
        return call.reply(released, ({ id, kind: status }) => ({ hold_id: id, status }), commandHeaders);
      },
      {
        operator: true,
        params: schema.ANY_HOLD_PATH,
        response: schema.RELEASE_ANY_HOLD_ANSWER,
        detail: schema.RELEASE_ANY_HOLD_DETAIL,
      },
    );
}

function present({ holdId, keyId, mode, activityId, date, guests, expiresAt }: HoldDocument) {
  return {
    hold_id: holdId,
    key_id: keyId,
    mode,
    activity_id: activityId,
    booking_date: date,
    guests,
    expires_at: expiresAt,
  };
}
