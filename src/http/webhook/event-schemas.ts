import { type TSchema, Type } from 'typebox';
import { CATEGORIES } from '../../domain/activity/vocabulary.ts';
import type { WebhookEvent } from '../../domain/apikey/apikey.ts';
import { API_VERSION } from '../../webhooks/public-event.ts';
import { COUNT, CURRENCY, DATE, nullable, oneOf, TIMESTAMP } from '../answer-fields.ts';

const REASON = oneOf(['user_requested', 'venue_unavailable', 'weather', 'system']);
const CHANGED = Type.Union([Type.String(), Type.Number(), Type.Null()]);
/** What a modification changed. */
export const CHANGES = Type.Record(Type.String(), Type.Object({ from: CHANGED, to: CHANGED }), {
  $id: 'Changes',
  description: 'By the name of the field in requests. Null: the text was not given.',
});

const PRICING = Type.Object(
  {
    unit_price: Type.Number(),
    subtotal: Type.Number(),
    discount: Type.Number(),
    total: Type.Number(),
    currency: CURRENCY,
  },
  { $id: 'EventPricing' },
);

/** The body of a webhook request, by event: the types of public-event.ts as schemas. */
export const WEBHOOK_EVENT_SCHEMAS = {
  booking_confirmed: eventOf(
    'booking_confirmed',
    'BookingConfirmedEvent',
    Type.Object({
      booking_id: Type.String(),
      activity_id: Type.String(),
      activity_title: Type.String(),
      activity_category: oneOf(CATEGORIES),
      user_email: Type.String(),
      user_name: Type.String(),
      booking_date: DATE,
      num_adults: Type.Integer({ minimum: 1 }),
      num_children: COUNT,
      num_guests: Type.Integer({ minimum: 1 }),
      total_price: Type.Number(),
      currency: CURRENCY,
      pricing: PRICING,
      context_log_id: nullable(Type.String()),
      voucher_code: nullable(Type.String()),
    }),
  ),
  voucher_delivered: eventOf(
    'voucher_delivered',
    'VoucherDeliveredEvent',
    Type.Object({
      booking_id: Type.String(),
      voucher_code: nullable(Type.String()),
      delivered_to: Type.String(),
      delivered_at: TIMESTAMP,
      delivery_method: Type.Literal('email'),
      email_provider_id: Type.String(),
    }),
  ),
  qr_verified: eventOf(
    'qr_verified',
    'QrVerifiedEvent',
    Type.Object({
      booking_id: Type.String(),
      activity_id: Type.String(),
      activity_title: Type.String(),
      context_log_id: nullable(Type.String()),
      verified_at: TIMESTAMP,
      verification_method: oneOf(['qr_scan', 'manual']),
      venue_id: Type.String(),
      venue_name: Type.String(),
      check_in_data: Type.Object({ gate: nullable(Type.String()), device_id: Type.String() }),
    }),
  ),
  booking_cancelled: eventOf(
    'booking_cancelled',
    'BookingCancelledEvent',
    Type.Object({
      booking_id: Type.String(),
      activity_id: Type.String(),
      cancelled_at: TIMESTAMP,
      reason: REASON,
      cancellation_reason: REASON,
      refund_status: oneOf(['processed', 'pending', 'none']),
      refund_amount: Type.Number(),
      currency: CURRENCY,
    }),
  ),
  booking_modified: eventOf(
    'booking_modified',
    'BookingModifiedEvent',
    Type.Object({
      booking_id: Type.String(),
      modified_at: TIMESTAMP,
      changes: CHANGES,
      new_pricing: PRICING,
      modified_by: oneOf(['user', 'operator', 'venue', 'system']),
    }),
  ),
} as const satisfies Record<WebhookEvent, TSchema>;

function eventOf<const E extends WebhookEvent, S extends TSchema>(event: E, $id: string, data: S) {
  return Type.Object(
    {
      id: Type.String({ description: 'The same in every attempt: process each id once.' }),
      event: Type.Literal(event),
      api_version: Type.Literal(API_VERSION),
      created_at: TIMESTAMP,
      sequence: Type.Integer({ minimum: 1, description: 'Increases within one booking, with gaps.' }),
      test: Type.Optional(Type.Literal(true, { description: 'Only in test events.' })),
      data,
    },
    { $id },
  );
}
