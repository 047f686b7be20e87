import { type Static, type TProperties, Type } from 'typebox';
import { CATEGORIES } from '../domain/activity/vocabulary.ts';
import { CANCELLATION_REASONS } from '../domain/booking/events.ts';
import type { PublicEventId, WebhookEvent } from '../domain/delivery/delivery.ts';

export const API_VERSION = '2026-11';

export const TIMESTAMP = Type.String({ format: 'date-time' });
export const DATE = Type.String({
  $id: 'LocalDate',
  format: 'date',
  description: "A calendar date at the activity's city.",
});
export const CURRENCY = Type.String({ $id: 'CurrencyCode', pattern: '^[A-Z]{3}$', description: 'ISO 4217.' });
export const CATEGORY = Type.Enum([...CATEGORIES], { $id: 'Category' });
export const CANCELLATION_REASON = Type.Enum([...CANCELLATION_REASONS], { $id: 'CancellationReason' });
const TEXT_OR_NULL = Type.Union([Type.String(), Type.Null()]);
const CHANGED = Type.Union([Type.String(), Type.Number(), Type.Null()]);
/** What a modification changed. */
export const CHANGES = Type.Record(Type.String(), Type.Object({ from: CHANGED, to: CHANGED }), {
  $id: 'Changes',
  description: 'By the name of the field in requests. Null: the text was not given.',
});
/** Members of a price that only some bookings have. */
export const CHANGED_PRICING = {
  lines: Type.Optional(
    Type.Array(
      Type.Object(
        {
          guests: Type.Integer({ minimum: 1 }),
          unit_price: Type.Number(),
          price: Type.Number({ description: 'After the discount.' }),
        },
        { $id: 'PriceLine' },
      ),
      { description: 'Only if prices differ; in the order in which guests were added.' },
    ),
  ),
  retained: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description: 'What no cancellation of yours refunds, since an earlier change.',
    }),
  ),
};
/** Amounts are decimal numbers of the currency's own precision. */
const PRICING = Type.Object(
  {
    unit_price: Type.Number(),
    subtotal: Type.Number(),
    discount: Type.Number(),
    total: Type.Number(),
    currency: CURRENCY,
    ...CHANGED_PRICING,
  },
  { $id: 'EventPricing' },
);

const ENVELOPE = {
  id: Type.String({ description: 'The same in every attempt: handle each id once.' }),
  api_version: Type.Literal(API_VERSION),
  created_at: TIMESTAMP,
  sequence: Type.Integer({ minimum: 1, description: 'Increases within one booking, with gaps.' }),
  test: Type.Optional(
    Type.Literal(true, { description: 'Only in events of test bookings and of `POST /api/webhooks/test`.' }),
  ),
};
/** The API reference refers to it from each event. */
const ANY_EVENT = Type.Object(ENVELOPE, { $id: 'EventEnvelope' });

/** In the data of every event. */
const CALLER_DATA = {
  reference: TEXT_OR_NULL,
  metadata: Type.Record(Type.String(), Type.String(), { description: 'As sent with the booking.' }),
};

const BOOKING = 'bk_06w4r9c8k2m1x7p4t8w6';
const VOUCHER = 'WM-06W4R9C8K2M1X7P4T8W6-3H6V0YJ2PD9S4QAEK7M1XW8TGZ';
const CALLERS = { reference: 'trip-42', metadata: { room: '1204' } };
const ACTIVITY = { activity_id: 'bkk-bamboo-bar-jazz', activity_title: 'Live jazz and two cocktails' };

/**
 * The contract with receivers: of each event a summary, the schema of its body, and an example of its data, of a booking
 * that does not exist. An event has the fields of all published descriptions of it.
 */
export const EVENT_CONTRACTS = {
  booking_confirmed: contractOf(
    'booking_confirmed',
    'A booking is confirmed, and charged',
    {
      booking_id: Type.String(),
      activity_id: Type.String(),
      activity_title: Type.String(),
      activity_category: CATEGORY,
      user_email: Type.String(),
      user_name: Type.String(),
      booking_date: DATE,
      num_adults: Type.Integer({ minimum: 1 }),
      num_children: Type.Integer({ minimum: 0 }),
      num_guests: Type.Integer({ minimum: 1 }),
      total_price: Type.Number(),
      currency: CURRENCY,
      pricing: PRICING,
      context_log_id: TEXT_OR_NULL,
      voucher_code: TEXT_OR_NULL,
    },
    {
      booking_id: BOOKING,
      ...ACTIVITY,
      activity_category: 'nightlife',
      user_email: 'guest@example.com',
      user_name: 'Example Guest',
      booking_date: '2026-12-24',
      num_adults: 2,
      num_children: 0,
      num_guests: 2,
      total_price: 1680,
      currency: 'THB',
      pricing: { unit_price: 1200, subtotal: 2400, discount: 720, total: 1680, currency: 'THB' },
      context_log_id: null,
      voucher_code: VOUCHER,
      ...CALLERS,
    },
  ),
  voucher_delivered: contractOf(
    'voucher_delivered',
    'A mail server, or the outbox, accepted the mail with the voucher',
    {
      booking_id: Type.String(),
      voucher_code: TEXT_OR_NULL,
      delivered_to: Type.String(),
      delivered_at: TIMESTAMP,
      delivery_method: Type.Literal('email'),
      email_provider_id: Type.String(),
    },
    {
      booking_id: BOOKING,
      voucher_code: VOUCHER,
      delivered_to: 'guest@example.com',
      delivered_at: '2026-11-21T06:49:31.204Z',
      delivery_method: 'email',
      email_provider_id: '250 2.0.0 Ok: queued as 4D3F21',
      ...CALLERS,
    },
  ),
  qr_verified: contractOf(
    'qr_verified',
    'A gate verified a voucher: the guests came',
    {
      booking_id: Type.String(),
      activity_id: Type.String(),
      activity_title: Type.String(),
      context_log_id: TEXT_OR_NULL,
      verified_at: TIMESTAMP,
      verification_method: Type.Enum(['qr_scan', 'manual']),
      venue_id: Type.String(),
      venue_name: Type.String(),
      check_in_data: Type.Object({ gate: TEXT_OR_NULL, device_id: Type.String() }),
    },
    {
      booking_id: BOOKING,
      ...ACTIVITY,
      context_log_id: null,
      verified_at: '2026-12-24T13:02:11.000Z',
      verification_method: 'qr_scan',
      venue_id: 'bkk-bamboo-bar',
      venue_name: 'The Bamboo Bar',
      check_in_data: { gate: 'main', device_id: 'dev_example' },
      ...CALLERS,
    },
  ),
  booking_cancelled: contractOf(
    'booking_cancelled',
    'A booking was cancelled',
    {
      booking_id: Type.String(),
      activity_id: Type.String(),
      cancelled_at: TIMESTAMP,
      reason: CANCELLATION_REASON,
      cancellation_reason: CANCELLATION_REASON,
      refund_status: Type.Enum(['processed', 'pending', 'none']),
      refund_amount: Type.Number(),
      currency: CURRENCY,
    },
    {
      booking_id: BOOKING,
      activity_id: ACTIVITY.activity_id,
      cancelled_at: '2026-12-01T09:30:00.000Z',
      reason: 'user_requested',
      cancellation_reason: 'user_requested',
      refund_status: 'processed',
      refund_amount: 1680,
      currency: 'THB',
      ...CALLERS,
    },
  ),
  booking_modified: contractOf(
    'booking_modified',
    'A booking was changed',
    {
      booking_id: Type.String(),
      modified_at: TIMESTAMP,
      changes: CHANGES,
      new_pricing: PRICING,
      modified_by: Type.Enum(['user', 'operator', 'venue', 'system']),
    },
    {
      booking_id: BOOKING,
      modified_at: '2026-12-01T09:30:00.000Z',
      changes: { booking_date: { from: '2026-12-24', to: '2026-12-26' }, num_adults: { from: 2, to: 3 } },
      new_pricing: { unit_price: 1200, subtotal: 3600, discount: 0, total: 3600, currency: 'THB' },
      modified_by: 'user',
      ...CALLERS,
    },
  ),
} as const satisfies Readonly<Record<WebhookEvent, object>>;

/** Data of each event. */
export type PublicData = {
  readonly [E in WebhookEvent]: Static<(typeof EVENT_CONTRACTS)[E]['schema']['properties']['data']>;
};

/** The members of an example event, beside its name and its data. */
export const EXAMPLE_ENVELOPE = {
  id: 'evt_17e9pafgjzahm2gac8fs10dx',
  api_version: API_VERSION,
  created_at: '2026-11-21T13:02:11.000Z',
  sequence: 5,
} as const;

/** The usual envelope with `test: true`. */
export function exampleEvent<E extends WebhookEvent>(event: E, id: PublicEventId, atMs: number) {
  return {
    id,
    event,
    api_version: API_VERSION,
    created_at: new Date(atMs).toISOString(),
    sequence: 1,
    test: true,
    data: EVENT_CONTRACTS[event].example,
  } as const;
}

function contractOf<const E extends WebhookEvent, P extends TProperties>(
  event: E,
  summary: string,
  data: P,
  example: Static<ReturnType<typeof Type.Object<P & typeof CALLER_DATA>>>,
) {
  const fields = { ...data, ...CALLER_DATA };
  const named = event.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  const $id = `${named}Event`;
  const schema = Type.Object(
    { ...ENVELOPE, event: Type.Literal(event), data: Type.Object(fields) },
    { $id, base: ANY_EVENT },
  );
  return { summary, schema, $id, example };
}
