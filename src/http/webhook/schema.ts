import { type Static, Type } from 'typebox';
import { LOGGED_STATUSES } from '../../../projections/deliveries/query.ts';
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../domain/delivery/delivery.ts';
import { API_VERSION, EVENT_CONTRACTS } from '../../webhooks/event-contracts.ts';
import { COUNT, nullable, oneOf, pageOf, TIMESTAMP, WEBHOOK_EVENT } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import * as field from '../fields.ts';
import { body, optional, path, query, required } from '../schema.ts';

export const DEFAULT_LIMIT = 20;

const EVENT_RULE = `one of ${WEBHOOK_EVENTS.join(', ')}`;
const RESPONSE_CODE = nullable(Type.Integer({ description: 'Null if the receiver did not answer.' }));

/** The compiler cannot tell the members of a union that is made of a list. */
export const PUBLIC_EVENT = Type.Unsafe<Static<(typeof EVENT_CONTRACTS)[WebhookEvent]['schema']>>(
  Type.Union(WEBHOOK_EVENTS.map((event) => EVENT_CONTRACTS[event].schema)),
);

export const DELIVERY = Type.Object(
  {
    delivery_id: Type.String(),
    event_id: Type.String({ description: "The event's `id`, the same in all of its deliveries." }),
    event: WEBHOOK_EVENT,
    booking_id: Type.String(),
    test: Type.Optional(Type.Literal(true, { description: 'As in the payload.' })),
    url: nullable(Type.String({ description: 'The URL of the last attempt.' })),
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
      reference: 'trip-42',
      metadata: { room: '1204' },
    },
  },
} as const;

export const WEBHOOK_HEALTH = Type.Object(
  { failing_since: nullable(TIMESTAMP), suspended_since: nullable(TIMESTAMP) },
  {
    $id: 'WebhookHealth',
    description:
      'Since when every attempt has failed, up to about a minute late, and since when the receiver is suspended and gets no ' +
      'events; else null.',
  },
);
export const WEBHOOK_HEALTH_EXAMPLE = { failing_since: null, suspended_since: null };

export const DELIVERY_PATH = path({
  id: 'The `delivery_id` of a delivery of this key, as in `X-Service-Delivery-Id`.',
});

export const DELIVERIES_QUERY = query(
  Type.Object({
    status: field.choice(LOGGED_STATUSES),
    event: optional(WEBHOOK_EVENT, EVENT_RULE),
    booking_id: optional(Type.String({ maxLength: 80 }), 'a booking_id'),
    from: field.anyMoment,
    to: field.anyMoment,
    cursor: field.cursor,
    limit: field.limit(100, DEFAULT_LIMIT),
  }),
  field.rangeRules,
);

export function testBody(production: boolean) {
  const example = { event_type: 'booking_confirmed', webhook_url: 'https://agent.example/waymark' };
  const fields = { event_type: required(WEBHOOK_EVENT, EVENT_RULE), webhook_url: field.webhookUrl(production) };
  return body(Type.Object(fields, { examples: [example] }));
}

export function enableBody(production: boolean) {
  return body(Type.Object({ webhook_url: field.webhookUrl(production) }, { examples: [{}] }));
}

export const TESTED_ANSWER = answers(
  Type.Object({
    delivery_id: Type.String(),
    status: oneOf(['success', 'failed']),
    response_code: RESPONSE_CODE,
    response_time_ms: COUNT,
    error: nullable(Type.String({ description: 'Why the attempt failed; null if it succeeded.' })),
    signature: Type.String({ description: 'The `X-Service-Signature` that was sent.' }),
  }),
  {
    delivery_id: 'dlv_x699tb1qzjc35p9c43ys6ebb',
    status: 'success' as const,
    response_code: 200,
    response_time_ms: 48,
    error: null,
    signature: 'sha256=<64 hexadecimal characters>',
  },
  ['SERVICE_UNAVAILABLE'],
  ['x-position'],
);

export const DELIVERIES_ANSWER = answers(pageOf(DELIVERY), { items: [DELIVERY_EXAMPLE], next_cursor: null }, []);

export const DELIVERY_ANSWER = answers(DELIVERY, DELIVERY_EXAMPLE, ['NOT_FOUND']);

export const ENABLED_ANSWER = answers(WEBHOOK_HEALTH, WEBHOOK_HEALTH_EXAMPLE, ['SERVICE_UNAVAILABLE'], ['x-position']);

export const TEST_DETAIL = {
  operationId: 'test_webhook',
  summary: 'Send an example of an event to a receiver',
  description:
    "Makes one attempt, to `webhook_url` or, without it, to the key's own, with `test: true` in the event. The delivery log " +
    'shows it; nothing sends it again. If the receiver refuses it or is unreachable, this request succeeds, with the `status` `failed`.',
};

export const ENABLE_DETAIL = {
  operationId: 'enable_webhook',
  summary: 'End the suspension of a receiver',
  description:
    "Without `webhook_url`, enables the key's own receiver; with it, the receiver of bookings with its scheme, host and port. " +
    'The receiver gets events that happen from now on; `POST /api/webhooks/recover` sends those that failed. If the ' +
    'receiver is not suspended, nothing changes.',
};

export const LIST_DELIVERIES_DETAIL = {
  operationId: 'list_deliveries',
  summary: "The key's deliveries, newest first",
  description:
    'The list has a delivery from its first attempt on. `from` and `to` limit the time at which it was scheduled; a date ' +
    'includes the whole day.',
};

export const GET_DELIVERY_DETAIL = {
  operationId: 'get_delivery',
  summary: 'One delivery, with its attempts and payload',
  description: 'A key sees only its own deliveries.',
};
