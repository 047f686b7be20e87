import { Type } from 'typebox';
import { PERMISSIONS, PLANS } from '../../domain/apikey/apikey.ts';
import type { Declaration } from '../endpoint.ts';
import { COUNT, nullable, oneOf, TIMESTAMP } from '../schemas.ts';
import { KEY, KEY_EXAMPLE, KEY_MEMBERS, PREVIOUS, WEBHOOK_SECRET } from './keys.ts';
import { WEBHOOK_HEALTH, WEBHOOK_HEALTH_EXAMPLE } from './suspension.ts';

const LEFT = { limit: COUNT, used: COUNT, remaining: COUNT };
const USAGE = Type.Object(
  { minute: Type.Object(LEFT), day: Type.Object({ ...LEFT, resets_at: TIMESTAMP }) },
  { $id: 'Usage', description: 'The minute slides; the day is that of UTC. Null where the plan has no limits.' },
);
const USAGE_EXAMPLE = {
  minute: { limit: 60, used: 1, remaining: 59 },
  day: { limit: 1000, used: 12, remaining: 988, resets_at: '2026-11-22T00:00:00.000Z' },
};

const USE = Type.Object(
  {
    today: Type.Object({
      requests: COUNT,
      by_endpoint: Type.Record(Type.String(), Type.Object({ ok: COUNT, refused: COUNT, failed: COUNT }), {
        description: 'By the `operationId` of this reference: answered, refused with a 4xx, failed with a 5xx.',
      }),
    }),
  },
  { $id: 'Use', description: 'All requests with this key that were answered today (UTC), whether or not they count.' },
);
const USE_EXAMPLE = {
  today: {
    requests: 14,
    by_endpoint: { execute_booking: { ok: 2, refused: 1, failed: 0 }, own_key: { ok: 11, refused: 0, failed: 0 } },
  },
};

export const OWN_KEY = {
  by: 'key',
  permission: null,
  uncounted: true,
  id: 'own_key',
  tag: 'Keys',
  summary: 'The key that asks',
  description:
    'Plan, permissions and settings of the key in `x-api-key`, how its receiver does, what is used and left of its limits, and what it asked for ' +
    'today. Asking counts for no limit, and is never refused for one.',
  answer: {
    data: Type.Object({
      ...KEY_MEMBERS,
      webhook: WEBHOOK_HEALTH,
      previous: PREVIOUS,
      usage: nullable(USAGE),
      use: USE,
    }),
    example: {
      ...KEY_EXAMPLE,
      webhook: WEBHOOK_HEALTH_EXAMPLE,
      previous: null,
      usage: USAGE_EXAMPLE,
      use: USE_EXAMPLE,
    },
  },
  refusals: ['SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;

export const CHANGE_OWN_KEY = {
  by: 'key',
  permission: 'webhook',
  id: 'change_own_key',
  tag: 'Keys',
  summary: 'Change the key that asks',
  description:
    'Its name, receiver, events and contact: what is left out stays as it was. Null empties `webhook_url` and `contact_email`, ' +
    'and stands for all events in `webhook_events`, of which an empty list means none. Members that only the operator changes ' +
    '(`plan`, `permissions`, `ip_allowlist`, `expires_at`, `active`) are refused.',
  answer: { data: KEY, example: KEY_EXAMPLE, headers: ['x-position'] },
  refusals: ['SERVICE_UNAVAILABLE'],
  example: { webhook_url: 'https://agent.example/waymark' },
} as const satisfies Declaration;

export const ROTATE_WEBHOOK_SECRET = {
  by: 'key',
  permission: 'webhook',
  id: 'rotate_webhook_secret',
  tag: 'Keys',
  summary: 'Replace the webhook secret',
  description:
    'The new secret is shown in this answer only. For 24 hours, or until `…/rotate/finish`, `webhook-signature` carries a ' +
    "signature with each, the new one first, and `X-Service-Signature` the replaced one's. A secret that was replaced before " +
    'that ends at once.',
  answer: {
    data: Type.Object({ ...KEY_MEMBERS, webhook_secret: WEBHOOK_SECRET, previous_secret_signs_until: TIMESTAMP }),
    example: {
      ...KEY_EXAMPLE,
      webhook_secret: '<WEBHOOK_SECRET>',
      previous_secret_signs_until: '2026-11-22T06:40:00.000Z',
    },
    headers: ['x-position', 'cache-control'],
  },
  refusals: ['SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;

export const FINISH_WEBHOOK_SECRET_ROTATION = {
  by: 'key',
  permission: 'webhook',
  id: 'finish_webhook_secret_rotation',
  tag: 'Keys',
  summary: 'Let the replaced webhook secret go',
  description: 'From now on the present secret signs alone. Where none is being replaced, nothing happens.',
  answer: { data: KEY, example: KEY_EXAMPLE, headers: ['x-position'] },
  refusals: ['SERVICE_UNAVAILABLE'],
} as const satisfies Declaration;

export const HEALTH = {
  by: 'key',
  permission: null,
  uncounted: true,
  id: 'health',
  tag: 'Keys',
  summary: 'Does this key work?',
  description: 'Any valid key may ask, as often as it likes: it counts for no limit.',
  answer: {
    data: Type.Object({
      status: Type.Literal('ok'),
      version: Type.String(),
      time: TIMESTAMP,
      key: Type.Object({
        prefix: Type.String(),
        name: Type.String(),
        plan: oneOf(PLANS),
        permissions: Type.Array(oneOf(PERMISSIONS)),
        daily_remaining: nullable(Type.Integer({ minimum: 0, description: 'Null: unlimited.' })),
      }),
    }),
    example: {
      status: 'ok',
      version: '0.1.0',
      time: '2026-11-21T06:41:00.000Z',
      key: {
        prefix: 'pk_9c41d7',
        name: 'Trip planner',
        plan: 'basic',
        permissions: ['execute_booking', 'inventory'],
        daily_remaining: 988,
      },
    },
  },
  refusals: [],
} as const satisfies Declaration;
