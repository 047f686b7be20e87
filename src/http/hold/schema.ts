import { Type } from 'typebox';
import { HOLD_STATUSES } from '../../domain/allotment/state.ts';
import { COUNT, DATE, MODE } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { PRICING } from '../booking/schema.ts';
import { CANCELLATION_POLICY, POLICY_EXAMPLE } from '../cancellation-policy.ts';
import type { HttpContext } from '../context.ts';
import { cityOfActivity, exactDate } from '../dates.ts';
import * as field from '../fields.ts';
import { body, path } from '../schema.ts';

const HOLD = Type.Object(
  {
    hold_id: Type.String(),
    mode: MODE,
    activity_id: Type.String(),
    booking_date: DATE,
    num_adults: Type.Integer({ minimum: 1 }),
    num_children: COUNT,
    expires_at: Type.String({
      format: 'date-time',
      description: 'ISO 8601, UTC. The hold has expired at this instant.',
    }),
    pricing: PRICING,
    status: Type.Enum([...HOLD_STATUSES], {
      description: '`open` can be used; `used` became a booking; `released` was given up; `expired` reached its end.',
    }),
    cancellation_policy: CANCELLATION_POLICY,
  },
  { $id: 'Hold', description: 'Slots and a price that are reserved for a later booking.' },
);

const EXAMPLE = {
  hold_id: 'hd_06gzznzez9qfdm3bzqmg',
  mode: 'live' as const,
  activity_id: 'bkk-bamboo-bar-jazz',
  booking_date: '2026-12-05',
  num_adults: 2,
  num_children: 0,
  expires_at: '2026-11-22T06:59:59.482Z',
  pricing: { unit_price: 1200, total_guests: 2, subtotal: 2400, discount: 0, total: 2400, currency: 'THB' },
  status: 'open' as const,
  cancellation_policy: POLICY_EXAMPLE,
};

export const HOLD_PATH = path({ hold_id: 'The `hold_id` of a hold made with this key.' });

/** The booking fields that define what is booked. */
export function holdBody(context: HttpContext) {
  const limits = context.guestLimits;
  const fields = {
    activity_id: field.activityId,
    booking_date: exactDate('booking_date', cityOfActivity(context), context),
    num_adults: field.numAdults(limits),
    num_children: field.numChildren(limits),
    context_log_id: field.contextLogId,
  };
  return body(Type.Object(fields, { examples: [REQUEST] }), { num_children: field.partyRule(limits) });
}

const REQUEST = { activity_id: 'bkk-bamboo-bar-jazz', booking_date: '2026-12-05', num_adults: 2, num_children: 0 };

export const HELD_ANSWER = answers(
  HOLD,
  EXAMPLE,
  [
    'BOOKING_LIMIT_EXCEEDED',
    'ACTIVITY_NOT_FOUND',
    'ACTIVITY_UNAVAILABLE',
    'INVENTORY_EXHAUSTED',
    'EXPOSURE_LIMIT',
    'HOLD_EXPIRED',
    'IDEMPOTENCY_IN_PROGRESS',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  ['x-position', 'idempotent-replayed'],
);

export const HOLD_ANSWER = answers(HOLD, EXAMPLE, ['HOLD_NOT_FOUND']);

export const RELEASED_HOLD_ANSWER = answers(
  Type.Object({ hold_id: Type.String(), status: Type.Literal('released') }, { $id: 'ReleasedHold' }),
  { hold_id: EXAMPLE.hold_id, status: 'released' },
  ['HOLD_NOT_FOUND', 'HOLD_USED'],
  ['x-position'],
);

export const HOLD_DETAIL = {
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
};

export const GET_HOLD_DETAIL = {
  operationId: 'get_hold',
  summary: 'Read a hold',
  description: 'A key sees only the holds that it made.',
};

export const RELEASE_HOLD_DETAIL = {
  operationId: 'release_hold',
  summary: 'Release a hold',
  description:
    'The slots are free when the answer arrives. Repeated, or after the end of the hold, the answer is the same; a ' +
    'hold that became a booking is refused: cancel the booking.',
};
