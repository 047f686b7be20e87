import { Type } from 'typebox';
import { CANCELLATION_REASONS } from '../../domain/booking/booking.ts';
import type { Declaration } from '../endpoint.ts';
import { HISTORY_EVENTS } from '../present-history.ts';
import { COUNT, CURRENCY, DATE, nullable, oneOf, pageOf, TIMESTAMP } from '../schemas.ts';

export const BOOKING_STATUSES = ['processing', 'pending', 'confirmed', 'rejected', 'cancelled', 'completed'] as const;

export const PRICING = Type.Object(
  {
    unit_price: Type.Number({ description: 'Per person, before the discount.' }),
    total_guests: Type.Integer({ minimum: 1, description: 'Adults and children.' }),
    subtotal: Type.Number({ description: '`unit_price` for all guests.' }),
    discount: Type.Number({ minimum: 0 }),
    total: Type.Number({ description: 'What is charged.' }),
    currency: CURRENCY,
  },
  { $id: 'Pricing', description: "Amounts in the currency's own precision." },
);

const VOUCHER = Type.Object(
  {
    code: Type.String({ description: 'A secret: whoever has it may use the voucher.' }),
    qr_url: Type.String({ format: 'uri', description: 'The QR code as a PNG image.' }),
    valid_until: TIMESTAMP,
  },
  { $id: 'Voucher' },
);

const REFUND_STATUSES = ['processed', 'pending', 'none'] as const;

/** What a cancellation gives back. */
export const REFUND = {
  refund_status: oneOf(REFUND_STATUSES),
  refund_amount: Type.Number({ minimum: 0 }),
  currency: CURRENCY,
};

const CANCELLATION = Type.Object(
  { cancelled_at: TIMESTAMP, reason: oneOf(CANCELLATION_REASONS), ...REFUND },
  { $id: 'Cancellation' },
);

export const BOOKING = Type.Object(
  {
    booking_id: Type.String(),
    status: oneOf(BOOKING_STATUSES),
    voucher: nullable(VOUCHER),
    activity: Type.Object({
      id: Type.String(),
      title: Type.String(),
      location: Type.String({ description: "The venue's address." }),
      check_in_instructions: Type.String(),
      venue_id: Type.String(),
    }),
    pricing: PRICING,
    email_sent: Type.Boolean({
      description: 'Whether the voucher was mailed: a mail server, or the outbox, has taken it.',
    }),
    email_sent_at: nullable(TIMESTAMP),
    booking_date: DATE,
    num_adults: Type.Integer({ minimum: 1 }),
    num_children: COUNT,
    user_name: Type.String(),
    user_email: Type.String(),
    special_requests: nullable(Type.String()),
    webhook_url: nullable(Type.String()),
    context_log_id: nullable(Type.String({ description: 'The recommendation that led here.' })),
    created_at: TIMESTAMP,
    code: nullable(Type.String({ description: 'Why a `rejected` booking never came to be: an error code.' })),
    cancellation: nullable(CANCELLATION),
  },
  { $id: 'Booking', description: 'Titles and instructions are in the language of the booking.' },
);

export const HISTORY = Type.Array(
  Type.Object({
    at: TIMESTAMP,
    event: oneOf(HISTORY_EVENTS),
    text: Type.String({ description: 'One sentence, in English.' }),
    by: oneOf(['user', 'operator', 'venue', 'system']),
  }),
  { description: 'What happened to the booking, oldest first. Only where `include=history` asks for it.' },
);

const BOOKING_WITH_HISTORY = Type.Object(
  { ...BOOKING.properties, history: Type.Optional(HISTORY) },
  { $id: 'BookingWithHistory', description: 'A booking, and where it is asked for what happened to it.' },
);

export const QUOTE = Type.Object(
  {
    dry_run: Type.Literal(true),
    available: Type.Boolean({ description: 'Whether there is room for all guests now.' }),
    available_slots: COUNT,
    pricing: PRICING,
    confirmation: oneOf(['instant', 'on_request']),
    cancellation_policy: Type.Object({
      free_until: Type.String({
        format: 'date-time',
        description: 'Until then cancelling costs nothing; it may have passed already.',
      }),
      percent_kept: Type.Integer({ minimum: 0, maximum: 100, description: 'Of the price, from then on.' }),
    }),
  },
  { $id: 'Quote', description: 'The answer to `dry_run: true`. Nothing was written.' },
);

/** A booking as it is answered. */
export const BOOKING_EXAMPLE = {
  booking_id: 'bk_h76cfakt2c43vdqm2ryg',
  status: 'confirmed',
  voucher: {
    code: 'WM-H76CFAKT2C43VDQM2RYG-VOUCHERSECRET',
    qr_url: 'https://waymark.example/api/vouchers/WM-H76CFAKT2C43VDQM2RYG-VOUCHERSECRET/qr.png',
    valid_until: '2026-11-21T18:00:00.000Z',
  },
  activity: {
    id: 'bkk-bamboo-bar-jazz',
    title: 'Live jazz and two cocktails at The Bamboo Bar',
    location: 'Mandarin Oriental Bangkok, 48 Oriental Avenue, Bang Rak, Bangkok 10500',
    check_in_instructions: "Show the voucher's QR code to the host at the door of The Bamboo Bar, off the lobby.",
    venue_id: 'bkk-bamboo-bar',
  },
  pricing: { unit_price: 1200, total_guests: 2, subtotal: 2400, discount: 0, total: 2400, currency: 'THB' },
  email_sent: true,
  email_sent_at: '2026-11-21T06:49:59.604Z',
  booking_date: '2026-11-21',
  num_adults: 2,
  num_children: 0,
  user_name: 'Ada Lovelace',
  user_email: 'ada@example.com',
  special_requests: null,
  webhook_url: null,
  context_log_id: 'rec_06gzznzez9qfdm3bzqmg',
  created_at: '2026-11-21T06:49:59.482Z',
  code: null,
  cancellation: null,
};

export const EXECUTE_BOOKING = {
  by: 'key',
  permission: 'execute_booking',
  id: 'execute_booking',
  tag: 'Bookings',
  summary: 'Book an activity',
  description: [
    'Bookings are real and charged. When it is answered as `confirmed`, slots, booking, charge and voucher are durable.',
    'Send an `Idempotency-Key`: the same request with the same key never books twice, and is answered with the first ' +
      'booking and `Idempotent-Replayed: true`.',
    'A booking that is not done by the response deadline is answered as `processing`, without a voucher and not charged yet. It ' +
      'comes to its end by itself, `confirmed` or `rejected`: ask for it again, or wait for the webhook.',
    'The voucher is mailed to `user_email`. The answer waits for that a moment; where it takes longer, `email_sent` is false ' +
      'and it goes on: ask for the booking again.',
    'Send the `log_id` of the recommendation that led here as `context_log_id`; where it is not known to this key, the ' +
      'request is refused with `INVALID_REQUEST`.',
    'Send the `hold_id` of a hold to book its slots at its price, for the very activity, date and guests that were held.',
    '`dry_run: true` answers the price and whether there is room, and books nothing.',
    'An activity with `confirmation: on_request` is `pending` until its venue has answered: its slots are kept, `voucher` is ' +
      'null, and nothing is charged before it is `confirmed`. Where the venue declines it is `rejected`, and `code` says why.',
  ].join('\n\n'),
  headers: ['idempotency-key', 'accept-language'],
  answer: {
    data: Type.Union([BOOKING, QUOTE]),
    example: BOOKING_EXAMPLE,
    headers: ['x-position', 'idempotent-replayed', 'etag'],
  },
  refusals: [
    'BOOKING_LIMIT_EXCEEDED',
    'HOLD_NOT_FOUND',
    'ACTIVITY_NOT_FOUND',
    'ACTIVITY_UNAVAILABLE',
    'INVENTORY_EXHAUSTED',
    'HOLD_USED',
    'HOLD_EXPIRED',
    'IDEMPOTENCY_IN_PROGRESS',
    'IDEMPOTENCY_KEY_REUSED',
    'SERVICE_UNAVAILABLE',
  ],
  example: {
    activity_id: 'bkk-bamboo-bar-jazz',
    user_email: 'ada@example.com',
    user_name: 'Ada Lovelace',
    booking_date: '2026-11-21',
    num_adults: 2,
    num_children: 0,
    special_requests: 'A table by the window, if there is one.',
  },
} as const satisfies Declaration;

export const BOOKING_BY_ID = {
  by: 'key',
  permission: 'execute_booking',
  id: 'get_booking',
  tag: 'Bookings',
  summary: 'One booking, at its latest',
  description:
    'A key sees only the bookings that it made. `include=history` adds what happened to it, in plain words. While a booking is ' +
    '`processing`, ask again after a second.',
  params: { booking_id: 'The `booking_id` of a booking made with this key.' },
  answer: { data: BOOKING_WITH_HISTORY, example: BOOKING_EXAMPLE, headers: ['etag'] },
  refusals: ['BOOKING_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;

export const LIST_BOOKINGS = {
  by: 'key',
  permission: 'execute_booking',
  id: 'list_bookings',
  tag: 'Bookings',
  summary: "The key's bookings, newest first",
  description:
    '`from` and `to` are booking dates, and both belong to the range. Follows bookings within moments; sees your own at ' +
    "once where you send that answer's `X-Position` back.",
  headers: ['x-position'],
  answer: { data: pageOf(BOOKING), example: { items: [BOOKING_EXAMPLE], next_cursor: null } },
  refusals: ['SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;
