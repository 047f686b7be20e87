import { Type } from 'typebox';
import { CANCELLATION_REASONS } from '../../domain/booking/booking.ts';
import type { Declaration } from '../endpoint.ts';
import { nullable, oneOf, TIMESTAMP } from '../schemas.ts';
import { BOOKING_STATUSES, REFUND } from './bookings.ts';

export const CANCELLED = Type.Object(
  {
    booking_id: Type.String(),
    status: oneOf(BOOKING_STATUSES),
    cancelled_at: TIMESTAMP,
    reason: oneOf(CANCELLATION_REASONS),
    ...REFUND,
  },
  { $id: 'Cancelled' },
);

export const CANCELLATION_QUOTE = Type.Object(
  {
    dry_run: Type.Literal(true),
    booking_id: Type.String(),
    status: oneOf(BOOKING_STATUSES),
    cancelled_at: nullable(TIMESTAMP),
    reason: oneOf(CANCELLATION_REASONS),
    ...REFUND,
    free_until: nullable(
      Type.String({
        format: 'date-time',
        description: 'Before this moment `user_requested` refunds in full; null where nothing was charged.',
      }),
    ),
  },
  { $id: 'CancellationQuote', description: 'The answer to `dry_run: true`. Nothing was written.' },
);

export const CANCELLED_EXAMPLE = {
  booking_id: 'bk_h76cfakt2c43vdqm2ryg',
  status: 'cancelled',
  cancelled_at: '2026-11-21T06:55:12.310Z',
  reason: 'user_requested',
  refund_status: 'processed',
  refund_amount: 1200,
  currency: 'THB',
};

export const CANCEL_BOOKING = {
  by: 'key',
  permission: 'execute_booking',
  id: 'cancel_booking',
  tag: 'Bookings',
  summary: 'Cancel a booking',
  description: [
    "What is refunded follows from the activity's policy: everything until so many hours before opening on the booking " +
      "date, at the city's time; a part of it, or nothing, from then on. `dry_run: true` answers what the same request " +
      'would refund at this moment, and writes nothing.',
    'The voucher lets nobody in any more, and the slots are free again. A booking that is cancelled already stays as it ' +
      'was cancelled first: the answer is that first one, with `Idempotent-Replayed: true`. A `pending` booking is ' +
      'cancelled too; nothing was charged for it.',
    'The only `reason` of an API key is `user_requested`; the others are the operator’s, and refund in full.',
    'Send the `ETag` of the booking you have read as `If-Match`, and nothing is cancelled that was changed meanwhile.',
  ].join('\n\n'),
  params: { booking_id: 'The `booking_id` of a booking made with this key.' },
  headers: ['idempotency-key', 'if-match'],
  answer: {
    data: Type.Union([CANCELLED, CANCELLATION_QUOTE]),
    example: CANCELLED_EXAMPLE,
    headers: ['x-position', 'idempotent-replayed', 'etag'],
  },
  refusals: [
    'BOOKING_NOT_FOUND',
    'BOOKING_NOT_CANCELLABLE',
    'REVISION_CONFLICT',
    'IDEMPOTENCY_IN_PROGRESS',
    'IDEMPOTENCY_KEY_REUSED',
    'SERVICE_UNAVAILABLE',
  ],
  example: { reason: 'user_requested' },
} as const satisfies Declaration;
