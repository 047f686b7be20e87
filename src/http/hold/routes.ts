import { Elysia } from 'elysia';
import { holdSlots } from '../../application/hold/hold-slots.ts';
import { type HoldView, readHold } from '../../application/hold/read-hold.ts';
import { releaseHold } from '../../application/hold/release-hold.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import { holdStatus } from '../../domain/allotment/state.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { modeOf } from '../../domain/ids.ts';
import { access } from '../access.ts';
import { presentPricing } from '../booking/present.ts';
import { presentPolicy } from '../cancellation-policy.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { dateOf } from '../fields.ts';
import * as schema from './schema.ts';

export function holdRoutes(context: HttpContext) {
  const { clock } = context;
  const present = ({ id, facts, hold, cancellation }: HoldView, language: Language | null) => ({
    hold_id: id,
    mode: modeOf(id),
    activity_id: facts.activityId,
    booking_date: facts.date,
    num_adults: facts.numAdults,
    num_children: facts.numChildren,
    expires_at: new Date(hold.expiresAtMs).toISOString(),
    pricing: presentPricing(hold.pricing, guestsOf(facts)),
    status: holdStatus(hold, clock.nowMs()),
    cancellation_policy: presentPolicy(cancellation, language ?? 'en'),
  });
  return new Elysia({ name: 'hold', tags: ['Bookings'] })
    .use(access(context))
    .post(
      '/api/b2a/holds',
      async ({ body, key, idempotencyKey, language, call }) => {
        const request = {
          keyId: key.keyId,
          mode: key.mode,
          idempotencyKey,
          activityId: body.activity_id,
          date: dateOf(body.booking_date),
          numAdults: body.num_adults,
          numChildren: body.num_children ?? 0,
          contextLogId: body.context_log_id ?? null,
        };
        const held = await holdSlots(request, call.cause, context);
        return call.reply(held, (hold) => present(hold, language), commandHeaders);
      },
      {
        apiKey: 'execute_booking',
        idempotent: true,
        language: true,
        body: schema.holdBody(context),
        response: schema.HELD_ANSWER,
        detail: schema.HOLD_DETAIL,
      },
    )
    .get(
      '/api/b2a/holds/:hold_id',
      async ({ params, key, language, call }) =>
        call.reply(await readHold(params.hold_id, key.keyId, context), (hold) => present(hold, language)),
      {
        apiKey: 'execute_booking',
        language: true,
        params: schema.HOLD_PATH,
        response: schema.HOLD_ANSWER,
        detail: schema.GET_HOLD_DETAIL,
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
        params: schema.HOLD_PATH,
        response: schema.RELEASED_HOLD_ANSWER,
        detail: schema.RELEASE_HOLD_DETAIL,
      },
    );
}
