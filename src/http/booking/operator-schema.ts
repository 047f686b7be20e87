import { Type } from 'typebox';
import { CANCELLATION_REASONS } from '../../domain/booking/events.ts';
import { codeStart } from '../../domain/booking/voucher-code.ts';
import { type GuestSearch, guestSearch, MIN_DENSE_SEARCH, MIN_SEARCH } from '../../domain/guest/search.ts';
import { bookingIdStart, MODES } from '../../domain/ids.ts';
import { mailAddressOf } from '../../ports/mail-address.ts';
import { CHANGES } from '../../webhooks/event-contracts.ts';
import { CANCELLATION_REASON, extended, nullable, oneOf, pageOf } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { anyExactDate, noCity } from '../dates.ts';
import * as field from '../fields.ts';
import { body, optional, path, query, required } from '../schema.ts';
import {
  CANCELLATION_QUOTE,
  CANCELLED,
  CANCELLED_EXAMPLE,
  MODIFICATION_QUOTE,
  MODIFICATION_REFUSALS,
  PRICING_OF_THREE,
} from './change-schema.ts';
import { TIMELINE } from './present-timeline.ts';
import { BOOKING, BOOKING_EXAMPLE, DEFAULT_LIMIT, PRICING } from './schema.ts';

/** How the request of a pending booking reaches its venue. */
export const VENUE_REQUESTS = ['mailed', 'waiting', 'not_mailed', 'no_contact', 'test'] as const;

/** Others see `operator` for every operator, in histories and webhooks. */
const WHO = "`user`, `venue`, `system`, or an operator's id";
const CANCELLED_BY = nullable(Type.String({ description: `Who cancelled or rejected it: ${WHO}.` }));

const OPERATED = {
  city: Type.String(),
  key_id: Type.String({ description: 'The key that made the booking.' }),
  guest_erased: Type.Boolean({ description: "Whether the guest's data was erased." }),
  cancelled_by: CANCELLED_BY,
  modified_by: nullable(Type.String({ description: `Who changed it last: ${WHO}.` })),
  venue_request: Type.Optional(
    oneOf(VENUE_REQUESTS, {
      description:
        'Of one pending booking: whether its venue was asked by mail. With `not_mailed`, `no_contact` and `test` only an operator answers.',
    }),
  ),
};

const OPERATED_BOOKING = extended(BOOKING, OPERATED, {
  $id: 'OperatedBooking',
  description:
    'A booking as an operator sees it: titles and instructions are in English. A `viewer` reads `[hidden]` for the guest, `reference` and voucher code; `metadata` is empty.',
});

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

/** A field that may be the beginning of an id. */
function anyId(parse: (text: string) => unknown, rule: string) {
  return optional(
    Type.Refine(Type.String({ maxLength: 60 }), (text) => parse(text) !== null),
    rule,
  );
}

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
      venue_id: optional(Type.String({ minLength: 1, maxLength: 80 }), 'a venue id'),
      booking_id: anyId(bookingIdStart, 'a booking id or its beginning, at least bk_ and 4 characters'),
      voucher_code: anyId(codeStart, 'a voucher code or its beginning, at least WM- and 4 characters'),
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

const EXAMPLE_OF_THREE = {
  ...EXAMPLE,
  num_adults: 3,
  pricing: PRICING_OF_THREE,
  modified_by: 'op_3f0d9a52c1b84e67',
  changes: { num_adults: { from: 2, to: 3 } },
  new_pricing: PRICING_OF_THREE,
};

export const MODIFY_ANY_BOOKING_ANSWER = answers(
  Type.Union(
    [
      extended(BOOKING, { ...OPERATED, changes: CHANGES, new_pricing: PRICING }, { $id: 'OperatedModifiedBooking' }),
      MODIFICATION_QUOTE,
    ],
    { $id: 'OperatedModifiedBookingOrQuote' },
  ),
  EXAMPLE_OF_THREE,
  MODIFICATION_REFUSALS,
  ['x-position', 'idempotent-replayed', 'etag'],
);

export const MAIL_VOUCHER_ANSWER = answers(
  OPERATED_BOOKING,
  EXAMPLE,
  ['BOOKING_NOT_FOUND', 'BOOKING_NOT_MODIFIABLE'],
  ['x-position', 'idempotent-replayed', 'etag'],
);

export const TIMELINE_ANSWER = answers(
  TIMELINE,
  {
    booking_id: EXAMPLE.booking_id,
    items: [
      {
        at: '2026-11-21T06:49:59.482Z',
        event: 'confirmed' as const,
        text: 'The booking is confirmed for 2026-12-05, 2 guests.',
        by: 'user' as const,
      },
      {
        at: '2026-11-21T06:50:00.112Z',
        event: 'webhook' as const,
        text: 'The webhook booking_confirmed to https://agent.example was accepted at the first attempt with HTTP 200.',
        by: 'system' as const,
        delivery_id: 'dlv_d0k90vyjbzj4yrdsvb04t725',
      },
    ],
  },
  ['BOOKING_NOT_FOUND'],
  ['etag'],
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
    'the answer of a venue; `mode=live` leaves out test bookings. `booking_id` and `voucher_code` may be beginnings. `guest` finds each word at the beginning of a name, ' +
    'whatever case and accents, or a mail address by its beginning; its order is that in which the data of the guests ' +
    'was recorded or changed. A `viewer` cannot filter by `guest`, `reference` or `voucher_code`.',
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

export const MODIFY_ANY_BOOKING_DETAIL = {
  operationId: 'modify_any_booking',
  summary: 'Change any booking',
  description: 'As `modify_booking`, with the same rules and prices. `modified_by` is `operator` in webhooks.',
};

export const MAIL_VOUCHER_DETAIL = {
  operationId: 'mail_voucher',
  summary: 'Mail the voucher again',
  description:
    'Mails the voucher of a confirmed booking to its guest once more. The answer waits for the mail: beyond the bounds of ' +
    'mails it is not sent, and `email_reason` is `MAIL_LIMIT`. Repeated with the same `Idempotency-Key` it sends nothing.',
};

export const TIMELINE_DETAIL = {
  operationId: 'booking_timeline',
  summary: 'The timeline of a booking',
  description: 'Its history, mails and webhooks, oldest first, one sentence each, without data of the guest.',
};

export const ERASE_GUEST_DETAIL = {
  operationId: 'erase_guest',
  summary: "Erase a guest's data",
  description:
    'From this answer on, name and mail address read `[erased]`, and special requests, `reference` and `metadata` are ' +
    'empty, in payloads of webhooks too. They are removed from the store right after. The booking, its voucher and the ' +
    'analytics stay; no more mail is sent. It cannot be undone. Repeated, the answer is the same.',
};
