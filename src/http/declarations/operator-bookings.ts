import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';
import { pageOf } from '../schemas.ts';
import { BOOKING, EXECUTE_BOOKING, HISTORY } from './bookings.ts';
import { CANCELLATION_QUOTE, CANCELLED, CANCELLED_EXAMPLE } from './cancel-booking.ts';

const OPERATED_BOOKING = Type.Object(
  {
    ...BOOKING.properties,
    city: Type.String(),
    key_id: Type.String({ description: 'The key it was made with.' }),
    guest_erased: Type.Boolean({ description: "Whether the guest's data was erased." }),
  },
  { $id: 'OperatedBooking', description: 'A booking as the operator sees it.' },
);

const OPERATED_BOOKING_WITH_HISTORY = Type.Object(
  { ...OPERATED_BOOKING.properties, history: Type.Optional(HISTORY) },
  { $id: 'OperatedBookingWithHistory', description: 'The same, and where it is asked for what happened to it.' },
);

const EXAMPLE = {
  ...EXECUTE_BOOKING.answer.example,
  city: 'Bangkok',
  key_id: 'key_06gzznzez9qfdm3bzqmg',
  guest_erased: false,
};

const params = { booking_id: 'The `booking_id` of any booking.' };
const answer = { data: OPERATED_BOOKING, example: EXAMPLE, headers: ['x-position', 'etag'] } as const;

export const LIST_ALL_BOOKINGS = {
  by: 'operator',
  least: 'admin',
  id: 'list_all_bookings',
  tag: 'Bookings',
  summary: 'The bookings of all keys, newest first',
  description:
    '`from` and `to` are booking dates, and both belong to the range. `status=pending` lists what venues are to answer.',
  headers: ['x-position'],
  answer: { data: pageOf(OPERATED_BOOKING), example: { items: [EXAMPLE], next_cursor: null } },
  refusals: [],
} as const satisfies Declaration;

export const OPERATOR_BOOKING_BY_ID = {
  by: 'operator',
  least: 'admin',
  id: 'get_any_booking',
  tag: 'Bookings',
  summary: 'Any booking, at its latest',
  description: '`include=history` adds what happened to it, in plain words.',
  params,
  answer: { data: OPERATED_BOOKING_WITH_HISTORY, example: EXAMPLE, headers: ['etag'] },
  refusals: ['BOOKING_NOT_FOUND'],
} as const satisfies Declaration;

export const CONFIRM_REQUESTED = {
  by: 'operator',
  least: 'admin',
  id: 'confirm_booking',
  tag: 'Bookings',
  summary: "The venue's yes to a pending booking",
  description:
    'It becomes `confirmed`: it is charged, its voucher is mailed, and `booking_confirmed` is sent. Repeated, the answer is ' +
    'the same. Send the `ETag` of the booking that the venue was asked about as `If-Match`, and nothing is confirmed that ' +
    'its guests have changed since.',
  params,
  headers: ['if-match'],
  answer,
  refusals: ['BOOKING_NOT_FOUND', 'BOOKING_NOT_MODIFIABLE', 'REVISION_CONFLICT'],
} as const satisfies Declaration;

export const REJECT_REQUESTED = {
  by: 'operator',
  least: 'admin',
  id: 'reject_booking',
  tag: 'Bookings',
  summary: "The venue's no to a pending booking",
  description:
    'It becomes `rejected`, with `ACTIVITY_UNAVAILABLE` (`venue_unavailable`) or `SERVICE_UNAVAILABLE` (`system`) as its ' +
    '`code`: its slots are free again, nothing was charged, and `booking_cancelled` is sent. Repeated, the answer is the same.',
  params,
  answer,
  refusals: ['BOOKING_NOT_FOUND', 'BOOKING_NOT_MODIFIABLE'],
  example: { reason: 'venue_unavailable' },
} as const satisfies Declaration;

export const OPERATOR_CANCEL = {
  by: 'operator',
  least: 'admin',
  id: 'cancel_any_booking',
  tag: 'Bookings',
  summary: 'Cancel any booking',
  description:
    'As the customer can, and for the other reasons too: those refund in full. `user_requested` refunds by the policy. ' +
    'A booking that is cancelled already stays as it was cancelled first. `dry_run: true` answers what would be refunded.',
  params,
  headers: ['idempotency-key', 'if-match'],
  answer: {
    data: Type.Union([CANCELLED, CANCELLATION_QUOTE]),
    example: { ...CANCELLED_EXAMPLE, reason: 'weather', refund_amount: 2400 },
    headers: ['x-position', 'idempotent-replayed', 'etag'],
  },
  refusals: [
    'BOOKING_NOT_FOUND',
    'BOOKING_NOT_CANCELLABLE',
    'REVISION_CONFLICT',
    'IDEMPOTENCY_IN_PROGRESS',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  example: { reason: 'weather' },
} as const satisfies Declaration;

export const ERASE_GUEST = {
  by: 'operator',
  least: 'admin',
  id: 'erase_guest',
  tag: 'Bookings',
  summary: "Erase a guest's data",
  description:
    'Name, mail address and special requests read `[erased]` from this answer on, in payloads of webhooks too, and are ' +
    'removed from the store right after. The booking itself, its voucher and the analytics stay; no mail is sent any more. ' +
    'It cannot be undone. Repeated, the answer is the same.',
  params,
  answer,
  refusals: ['BOOKING_NOT_FOUND', 'BOOKING_NOT_MODIFIABLE'],
} as const satisfies Declaration;
