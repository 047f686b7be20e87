import { Type } from 'typebox';
import { CHANGES } from '../../webhooks/event-contracts.ts';
import { BOOKING_STATUS, extended, nullable, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { anyExactDate, noCity } from '../dates.ts';
import * as field from '../fields.ts';
import { body, clearable, optional, reworded } from '../schema.ts';
import { annotationOf } from '../schema-fields.ts';
import { BOOKING, BOOKING_EXAMPLE, CANCELLATION, PRICING } from './schema.ts';

const MODIFIED_BOOKING = extended(
  BOOKING,
  { changes: CHANGES, new_pricing: PRICING },
  { $id: 'ModifiedBooking', description: 'The booking as it is now, and what this request changed.' },
);

export const MODIFICATION_QUOTE = Type.Object(
  {
    dry_run: Type.Literal(true),
    booking_id: Type.String(),
    changes: CHANGES,
    new_pricing: PRICING,
    charge: Type.Number({ minimum: 0, description: 'What would be charged now, in addition to earlier charges.' }),
    refund: Type.Number({ minimum: 0, description: 'What would be refunded now, by the cancellation policy.' }),
    available: Type.Boolean({
      description: 'Whether enough slots are free; if not, the request itself is refused with `INVENTORY_EXHAUSTED`.',
    }),
  },
  { $id: 'ModificationQuote', description: 'The answer to `dry_run: true`. Nothing was written.' },
);

/** The fields in the order of a booking request. A field that is left out does not change. */
export function modificationBody(context: HttpContext) {
  const limits = context.guestLimits;
  const fields = {
    user_email: Type.Optional(field.userEmail),
    user_name: Type.Optional(field.userName),
    booking_date: anyExactDate('booking_date', noCity, context),
    num_adults: Type.Optional(field.numAdults(limits)),
    num_children: field.otherNumChildren(limits),
    special_requests: clearable(
      reworded(field.specialRequests, `${annotationOf(field.specialRequests).rule}, or null for none`),
    ),
    expected_total: field.expectedTotal,
    dry_run: field.dryRun,
  };
  return body(Type.Object(fields, { examples: [{ num_adults: 3 }] }), { num_children: field.partyRule(limits) });
}

export const PRICING_OF_THREE = { ...BOOKING_EXAMPLE.pricing, total_guests: 3, subtotal: 3600, total: 3600 };

export const MODIFICATION_REFUSALS = [
  'BOOKING_NOT_FOUND',
  'BOOKING_NOT_MODIFIABLE',
  'REVISION_CONFLICT',
  'BOOKING_LIMIT_EXCEEDED',
  'ACTIVITY_UNAVAILABLE',
  'INVENTORY_EXHAUSTED',
  'PRICE_CHANGED',
  'SPENDING_LIMIT',
  'EXPOSURE_LIMIT',
  'IDEMPOTENCY_IN_PROGRESS',
  'IDEMPOTENCY_KEY_REUSED',
] as const;

export const MODIFY_BOOKING_ANSWER = answers(
  Type.Union([MODIFIED_BOOKING, MODIFICATION_QUOTE], { $id: 'ModifiedBookingOrQuote' }),
  {
    ...BOOKING_EXAMPLE,
    num_adults: 3,
    pricing: PRICING_OF_THREE,
    changes: { num_adults: { from: 2, to: 3 } },
    new_pricing: PRICING_OF_THREE,
  },
  MODIFICATION_REFUSALS,
  ['x-position', 'idempotent-replayed', 'etag'],
);

export const CANCELLED = Type.Object(
  {
    booking_id: Type.String(),
    status: BOOKING_STATUS,
    ...CANCELLATION.properties,
  },
  { $id: 'Cancelled' },
);

export const CANCELLATION_QUOTE = Type.Object(
  {
    dry_run: Type.Literal(true),
    ...CANCELLED.properties,
    cancelled_at: nullable(TIMESTAMP),
    free_until: nullable(
      Type.String({
        format: 'date-time',
        description: 'Before this moment all but `pricing.retained` is refunded; null if nothing was charged.',
      }),
    ),
  },
  { $id: 'CancellationQuote', description: 'The answer to `dry_run: true`. Nothing was written.' },
);

export const CANCELLED_EXAMPLE = {
  booking_id: 'bk_h76cfakt2c43vdqm2ryg',
  status: 'cancelled' as const,
  cancelled_at: '2026-11-21T06:55:12.310Z',
  reason: 'user_requested' as const,
  refund_status: 'processed' as const,
  refund_amount: 1200,
  currency: 'THB',
};

export const CANCELLATION_BODY = body(
  Type.Object(
    {
      reason: optional(
        Type.Literal('user_requested', { default: 'user_requested' }),
        'user_requested; the other reasons are the operator’s',
      ),
      dry_run: field.dryRun,
    },
    { examples: [{ reason: 'user_requested' }] },
  ),
);

const CANCELLED_OR_QUOTE = Type.Union([CANCELLED, CANCELLATION_QUOTE], { $id: 'CancelledOrQuote' });

export const CANCEL_BOOKING_ANSWER = answers(
  CANCELLED_OR_QUOTE,
  CANCELLED_EXAMPLE,
  [
    'BOOKING_NOT_FOUND',
    'BOOKING_NOT_CANCELLABLE',
    'REVISION_CONFLICT',
    'IDEMPOTENCY_IN_PROGRESS',
    'IDEMPOTENCY_KEY_REUSED',
  ],
  ['x-position', 'idempotent-replayed', 'etag'],
);

export const MODIFY_BOOKING_DETAIL = {
  operationId: 'modify_booking',
  summary: 'Change a booking',
  description: [
    'Send the fields to change; the others stay. If nothing differs, `changes` is empty and nothing is written. A ' +
      'booking can be changed until its guests have been verified at the venue, it is cancelled or rejected, or ' +
      'its date is over.',
    'A new date and more guests follow the rules of a new booking. While the date stays, guests keep their price, added ' +
      'guests pay the present price, and the last added leave first; on another date all pay its present price. A higher ' +
      'total is charged, a lower one is refunded by the cancellation policy of the old date. What a cancellation would ' +
      'not refund at that moment is never refunded later (`pricing.retained`). `dry_run: true` returns all that, and ' +
      'changes nothing.',
    '`expected_total` is the total of the changed booking that the user agreed to; if the present total differs, also in ' +
      'a `dry_run`, the answer is `PRICE_CHANGED`, and nothing changes.',
    'If the venue confirms on request, a confirmed booking takes neither another date nor more guests: cancel it ' +
      'and make a new booking.',
    'The voucher keeps its code, and a QR code that was sent before stays valid, for the new date; the voucher is ' +
      'mailed again.',
    'Of two concurrent changes one is refused with `REVISION_CONFLICT`. Send the `ETag` that you know as ' +
      '`If-Match` to change only the version that you have read, and an `Idempotency-Key` so that a repeated ' +
      'request changes nothing twice.',
  ].join('\n\n'),
};

export const CANCEL_BOOKING_DETAIL = {
  operationId: 'cancel_booking',
  summary: 'Cancel a booking',
  description: [
    "The refund follows from the activity's policy: the whole price until a number of hours before opening on the " +
      "booking date, at the city's time; a part of it, or nothing, after that. `dry_run: true` returns what the " +
      'same request would refund now, and writes nothing. `pricing.retained` is never refunded.',
    'The voucher is void, and the slots are free again. A booking that is already cancelled does not change: the ' +
      'answer is that of the first cancellation, with `Idempotent-Replayed: true`. A `pending` booking can be ' +
      'cancelled too; nothing was charged for it.',
    'The only `reason` of an API key is `user_requested`; the others are the operator’s, and refund in full, `pricing.retained` included.',
    'Send the `ETag` of the booking that you have read as `If-Match`: a booking that has changed since is not ' +
      'cancelled.',
  ].join('\n\n'),
};
