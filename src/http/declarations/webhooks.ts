import { Type } from 'typebox';
import { LOGGED_STATUSES } from '../../../projections/deliveries/query.ts';
import { WEBHOOK_EVENTS } from '../../domain/apikey/apikey.ts';
import { API_VERSION } from '../../webhooks/public-event.ts';
import type { Declaration } from '../endpoint.ts';
import { COUNT, nullable, oneOf, pageOf, TIMESTAMP } from '../schemas.ts';
import { WEBHOOK_EVENT_SCHEMAS as EVENTS } from './webhook-events.ts';

const RESPONSE_CODE = nullable(Type.Integer({ description: 'Null where there was no answer.' }));

export const PUBLIC_EVENT = Type.Union([
  EVENTS.booking_confirmed,
  EVENTS.voucher_delivered,
  EVENTS.qr_verified,
  EVENTS.booking_cancelled,
  EVENTS.booking_modified,
]);

export const DELIVERY = Type.Object(
  {
    delivery_id: Type.String(),
    event_id: Type.String({ description: "The event's `id`, which it has in every delivery." }),
    event: oneOf(WEBHOOK_EVENTS),
    booking_id: Type.String(),
    url: nullable(Type.String({ description: 'Where the last attempt went.' })),
    status: oneOf(LOGGED_STATUSES),
    attempts: Type.Array(
      Type.Object({
        at: TIMESTAMP,
        response_code: RESPONSE_CODE,
        response_time_ms: COUNT,
        error: nullable(Type.String()),
      }),
    ),
    next_attempt_at: nullable(TIMESTAMP),
    payload: PUBLIC_EVENT,
  },
  { $id: 'Delivery' },
);

export const DELIVERY_EXAMPLE = {
  delivery_id: 'dlv_d0k90vyjbzj4yrdsvb04t725',
  event_id: 'evt_17e9pafgjzahm2gac8fs10dx',
  event: 'qr_verified',
  booking_id: 'bk_h76cfakt2c43vdqm2ryg',
  url: 'https://agent.example/waymark',
  status: 'retrying',
  attempts: [
    {
      at: '2026-11-21T13:02:11.480Z',
      response_code: 503,
      response_time_ms: 212,
      error: 'the receiver answered 503',
    },
  ],
  next_attempt_at: '2026-11-21T13:02:16.480Z',
  payload: {
    id: 'evt_17e9pafgjzahm2gac8fs10dx',
    event: 'qr_verified',
    api_version: API_VERSION,
    created_at: '2026-11-21T13:02:11.000Z',
    sequence: 5,
    data: {
      booking_id: 'bk_h76cfakt2c43vdqm2ryg',
      activity_id: 'bkk-bamboo-bar-jazz',
      activity_title: 'Live jazz and two cocktails at The Bamboo Bar',
      context_log_id: null,
      verified_at: '2026-11-21T13:02:11.000Z',
      verification_method: 'qr_scan',
      venue_id: 'bkk-bamboo-bar',
      venue_name: 'The Bamboo Bar',
      check_in_data: { gate: 'door', device_id: 'dev_5b0c' },
    },
  },
};

export const TEST_WEBHOOK = {
  by: 'key',
  permission: 'webhook',
  id: 'test_webhook',
  tag: 'Webhooks',
  summary: 'Send an example of an event to a receiver',
  description:
    "One attempt, to `webhook_url` or else to the key's own, with `test: true` in it. It stands in no log and is not repeated. " +
    'A receiver that refuses it, or is not there, is a success of this request: `status` is then `failed`.',
  answer: {
    data: Type.Object({
      delivery_id: Type.String(),
      status: oneOf(['success', 'failed']),
      response_code: RESPONSE_CODE,
      response_time_ms: COUNT,
      error: nullable(Type.String({ description: 'Why it failed; null where it did not.' })),
      signature: Type.String({ description: 'The `X-Service-Signature` that was sent.' }),
    }),
    example: {
      delivery_id: 'dlv_x699tb1qzjc35p9c43ys6ebb',
      status: 'success',
      response_code: 200,
      response_time_ms: 48,
      error: null,
      signature: 'sha256=<64 hexadecimal characters>',
    },
  },
  refusals: ['SERVICE_UNAVAILABLE'],
  example: { event_type: 'booking_confirmed', webhook_url: 'https://agent.example/waymark' },
} as const satisfies Declaration;

export const LIST_DELIVERIES = {
  by: 'key',
  permission: 'webhook',
  id: 'list_deliveries',
  tag: 'Webhooks',
  summary: "The key's deliveries, newest first",
  description:
    "From a delivery's first attempt on. `from` and `to` are when it was scheduled; a day in either belongs to the range.",
  headers: ['x-position'],
  answer: { data: pageOf(DELIVERY), example: { items: [DELIVERY_EXAMPLE], next_cursor: null } },
  refusals: [],
} as const satisfies Declaration;

export const DELIVERY_BY_ID = {
  by: 'key',
  permission: 'webhook',
  id: 'get_delivery',
  tag: 'Webhooks',
  summary: 'One delivery, with its attempts and payload',
  description: 'A key sees only its own deliveries.',
  params: { id: 'The `delivery_id` of a delivery of this key, as in `X-Service-Delivery-Id`.' },
  headers: ['x-position'],
  answer: { data: DELIVERY, example: DELIVERY_EXAMPLE },
  refusals: ['NOT_FOUND'],
} as const satisfies Declaration;
