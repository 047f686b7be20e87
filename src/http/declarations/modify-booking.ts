import { Type } from 'typebox';
import type { Declaration } from '../endpoint.ts';
import { BOOKING, BOOKING_EXAMPLE, PRICING } from './bookings.ts';
import { CHANGES } from './webhook-events.ts';

const MODIFIED_BOOKING = Type.Object(
  { ...BOOKING.properties, changes: CHANGES, new_pricing: PRICING },
  { $id: 'ModifiedBooking', description: 'The booking as it is now, with what this request changed.' },
);

const MODIFICATION_QUOTE = Type.Object(
  {
    dry_run: Type.Literal(true),
    booking_id: Type.String(),
    changes: CHANGES,
    new_pricing: PRICING,
    charge: Type.Number({ minimum: 0, description: 'What would be charged now, beside what was charged before.' }),
    refund: Type.Number({ minimum: 0, description: 'What would be given back now, by the cancellation policy.' }),
    available: Type.Boolean({
      description:
        'Whether there is room; where there is none the request itself is refused with `INVENTORY_EXHAUSTED`.',
    }),
  },
  { $id: 'ModificationQuote', description: 'The answer to `dry_run: true`. Nothing was written.' },
);

export const MODIFY_BOOKING = {
  by: 'key',
  permission: 'execute_booking',
  id: 'modify_booking',
  tag: 'Bookings',
  summary: 'Change a booking',
  description: [
    'Send what is to be another; the rest stays. Where nothing differs, `changes` is empty and nothing is done. Possible ' +
      "until the guests were at the venue, the booking was cancelled or rejected, or its date's end.",
    'Another date and more guests follow the rules of a new booking. The price per person stays while the date does; ' +
      'another date has its own. What becomes dearer is charged, what becomes cheaper given back by the cancellation ' +
      'policy of the date that is left. `dry_run: true` tells all that, and changes nothing.',
    'Where the venue confirms on request, a confirmed booking takes neither another date nor more guests: cancel it and ' +
      'book anew.',
    'The voucher keeps its code, and a QR code that was sent before goes on working, for the date as it is now; the ' +
      'voucher is mailed again.',
    'Of two changes at the same time one is refused with `REVISION_CONFLICT`. Send the `ETag` you know as `If-Match` to ' +
      'change only what you have seen, and an `Idempotency-Key` so that a repetition changes nothing twice.',
  ].join('\n\n'),
  params: { booking_id: 'The `booking_id` of a booking made with this key.' },
  headers: ['idempotency-key', 'if-match'],
  answer: {
    data: Type.Union([MODIFIED_BOOKING, MODIFICATION_QUOTE]),
    example: {
      ...BOOKING_EXAMPLE,
      num_adults: 3,
      pricing: { ...BOOKING_EXAMPLE.pricing, total_guests: 3, subtotal: 3600, total: 3600 },
      changes: { num_adults: { from: 2, to: 3 } },
      new_pricing: { ...BOOKING_EXAMPLE.pricing, total_guests: 3, subtotal: 3600, total: 3600 },
    },
    headers: ['x-position', 'idempotent-replayed', 'etag'],
  },
  refusals: [
    'BOOKING_NOT_FOUND',
    'BOOKING_NOT_MODIFIABLE',
    'REVISION_CONFLICT',
    'BOOKING_LIMIT_EXCEEDED',
    'ACTIVITY_UNAVAILABLE',
    'INVENTORY_EXHAUSTED',
    'IDEMPOTENCY_IN_PROGRESS',
    'IDEMPOTENCY_KEY_REUSED',
    'SERVICE_UNAVAILABLE',
  ],
  example: { num_adults: 3 },
} as const satisfies Declaration;
