import { Type } from 'typebox';
import { PERMISSIONS, PLANS, WEBHOOK_EVENTS } from '../../domain/apikey/apikey.ts';
import type { Declaration } from '../endpoint.ts';
import { COUNT, nullable, oneOf, pageOf, TIMESTAMP } from '../schemas.ts';

const MEMBERS = {
  id: Type.String(),
  name: Type.String(),
  prefix: Type.String({ pattern: '^pk_[0-9a-f]{6}$', description: 'What may be shown of the key.' }),
  plan: oneOf(PLANS),
  permissions: Type.Array(oneOf(PERMISSIONS)),
  webhook_url: nullable(Type.String()),
  webhook_events: Type.Array(oneOf(WEBHOOK_EVENTS)),
  ip_allowlist: nullable(Type.Array(Type.String())),
  contact_email: nullable(Type.String()),
  expires_at: nullable(TIMESTAMP),
  active: Type.Boolean(),
  created_at: TIMESTAMP,
};

export const KEY = Type.Object(MEMBERS, { $id: 'Key' });
const NEW_KEY = Type.Object(
  {
    ...MEMBERS,
    key: Type.String({ description: '64 lower-case hexadecimal characters. Shown here and nowhere else.' }),
    webhook_secret: Type.String({ description: 'Signs what is sent to receivers. Shown here and nowhere else.' }),
  },
  { $id: 'NewKey' },
);

const EXAMPLE = {
  id: 'key_3f0d9a52c1b84e67',
  name: 'Trip planner',
  prefix: 'pk_9c41d7',
  plan: 'basic',
  permissions: ['execute_booking', 'inventory'],
  webhook_url: 'https://agent.example/waymark',
  webhook_events: ['booking_confirmed', 'booking_cancelled'],
  ip_allowlist: null,
  contact_email: 'ops@agent.example',
  expires_at: null,
  active: true,
  created_at: '2026-11-21T06:40:00.000Z',
};

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

export const CREATE_KEY = {
  by: 'operator',
  access: 'write',
  id: 'create_key',
  tag: 'Keys',
  summary: 'Make an API key',
  description: 'Key and webhook secret are shown in this answer only. Defaults: plan `free`, all permissions.',
  answer: {
    data: NEW_KEY,
    example: { ...EXAMPLE, key: '<API_KEY>', webhook_secret: '<WEBHOOK_SECRET>' },
    headers: ['x-position', 'cache-control'],
  },
  refusals: ['SERVICE_UNAVAILABLE'],
  example: {
    name: 'Trip planner',
    plan: 'basic',
    permissions: ['execute_booking', 'inventory'],
    webhook_url: 'https://agent.example/waymark',
    webhook_events: ['booking_confirmed', 'booking_cancelled'],
    contact_email: 'ops@agent.example',
  },
} as const satisfies Declaration;

export const LIST_KEYS = {
  by: 'operator',
  access: 'read',
  id: 'list_keys',
  tag: 'Keys',
  summary: 'All API keys',
  description: 'Never their values.',
  headers: ['x-position'],
  answer: { data: pageOf(KEY), example: { items: [EXAMPLE], next_cursor: null } },
  refusals: [],
} as const satisfies Declaration;

export const OWN_KEY = {
  by: 'key',
  permission: null,
  uncounted: true,
  id: 'own_key',
  tag: 'Keys',
  summary: 'The key that asks',
  description:
    'Plan, permissions and settings of the key in `x-api-key`, what is used and left of its limits, and what it asked for ' +
    'today. Asking counts for no limit, and is never refused for one.',
  answer: {
    data: Type.Object({ ...MEMBERS, usage: nullable(USAGE), use: USE }),
    example: { ...EXAMPLE, usage: USAGE_EXAMPLE, use: USE_EXAMPLE },
  },
  refusals: [],
} as const satisfies Declaration;

export const DEACTIVATE_KEY = {
  by: 'operator',
  access: 'write',
  id: 'deactivate_key',
  tag: 'Keys',
  summary: 'Deactivate an API key',
  description: 'It holds from this answer on. A key that is inactive already stays so.',
  params: { id: 'The `id` of a key.' },
  answer: {
    data: Type.Object({ id: Type.String(), active: Type.Boolean() }),
    example: { id: 'key_3f0d9a52c1b84e67', active: false },
    headers: ['x-position'],
  },
  refusals: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
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
