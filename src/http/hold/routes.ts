import { Elysia } from 'elysia';
import { holdSlots } from '../../application/hold/hold-slots.ts';
import { type HoldView, readHold } from '../../application/hold/read-hold.ts';
import { releaseHold } from '../../application/hold/release-hold.ts';
import { holdStatus } from '../../domain/allotment/state.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { access } from '../access.ts';
import { presentPricing } from '../booking/present.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { dateOf } from '../fields.ts';
import { HELD_ANSWER, HOLD_ANSWER, HOLD_PATH, holdBody, RELEASED_HOLD_ANSWER } from './schema.ts';

export function holdRoutes(context: HttpContext) {
  const { clock, guestLimits } = context;
  const present = ({ id, facts, hold }: HoldView) => ({
    hold_id: id,
    activity_id: facts.activityId,
    booking_date: facts.date,
    num_adults: facts.numAdults,
    num_children: facts.numChildren,
    expires_at: new Date(hold.expiresAtMs).toISOString(),
    pricing: presentPricing(hold.pricing, guestsOf(facts)),
    status: holdStatus(hold, clock.nowMs()),
  });
  return new Elysia({ name: 'hold', tags: ['Bookings'] })
    .use(access(context))
    .post(
      '/api/b2a/holds',
      async ({ body, key, idempotencyKey, call }) => {
        const request = {
          keyId: key.keyId,
          idempotencyKey,
          activityId: body.activity_id,
          date: dateOf(body.booking_date),
          numAdults: body.num_adults,
          numChildren: body.num_children ?? 0,
          contextLogId: body.context_log_id ?? null,
        };
        return call.reply(await holdSlots(request, call.cause, context), present, commandHeaders);
      },
      {
        apiKey: 'execute_booking',
        idempotent: true,
        body: holdBody(guestLimits),
        response: HELD_ANSWER,
        detail: {
          operationId: 'hold',
          summary: 'Hold slots at their present price',
          description: [
            'Until `expires_at` nobody else gets the slots, and the price stays the same. A hold lasts 10 minutes unless the ' +
              'operator has set another time, and never beyond the last entry of the date. Book with `execute_booking` and ' +
              'its `hold_id`, for the same activity, date and guests. Nothing is charged before.',
            'Send an `Idempotency-Key`: the same request with the same key never holds twice. It returns the first hold in ' +
              'its present state, and `Idempotent-Replayed: true`.',
            'Send `context_log_id` if the guests stay at the hotel of the recommendation: they get the rate of the hotel. ' +
              'Send it again when you book.',
          ].join('\n\n'),
        },
      },
    )
    .get(
      '/api/b2a/holds/:hold_id',
      async ({ params, key, call }) => call.reply(await readHold(params.hold_id, key.keyId, context), present),
      {
        apiKey: 'execute_booking',
        params: HOLD_PATH,
        response: HOLD_ANSWER,
        detail: {
          operationId: 'get_hold',
          summary: 'Read a hold',
          description: 'A key sees only the holds that it made.',
        },
      },
    )
    .delete(
      '/api/b2a/holds/:hold_id',
      async ({ params, key, call }) => {
        const released = await releaseHold(params.hold_id, key.keyId, call.cause, context);
        return call.reply(released, ({ id, kind: status }) => ({ hold_id: id, status }), commandHeaders);
      },
      {
        apiKey: 'execute_booking',
        params: HOLD_PATH,
        response: RELEASED_HOLD_ANSWER,
        detail: {
          operationId: 'release_hold',
          summary: 'Release a hold',
          description:
            'The slots are free when the answer arrives. Repeated, or after the end of the hold, the answer is the same; a ' +
            'hold that became a booking is refused: cancel the booking.',
        },
      },
    );
}
