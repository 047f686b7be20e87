import { type Static, Type } from 'typebox';
import { LOGGED_STATUSES } from '../../../projections/deliveries/query.ts';
import type { EndpointDocument } from '../../../projections/endpoints/read-model.ts';
import { EXHAUSTIONS, WEBHOOK_EVENTS, type WebhookEvent } from '../../domain/delivery/delivery.ts';
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
    key_id: Type.String(),
    event_id: Type.String({ description: "The event's `id`, the same in all of its deliveries." }),
    event: WEBHOOK_EVENT,
    booking_id: Type.String(),
    test: Type.Optional(Type.Literal(true, { description: 'As in the payload.' })),
    url: nullable(Type.String({ description: 'The URL of the last attempt.' })),
    status: oneOf(LOGGED_STATUSES),
    scheduled_at: TIMESTAMP,
    attempts: Type.Array(
      Type.Object({
        at: TIMESTAMP,
        response_code: RESPONSE_CODE,
        response_time_ms: COUNT,
        error: nullable(Type.String()),
      }),
    ),
    next_attempt_at: nullable(TIMESTAMP),
    failed_because: nullable(oneOf(EXHAUSTIONS)),
    payload: PUBLIC_EVENT,
  },
  { $id: 'Delivery' },
);

export const DELIVERY_EXAMPLE = {
  delivery_id: 'dlv_d0k90vyjbzj4yrdsvb04t725',
  key_id: 'key_3f0d9a52c1b84e67',
  event_id: 'evt_17e9pafgjzahm2gac8fs10dx',
  event: 'qr_verified',
  booking_id: 'bk_h76cfakt2c43vdqm2ryg',
  url: 'https://agent.example/waymark',
  status: 'retrying',
  scheduled_at: '2026-11-21T13:02:11.200Z',
  attempts: [
    {
      at: '2026-11-21T13:02:11.480Z',
      response_code: 503,
      response_time_ms: 212,
      error: 'the receiver answered 503',
    },
  ],
  next_attempt_at: '2026-11-21T13:02:16.480Z',
  failed_because: null,
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

const RECEIVER_STATUSES = ['failing', 'suspended'] as const satisfies readonly EndpointDocument['status'][];

const RECEIVER = Type.Object(
  {
    receiver_id: Type.String(),
    key_id: Type.String(),
    urls_of: oneOf(['key', 'booking'], { description: "Of the key's own URL, or of its bookings' URLs at `origin`." }),
    origin: Type.String({ description: 'Scheme, host and port.' }),
    in_use: Type.Boolean({ description: 'False: the key has another URL now.' }),
    status: oneOf(RECEIVER_STATUSES),
    failing_since: TIMESTAMP,
    suspended_since: nullable(TIMESTAMP),
    error: nullable(Type.String({ description: 'The last error before the suspension.' })),
  },
  { $id: 'Receiver' },
);

/** For operators, who act on the receivers of any key. */
export const KEY = optional(Type.String({ minLength: 1, maxLength: 80 }), 'the id of an API key; for operators only');

export const DELIVERY_PATH = path({
  id: 'The `delivery_id`, as in `X-Service-Delivery-Id`.',
});

export const RECEIVERS_QUERY = query(
  Type.Object({
    status: field.choice(RECEIVER_STATUSES),
    key: KEY,
    cursor: field.cursor,
    limit: field.limit(100, DEFAULT_LIMIT),
  }),
);

export const RECEIVERS_ANSWER = answers(
  pageOf(RECEIVER),
  {
    items: [
      {
        receiver_id: 'ep_5t0w2m8x4k9c1v7q3z6r0d5n',
        key_id: 'key_3f0d9a52c1b84e67',
        urls_of: 'key' as const,
        origin: 'https://agent.example',
        in_use: true,
        status: 'suspended' as const,
        failing_since: '2026-11-16T02:10:00.000Z',
        suspended_since: '2026-11-21T02:12:00.000Z',
        error: 'answered 503',
      },
    ],
    next_cursor: null,
  },
  [],
);

export const DELIVERIES_QUERY = query(
  Type.Object({
    status: field.choice(LOGGED_STATUSES),
    event: optional(WEBHOOK_EVENT, EVENT_RULE),
    booking_id: optional(Type.String({ maxLength: 80 }), 'a booking_id'),
    key: KEY,
    from: field.anyMoment,
    to: field.anyMoment,
    cursor: field.cursor,
    limit: field.limit(100, DEFAULT_LIMIT),
  }),
  field.rangeRules,
);

export function testBody(production: boolean) {
  const example = { event_type: 'booking_confirmed', webhook_url: 'https://agent.example/waymark' };
  const fields = {
    event_type: required(WEBHOOK_EVENT, EVENT_RULE),
    webhook_url: field.webhookUrl(production),
    key: KEY,
  };
  return body(Type.Object(fields, { examples: [example] }));
}

export function enableBody(production: boolean) {
  return body(Type.Object({ webhook_url: field.webhookUrl(production), key: KEY }, { examples: [{}] }));
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
  ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  ['x-position'],
);

export const DELIVERIES_ANSWER = answers(pageOf(DELIVERY), { items: [DELIVERY_EXAMPLE], next_cursor: null }, []);

export const DELIVERY_ANSWER = answers(DELIVERY, DELIVERY_EXAMPLE, ['NOT_FOUND']);

export const ENABLED_ANSWER = answers(
  WEBHOOK_HEALTH,
  WEBHOOK_HEALTH_EXAMPLE,
  ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  ['x-position'],
);

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
  summary: 'Deliveries, newest first',
  description:
    'The list has a delivery from its first attempt on. `from` and `to` limit the time at which it was scheduled; a date ' +
    'includes the whole day. A key reads its own; an operator reads those of all keys or of `key`, without data of guests.',
};

export const GET_DELIVERY_DETAIL = {
  operationId: 'get_delivery',
  summary: 'One delivery, with its attempts and payload',
  description: 'A key reads only its own deliveries, an operator those of all keys.',
};

export const LIST_RECEIVERS_DETAIL = {
  operationId: 'list_receivers',
  summary: 'Receivers that fail or are suspended',
  description:
    'Up to about a minute late; the latest to begin failing comes first. A key reads its own; an operator reads those of all ' +
    'keys or of `key`. A receiver is the URL of a key, or the URLs of its bookings at one scheme, host and port.',
};
