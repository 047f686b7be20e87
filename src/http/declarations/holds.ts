import { Type } from 'typebox';
import { HOLD_STATUSES } from '../../domain/allotment/allotment.ts';
import type { Declaration } from '../endpoint.ts';
import { COUNT, DATE } from '../schemas.ts';
import { PRICING } from './bookings.ts';

const HOLD = Type.Object(
  {
    hold_id: Type.String(),
    activity_id: Type.String(),
    booking_date: DATE,
    num_adults: Type.Integer({ minimum: 1 }),
    num_children: COUNT,
    expires_at: Type.String({ format: 'date-time', description: 'ISO 8601, UTC. At that instant it is too late.' }),
    pricing: PRICING,
    status: Type.Enum([...HOLD_STATUSES], {
      description: '`open` can be used; `used` became a booking; `released` was let go; `expired` is past its end.',
    }),
  },
  { $id: 'Hold', description: 'Slots and a price that are kept for who has not booked yet.' },
);

const EXAMPLE = {
  hold_id: 'hd_06gzznzez9qfdm3bzqmg',
  activity_id: 'bkk-bamboo-bar-jazz',
  booking_date: '2026-11-21',
  num_adults: 2,
  num_children: 0,
  expires_at: '2026-11-21T06:59:59.482Z',
  pricing: { unit_price: 1200, total_guests: 2, subtotal: 2400, discount: 0, total: 2400, currency: 'THB' },
  status: 'open',
};

const PARAMS = { hold_id: 'The `hold_id` of a hold made with this key.' };

export const HOLD_SLOTS = {
  by: 'key',
  permission: 'execute_booking',
  id: 'hold',
  tag: 'Bookings',
  summary: 'Keep slots and price for a while',
  description: [
    'Until `expires_at` nobody else gets the slots, and the price stays what it is, whatever changes meanwhile. That is 10 ' +
      'minutes where the operator has set nothing else, and never beyond the last entry of the date. Book with ' +
      '`execute_booking` and its `hold_id`, for the very activity, date and guests. Nothing is charged before.',
    'Send an `Idempotency-Key`: the same request with the same key never holds twice, and is answered with the first hold ' +
      'as it is now, and `Idempotent-Replayed: true`.',
    'Send `context_log_id` where the guests stay at the hotel that the recommendation was for: the price is that of its ' +
      'guests. Send it again when you book.',
  ].join('\n\n'),
  headers: ['idempotency-key'],
  answer: { data: HOLD, example: EXAMPLE, headers: ['x-position', 'idempotent-replayed'] },
  refusals: [
    'BOOKING_LIMIT_EXCEEDED',
    'ACTIVITY_NOT_FOUND',
    'ACTIVITY_UNAVAILABLE',
    'INVENTORY_EXHAUSTED',
    'IDEMPOTENCY_IN_PROGRESS',
    'IDEMPOTENCY_KEY_REUSED',
    'SERVICE_UNAVAILABLE',
  ],
  example: { activity_id: 'bkk-bamboo-bar-jazz', booking_date: '2026-11-21', num_adults: 2, num_children: 0 },
} as const satisfies Declaration;

export const HOLD_BY_ID = {
  by: 'key',
  permission: 'execute_booking',
  id: 'get_hold',
  tag: 'Bookings',
  summary: 'One hold, at its latest',
  description: 'A key sees only the holds that it made.',
  params: PARAMS,
  answer: { data: HOLD, example: EXAMPLE },
  refusals: ['HOLD_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;

export const RELEASE_HOLD = {
  by: 'key',
  permission: 'execute_booking',
  id: 'release_hold',
  tag: 'Bookings',
  summary: 'Let a hold go',
  description:
    'When it is answered, the slots are free again. Repeated, or after its end, the answer is the same; a hold that became ' +
    'a booking is refused: cancel the booking.',
  params: PARAMS,
  answer: {
    data: Type.Object({ hold_id: Type.String(), status: Type.Literal('released') }, { $id: 'ReleasedHold' }),
    example: { hold_id: EXAMPLE.hold_id, status: 'released' },
    headers: ['x-position'],
  },
  refusals: ['HOLD_NOT_FOUND', 'HOLD_USED', 'SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;
