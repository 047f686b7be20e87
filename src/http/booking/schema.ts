import { Type } from 'typebox';
import { CHANGED_PRICING } from '../../webhooks/event-contracts.ts';
import {
  BOOKING_STATUS,
  CANCELLATION_REASON,
  COUNT,
  CURRENCY,
  DATE,
  MODE,
  nullable,
  oneOf,
  pageOf,
  TIMESTAMP,
} from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { CANCELLATION_POLICY, POLICY_EXAMPLE } from '../cancellation-policy.ts';
import type { HttpContext } from '../context.ts';
import { anyExactDate, cityOfActivity, exactDate, noCity } from '../dates.ts';
import * as field from '../fields.ts';
import { body, path, query } from '../schema.ts';
import { METADATA, metadata } from './metadata.ts';
import { HISTORY } from './present-history.ts';

export const PRICING = Type.Object(
  {
    unit_price: Type.Number({
      description: 'Per person, before the discount; of the first line if there are `lines`.',
    }),
    total_guests: Type.Integer({ minimum: 1, description: 'Adults and children.' }),
    subtotal: Type.Number({ description: 'For all guests, before the discount.' }),
    discount: Type.Number({ minimum: 0 }),
    total: Type.Number({ description: 'What is charged.' }),
    currency: CURRENCY,
    ...CHANGED_PRICING,
  },
  { $id: 'Pricing', description: "Amounts in the currency's own precision." },
);

const VISIT = Type.Object(
  {
    verified_at: TIMESTAMP,
    disputed: Type.Boolean({ description: 'Refunded in full: reports and rankings leave it out.' }),
  },
  { $id: 'BookingVisit' },
);

const VOIDED_VISIT = Type.Object(
  { verified_at: TIMESTAMP, voided_at: TIMESTAMP },
  { $id: 'VoidedVisit', description: 'The last visit that the operator took back.' },
);

const VOUCHER = Type.Object(
  {
    code: Type.String({ description: 'A secret: anybody who has it can use the voucher.' }),
    short_code: Type.String({ description: 'For staff who type: only the gates of the venue accept it.' }),
    url: Type.String({ format: 'uri', description: 'The page to show or print.' }),
    qr_url: Type.String({ format: 'uri', description: 'The QR code as a PNG image.' }),
    valid_until: TIMESTAMP,
    mode: MODE,
  },
  { $id: 'Voucher' },
);

export const CANCELLATION = Type.Object(
  {
    cancelled_at: TIMESTAMP,
    reason: CANCELLATION_REASON,
    refund_status: oneOf(['processed', 'pending', 'none']),
    refund_amount: Type.Number({ minimum: 0 }),
    currency: CURRENCY,
  },
  { $id: 'Cancellation' },
);

const BOOKED_ACTIVITY = Type.Object(
  {
    id: Type.String(),
    title: Type.String(),
    location: Type.String({ description: "The venue's address." }),
    check_in_instructions: Type.String(),
    venue_id: Type.String(),
  },
  { $id: 'BookedActivity' },
);

export const BOOKING = Type.Object(
  {
    booking_id: Type.String(),
    mode: MODE,
    status: BOOKING_STATUS,
    voucher: nullable(VOUCHER),
    activity: BOOKED_ACTIVITY,
    pricing: PRICING,
    email_sent: Type.Boolean({
      description: 'Whether the voucher was mailed: a mail server, or the outbox, has accepted it.',
    }),
    email_reason: Type.Optional(
      oneOf(['TEST_MODE', 'MAIL_LIMIT'], {
        description:
          '`TEST_MODE`: the test key has no `contact_email`. `MAIL_LIMIT`: only the first mail of a booking is sent later.',
      }),
    ),
    email_sent_at: nullable(TIMESTAMP),
    booking_date: DATE,
    num_adults: Type.Integer({ minimum: 1 }),
    num_children: COUNT,
    user_name: Type.String(),
    user_email: Type.String(),
    special_requests: nullable(Type.String()),
    webhook_url: nullable(Type.String()),
    context_log_id: nullable(Type.String({ description: 'The recommendation that led here.' })),
    reference: nullable(Type.String()),
    metadata: METADATA,
    created_at: TIMESTAMP,
    code: nullable(Type.String({ description: 'Why the booking is `rejected`: an error code.' })),
    cancellation: nullable(CANCELLATION),
    visit: nullable(VISIT),
    voided_visit: nullable(VOIDED_VISIT),
    cancellation_policy: CANCELLATION_POLICY,
    history: Type.Optional(HISTORY),
  },
  { $id: 'Booking', description: 'Titles and instructions are in the language of the booking.' },
);

export const QUOTE = Type.Object(
  {
    dry_run: Type.Literal(true),
    available: Type.Boolean({ description: 'Whether enough slots for all guests are free now.' }),
    available_slots: COUNT,
    pricing: PRICING,
    confirmation: oneOf(['instant', 'on_request']),
    cancellation_policy: Type.Object({
      free_until: Type.String({
        format: 'date-time',
        description: 'Until then cancelling costs nothing; may be in the past.',
      }),
      ...CANCELLATION_POLICY.properties,
    }),
  },
  { $id: 'Quote', description: 'The answer to `dry_run: true`. Nothing was written.' },
);

export const BOOKING_EXAMPLE = {
  booking_id: 'bk_h76cfakt2c43vdqm2ryg',
  mode: 'live' as const,
  status: 'confirmed' as const,
  voucher: {
    code: 'WM-H76CFAKT2C43VDQM2RYG-VOUCHERSECRET',
    short_code: 'CHERSECRET',
    url: 'https://waymark.example/api/vouchers/WM-H76CFAKT2C43VDQM2RYG-VOUCHERSECRET',
    qr_url: 'https://waymark.example/api/vouchers/WM-H76CFAKT2C43VDQM2RYG-VOUCHERSECRET/qr.png',
    valid_until: '2026-12-05T18:00:00.000Z',
    mode: 'live' as const,
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
  booking_date: '2026-12-05',
  num_adults: 2,
  num_children: 0,
  user_name: 'Ada Lovelace',
  user_email: 'ada@example.com',
  special_requests: null,
  webhook_url: null,
  context_log_id: 'rec_06gzznzez9qfdm3bzqmg',
  reference: 'trip-42',
  metadata: { room: '1204' },
  created_at: '2026-11-21T06:49:59.482Z',
  code: null,
  cancellation: null,
  visit: null,
  voided_visit: null,
  cancellation_policy: POLICY_EXAMPLE,
};

export const BOOKING_PATH = path({ booking_id: 'The `booking_id` of a booking made with this key.' });

export function bookingBody(context: HttpContext) {
  const { guestLimits, production } = context;
  const fields = {
    activity_id: field.activityId,
    user_email: field.userEmail,
    user_name: field.userName,
    booking_date: exactDate('booking_date', cityOfActivity(context), context),
    num_adults: field.numAdults(guestLimits),
    num_children: field.numChildren(guestLimits),
    context_log_id: field.contextLogId,
    special_requests: field.specialRequests,
    webhook_url: field.webhookUrl(production),
    hold_id: field.holdId,
    expected_total: field.expectedTotal,
    reference: field.reference,
    metadata,
    dry_run: field.dryRun,
  };
  return body(Type.Object(fields, { examples: [REQUEST] }), { num_children: field.partyRule(guestLimits) });
}

const REQUEST = {
  activity_id: 'bkk-bamboo-bar-jazz',
  user_email: 'ada@example.com',
  user_name: 'Ada Lovelace',
  booking_date: '2026-12-05',
  num_adults: 2,
  num_children: 0,
  special_requests: 'A table by the window, if there is one.',
};

export const EXECUTE_BOOKING_ANSWER = answers(
  Type.Union([BOOKING, QUOTE], { $id: 'BookingOrQuote' }),
  BOOKING_EXAMPLE,
  [
    'BOOKING_LIMIT_EXCEEDED',
    'HOLD_NOT_FOUND',
    'ACTIVITY_NOT_FOUND',
    'ACTIVITY_UNAVAILABLE',
    'INVENTORY_EXHAUSTED',
    'PRICE_CHANGED',
    'SPENDING_LIMIT',
    'EXPOSURE_LIMIT',
    'HOLD_USED',
    'HOLD_EXPIRED',
    'IDEMPOTENCY_IN_PROGRESS',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  ['x-position', 'idempotent-replayed', 'etag'],
);

export const BOOKING_QUERY = query(Type.Object({ include: field.include }));

export const BOOKING_BY_ID_ANSWER = answers(BOOKING, BOOKING_EXAMPLE, ['BOOKING_NOT_FOUND'], ['etag']);

export const DEFAULT_LIMIT = 20;

export const listQuery = (context: HttpContext) =>
  query(
    Type.Object({
      status: field.bookingStatus,
      from: anyExactDate('from', noCity, context),
      to: anyExactDate('to', noCity, context),
      reference: field.anyReference,
      limit: field.limit(100, DEFAULT_LIMIT),
      cursor: field.cursor,
    }),
    field.rangeRules,
  );

export const LIST_BOOKINGS_ANSWER = answers(pageOf(BOOKING), { items: [BOOKING_EXAMPLE], next_cursor: null }, []);

export const EXECUTE_BOOKING_DETAIL = {
  operationId: 'execute_booking',
  summary: 'Book an activity',
  description: [
    'Bookings are real and charged. When the answer says `confirmed`, slots, booking, charge and voucher are durable.',
    'Send an `Idempotency-Key`: the same request with the same key never books twice. It returns the first booking, ' +
      'and `Idempotent-Replayed: true`.',
    'A booking that is not finished by the response deadline is returned as `processing`, without a voucher and ' +
      'not yet charged. It becomes `confirmed` or `rejected` without another request: read it again, or wait for ' +
      'the webhook.',
    'A key of mode `test` books test capacity: nothing is charged or counted, and its mails go to the ' +
      '`contact_email` of the key.',
    'The voucher is mailed to `user_email`. The answer waits for the mail server for a moment; if that takes ' +
      'longer, `email_sent` is false and the mail is sent later: read the booking again.',
    'Send the `log_id` of the recommendation that led to the booking as `context_log_id`. A `log_id` that does not ' +
      'belong to this key is refused with `INVALID_REQUEST`.',
    'Send the `hold_id` of a hold to book its slots at its price, for the same activity, date and guests.',
    'Send the total that the user agreed to as `expected_total`: if the present total differs, also in a `dry_run`, the ' +
      'answer is `PRICE_CHANGED` with the present total in `alternatives`, and nothing is booked.',
    '`reference` and `metadata` are your own data: the booking and its webhooks return them, and lists filter by ' +
      '`reference`. They are erased with the guest’s data.',
    '`dry_run: true` returns the price and whether enough slots are free, and books nothing.',
    'An activity with `confirmation: on_request` is `pending` until its venue has answered: its slots are reserved, ' +
      '`voucher` is null, and nothing is charged before it is `confirmed`. If the venue declines, it is ' +
      '`rejected`, and `code` says why.',
  ].join('\n\n'),
};

export const LIST_BOOKINGS_DETAIL = {
  operationId: 'list_bookings',
  summary: "The key's bookings, newest first",
  description: '`from` and `to` are booking dates; the range includes both. The list follows bookings within moments.',
};

export const GET_BOOKING_DETAIL = {
  operationId: 'get_booking',
  summary: 'Read a booking',
  description:
    'A key sees only the bookings that it made. `include=history` adds the history of the booking. While a booking ' +
    'is `processing`, read it again after a second.',
};
