import { Type } from 'typebox';
import { CANCELLATION_REASONS } from '../../domain/booking/events.ts';
import { type GuestSearch, guestSearch, MIN_DENSE_SEARCH, MIN_SEARCH } from '../../domain/guest/search.ts';
import { MODES } from '../../domain/ids.ts';
import { CANCELLATION_REASON, extended, nullable, pageOf } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { anyExactDate, noCity } from '../dates.ts';
import * as field from '../fields.ts';
import { mailAddressOf } from '../mail-address.ts';
import { body, optional, path, query, required } from '../schema.ts';
import { CANCELLATION_QUOTE, CANCELLED, CANCELLED_EXAMPLE } from './change-schema.ts';
import { BOOKING, BOOKING_EXAMPLE, DEFAULT_LIMIT } from './schema.ts';

/** Others see `operator` for every operator, in histories and webhooks. */
const WHO = "`user`, `venue`, `system`, or an operator's id";
const CANCELLED_BY = nullable(Type.String({ description: `Who cancelled or rejected it: ${WHO}.` }));

const OPERATED_BOOKING = extended(
  BOOKING,
  {
    city: Type.String(),
    key_id: Type.String({ description: 'The key that made the booking.' }),
    guest_erased: Type.Boolean({ description: "Whether the guest's data was erased." }),
    cancelled_by: CANCELLED_BY,
    modified_by: nullable(Type.String({ description: `Who changed it last: ${WHO}.` })),
  },
  {
    $id: 'OperatedBooking',
    description:
      'A booking as an operator sees it. A `viewer` reads `[hidden]` for the guest, `reference` and voucher code; `metadata` is empty.',
  },
);

const EXAMPLE = {
  ...BOOKING_EXAMPLE,
  city: 'Bangkok',
  key_id: 'key_06gzznzez9qfdm3bzqmg',
  guest_erased: false,
  cancelled_by: null,
  modified_by: null,
};

export const ANY_BOOKING_PATH = path({ booking_id: 'The `booking_id` of any booking.' });

const anyGuest = optional(
  Type.Refine(Type.String({ maxLength: 254 }), (text) => searchOf(text) !== null),
  `beginnings of a guest's names, or of a mail address, of at least ${MIN_SEARCH} characters (${MIN_DENSE_SEARCH} Chinese, Japanese or Korean ones)`,
);

/** Null if the text is too short. An address is searched for as it is stored. */
export function searchOf(text: string): GuestSearch | null {
  return guestSearch(mailAddressOf(text.trim()) ?? text);
}

export const listAllQuery = (context: HttpContext) =>
  query(
    Type.Object({
      status: field.bookingStatus,
      from: anyExactDate('from', noCity, context),
      to: anyExactDate('to', noCity, context),
      city: field.cityName,
      activity_id: field.anyActivityId,
      reference: field.anyReference,
      guest: anyGuest,
      key_id: optional(Type.String({ minLength: 1, maxLength: 80 }), 'the id of an API key'),
      mode: field.choice(MODES),
      limit: field.limit(100, DEFAULT_LIMIT),
      cursor: field.cursor,
    }),
    field.rangeRules,
  );

export const LIST_ALL_BOOKINGS_ANSWER = answers(pageOf(OPERATED_BOOKING), { items: [EXAMPLE], next_cursor: null }, []);

export const ANY_BOOKING_ANSWER = answers(OPERATED_BOOKING, EXAMPLE, ['BOOKING_NOT_FOUND'], ['etag']);

export const CONFIRM_BOOKING_ANSWER = answers(
  OPERATED_BOOKING,
  EXAMPLE,
  ['BOOKING_NOT_FOUND', 'BOOKING_NOT_MODIFIABLE', 'REVISION_CONFLICT'],
  ['x-position', 'etag'],
);

export const REJECTION_BODY = body(
  Type.Object(
    { reason: field.choice(['venue_unavailable', 'system'], { default: 'venue_unavailable' }) },
    { examples: [{ reason: 'venue_unavailable' }] },
  ),
);

/** The answer to a rejection, and to the erasure of a guest. */
export const OPERATE_BOOKING_ANSWER = answers(
  OPERATED_BOOKING,
  EXAMPLE,
  ['BOOKING_NOT_FOUND', 'BOOKING_NOT_MODIFIABLE'],
  ['x-position', 'etag'],
);

export const ANY_CANCELLATION_BODY = body(
  Type.Object(
    {
      reason: required(CANCELLATION_REASON, `one of ${CANCELLATION_REASONS.join(', ')}`),
      dry_run: field.dryRun,
    },
    { examples: [{ reason: 'weather' }] },
  ),
);

export const CANCEL_ANY_BOOKING_ANSWER = answers(
  Type.Union([extended(CANCELLED, { cancelled_by: CANCELLED_BY }, { $id: 'OperatedCancelled' }), CANCELLATION_QUOTE], {
    $id: 'OperatedCancelledOrQuote',
  }),
  { ...CANCELLED_EXAMPLE, reason: 'weather' as const, refund_amount: 2400, cancelled_by: 'op_3f0d9a52c1b84e67' },
  [
    'BOOKING_NOT_FOUND',
    'BOOKING_NOT_CANCELLABLE',
    'REVISION_CONFLICT',
    'IDEMPOTENCY_IN_PROGRESS',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  ['x-position', 'idempotent-replayed', 'etag'],
);

export const LIST_ALL_BOOKINGS_DETAIL = {
  operationId: 'list_all_bookings',
  summary: 'The bookings of all keys, newest first',
  description:
    '`from` and `to` are booking dates; the range includes both. `status=pending` lists the bookings that wait for ' +
    'the answer of a venue; `mode=live` leaves out test bookings. `guest` finds each word at the beginning of a name, ' +
    'whatever case and accents, or a mail address by its beginning; its order is that in which the data of the guests ' +
    'was recorded or changed. A `viewer` cannot filter by `guest` or `reference`.',
};

export const GET_ANY_BOOKING_DETAIL = {
  operationId: 'get_any_booking',
  summary: 'Read any booking',
  description: '`include=history` adds the history of the booking.',
};

export const CONFIRM_BOOKING_DETAIL = {
  operationId: 'confirm_booking',
  summary: 'Confirm a pending booking',
  description:
    'The booking becomes `confirmed`: it is charged, its voucher is mailed, and `booking_confirmed` is sent. ' +
    'Repeated, the answer is the same. Send the `ETag` of the booking that the venue has agreed to as `If-Match`: ' +
    'a booking that its guests have changed since is not confirmed.',
};

export const REJECT_BOOKING_DETAIL = {
  operationId: 'reject_booking',
  summary: 'Reject a pending booking',
  description:
    'The booking becomes `rejected`, with `ACTIVITY_UNAVAILABLE` (`venue_unavailable`) or `SERVICE_UNAVAILABLE` ' +
    '(`system`) as its `code`: its slots are free again, nothing was charged, and `booking_cancelled` is sent. ' +
    'Repeated, the answer is the same.',
};

export const CANCEL_ANY_BOOKING_DETAIL = {
  operationId: 'cancel_any_booking',
  summary: 'Cancel any booking',
  description:
    'As `cancel_booking`, with further reasons, which refund in full; `user_requested` refunds by the policy. A ' +
    'booking that is already cancelled does not change. `dry_run: true` returns what would be refunded.',
};

export const ERASE_GUEST_DETAIL = {
  operationId: 'erase_guest',
  summary: "Erase a guest's data",
  description:
    'From this answer on, name and mail address read `[erased]`, and special requests, `reference` and `metadata` are ' +
    'empty, in payloads of webhooks too. They are removed from the store right after. The booking, its voucher and the ' +
    'analytics stay; no more mail is sent. It cannot be undone. Repeated, the answer is the same.',
};
