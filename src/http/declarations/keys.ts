import { Type } from 'typebox';
import { PERMISSIONS, PLANS, WEBHOOK_EVENTS } from '../../domain/apikey/apikey.ts';
import type { Declaration } from '../endpoint.ts';
import { nullable, oneOf, pageOf, TIMESTAMP } from '../schemas.ts';
import { WEBHOOK_HEALTH, WEBHOOK_HEALTH_EXAMPLE } from './suspension.ts';

/** The members of a key, in every answer that shows one. */
export const KEY_MEMBERS = {
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

export const KEY = Type.Object(KEY_MEMBERS, { $id: 'Key' });
const VALUE = Type.String({ description: '64 lower-case hexadecimal characters. Shown here and nowhere else.' });
export const WEBHOOK_SECRET = Type.String({
  description: 'Signs what is sent to receivers. Shown here and nowhere else.',
});
/** The value that was replaced, while it works. */
export const PREVIOUS = nullable(
  Type.Object(
    { prefix: Type.String(), works_until: TIMESTAMP },
    { $id: 'PreviousValue', description: 'The value that was replaced, while it still works; else null.' },
  ),
);
const NEW_KEY = Type.Object({ ...KEY_MEMBERS, key: VALUE, webhook_secret: WEBHOOK_SECRET }, { $id: 'NewKey' });

export const KEY_EXAMPLE = {
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

const PREVIOUS_EXAMPLE = { prefix: 'pk_9c41d7', works_until: '2026-11-22T06:40:00.000Z' };
const ID = { id: 'The `id` of a key.' };
const REFUSALS = ['NOT_FOUND', 'SERVICE_UNAVAILABLE'] as const;

export const CREATE_KEY = {
  by: 'operator',
  least: 'admin',
  id: 'create_key',
  tag: 'Keys',
  summary: 'Make an API key',
  description:
    'Key and webhook secret are shown in this answer only. Defaults: plan `free`, all permissions. `ip_allowlist` is possible ' +
    'on the plan `enterprise` only.',
  answer: {
    data: NEW_KEY,
    example: { ...KEY_EXAMPLE, key: '<API_KEY>', webhook_secret: '<WEBHOOK_SECRET>' },
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
  least: 'admin',
  id: 'list_keys',
  tag: 'Keys',
  summary: 'All API keys',
  description: 'Newest first; never their values. `active` and `plan` narrow the list down.',
  headers: ['x-position'],
  answer: { data: pageOf(KEY), example: { items: [KEY_EXAMPLE], next_cursor: null } },
  refusals: [],
} as const satisfies Declaration;

export const KEY_BY_ID = {
  by: 'operator',
  least: 'admin',
  id: 'get_key',
  tag: 'Keys',
  summary: 'One API key',
  description: 'As it is now, whichever node changed it, and how its receiver does.',
  params: ID,
  answer: {
    data: Type.Object({ ...KEY_MEMBERS, webhook: WEBHOOK_HEALTH, previous: PREVIOUS }),
    example: { ...KEY_EXAMPLE, webhook: WEBHOOK_HEALTH_EXAMPLE, previous: PREVIOUS_EXAMPLE },
  },
  refusals: REFUSALS,
} as const satisfies Declaration;

export const CHANGE_KEY = {
  by: 'operator',
  least: 'admin',
  id: 'change_key',
  tag: 'Keys',
  summary: 'Change an API key',
  description:
    'What is left out stays as it was. Null empties `webhook_url`, `ip_allowlist`, `contact_email` and `expires_at`, and stands ' +
    'for all events in `webhook_events`, of which an empty list means none. A key with an `ip_allowlist` leaves the plan ' +
    '`enterprise` only together with it. It holds from this answer on, on other nodes within a second; deliveries under way go ' +
    'to the present `webhook_url`.',
  params: ID,
  answer: { data: KEY, example: { ...KEY_EXAMPLE, plan: 'premium' }, headers: ['x-position'] },
  refusals: REFUSALS,
  example: { plan: 'premium' },
} as const satisfies Declaration;

export const DEACTIVATE_KEY = {
  by: 'operator',
  least: 'admin',
  id: 'deactivate_key',
  tag: 'Keys',
  summary: 'Deactivate an API key',
  description:
    'It holds from this answer on, on other nodes within a second. A key that is inactive already stays so. Nothing is sent to ' +
    'its receiver while it is inactive.',
  params: ID,
  answer: { data: KEY, example: { ...KEY_EXAMPLE, active: false }, headers: ['x-position'] },
  refusals: REFUSALS,
} as const satisfies Declaration;

export const ACTIVATE_KEY = {
  by: 'operator',
  least: 'admin',
  id: 'activate_key',
  tag: 'Keys',
  summary: 'Activate an API key again',
  description:
    'With the values and settings that it had. A key that is active stays so; one that has expired stays expired.',
  params: ID,
  answer: { data: KEY, example: KEY_EXAMPLE, headers: ['x-position'] },
  refusals: REFUSALS,
} as const satisfies Declaration;

export const ROTATE_KEY = {
  by: 'operator',
  least: 'admin',
  id: 'rotate_key',
  tag: 'Keys',
  summary: "Replace an API key's value",
  description:
    'The new value is shown in this answer only. The one that it replaces works for `overlap_hours` more; one that was replaced ' +
    'before that ends at once, so that two work at most. It stays the same key, with the same bookings, limits and statement.',
  params: ID,
  answer: {
    data: Type.Object({ ...KEY_MEMBERS, key: VALUE, previous: PREVIOUS }, { $id: 'RotatedKey' }),
    example: { ...KEY_EXAMPLE, prefix: 'pk_2b80f1', key: '<API_KEY>', previous: PREVIOUS_EXAMPLE },
    headers: ['x-position', 'cache-control'],
  },
  refusals: REFUSALS,
  example: { overlap_hours: 24 },
} as const satisfies Declaration;
