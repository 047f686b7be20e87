import { Type } from 'typebox';
import { PLANS } from '../../domain/apikey/apikey.ts';
import { MODES } from '../../domain/ids.ts';
import { extended, MODE, nullable, oneOf, PERMISSION, pageOf, TIMESTAMP, WEBHOOK_EVENT } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import * as field from '../fields.ts';
import { body, optional, path, query, withoutMembers } from '../schema.ts';
import { WEBHOOK_HEALTH, WEBHOOK_HEALTH_EXAMPLE } from '../webhook/schema.ts';
import { HOTEL_IDS, hotelsRule } from './hotels.ts';
import { LIMITS, LIMITS_EXAMPLE, limitsRules, SPENDING, SPENDING_EXAMPLE } from './limits.ts';
import { changedSettings, expiryAhead, newSettings, plan } from './settings.ts';
import { LAST_USED_AT, SECRET_OVERLAP, USAGE, USAGE_EXAMPLE, USE, USE_EXAMPLE } from './use-schema.ts';

export const DEFAULT_LIMIT = 20;
export const DEFAULT_OVERLAP_HOURS = 24;
const MAX_OVERLAP_HOURS = 168;

/** A key, as every answer has it. */
export const KEY = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    prefix: Type.String({ pattern: '^pk_[0-9a-f]{6}$', description: 'The part of the key that may be shown.' }),
    mode: MODE,
    plan: oneOf(PLANS),
    permissions: Type.Array(PERMISSION),
    webhook_url: nullable(Type.String()),
    webhook_events: Type.Array(WEBHOOK_EVENT),
    ip_allowlist: nullable(Type.Array(Type.String())),
    contact_email: nullable(Type.String()),
    expires_at: nullable(TIMESTAMP),
    limits: LIMITS,
    hotel_ids: HOTEL_IDS,
    exploration: Type.Boolean({ description: 'Whether recommend explores in its answers.' }),
    active: Type.Boolean(),
    created_at: TIMESTAMP,
  },
  { $id: 'Key' },
);
const VALUE = Type.String({ description: '64 lower-case hexadecimal characters. Returned in this answer only.' });
const WEBHOOK_SECRET = Type.String({
  description: 'Signs the events that are sent to receivers. Returned in this answer only.',
});
export const PREVIOUS = nullable(
  Type.Object(
    { prefix: Type.String(), works_until: TIMESTAMP },
    { $id: 'PreviousValue', description: 'The replaced value while it still works; else null.' },
  ),
);
const NEW_KEY = extended(KEY, { key: VALUE, webhook_secret: WEBHOOK_SECRET }, { $id: 'NewKey' });

export const KEY_EXAMPLE = {
  id: 'key_3f0d9a52c1b84e67',
  name: 'Trip planner',
  prefix: 'pk_9c41d7',
  mode: 'live' as const,
  plan: 'basic' as const,
  permissions: ['execute_booking', 'inventory'] as const,
  webhook_url: 'https://agent.example/waymark',
  webhook_events: ['booking_confirmed', 'booking_cancelled'] as const,
  ip_allowlist: null,
  contact_email: 'ops@agent.example',
  expires_at: null,
  limits: LIMITS_EXAMPLE,
  hotel_ids: [],
  exploration: true,
  active: true,
  created_at: '2026-11-21T06:40:00.000Z',
};

export const ROTATED_SECRET = extended(
  KEY,
  { webhook_secret: WEBHOOK_SECRET, previous_secret_signs_until: TIMESTAMP },
  { $id: 'KeyWithNewSecret' },
);
export const ROTATED_SECRET_EXAMPLE = {
  ...KEY_EXAMPLE,
  webhook_secret: '<WEBHOOK_SECRET>',
  previous_secret_signs_until: '2026-11-22T06:40:00.000Z',
};

const LAST_USED = '2026-11-21T06:52:10.004Z';

const PREVIOUS_EXAMPLE = { prefix: 'pk_9c41d7', works_until: '2026-11-22T06:40:00.000Z' };
const REFUSALS = ['NOT_FOUND', 'SERVICE_UNAVAILABLE'] as const;

export const KEY_PATH = path({ id: 'The `id` of a key.' });

const CREATE_EXAMPLE = {
  name: 'Trip planner',
  plan: 'basic',
  permissions: ['execute_booking', 'inventory'],
  webhook_url: 'https://agent.example/waymark',
  webhook_events: ['booking_confirmed', 'booking_cancelled'],
  contact_email: 'ops@agent.example',
  limits: LIMITS_EXAMPLE,
};

type BodyContext = Pick<HttpContext, 'production' | 'clock' | 'hotels'>;

export function createBody(context: BodyContext) {
  const { production, clock } = context;
  const fields = { ...newSettings(production), mode: field.choice(MODES, { default: 'live' }) };
  const rules = { expires_at: expiryAhead(clock), ...limitsRules, hotel_ids: hotelsRule(context) };
  return body(Type.Object(fields, { examples: [CREATE_EXAMPLE] }), rules);
}

export function changeBody(context: BodyContext) {
  const { production, clock } = context;
  const fields = Type.Object(changedSettings(production), { examples: [{ plan: 'basic' }] });
  return withoutMembers(
    ['active', 'key', 'webhook_secret'],
    'POST /api/keys/{id}/deactivate, …/activate and …/rotate do that',
    body(fields, { expires_at: expiryAhead(clock), ...limitsRules, hotel_ids: hotelsRule(context) }),
  );
}

export const KEYS_QUERY = query(
  Type.Object({
    active: optional(Type.Boolean(), 'true or false'),
    plan,
    limit: field.limit(100, DEFAULT_LIMIT),
    cursor: field.cursor,
  }),
);

export const ROTATE_BODY = body(
  Type.Object(
    {
      overlap_hours: optional(
        Type.Integer({ minimum: 0, maximum: MAX_OVERLAP_HOURS, default: DEFAULT_OVERLAP_HOURS }),
        `a whole number from 0 to ${MAX_OVERLAP_HOURS}`,
      ),
    },
    { examples: [{ overlap_hours: 24 }] },
  ),
);

export const CREATED_KEY_ANSWER = answers(
  NEW_KEY,
  { ...KEY_EXAMPLE, key: '<API_KEY>', webhook_secret: '<WEBHOOK_SECRET>' },
  ['SERVICE_UNAVAILABLE'],
  ['x-position'],
);

export const KEYS_ANSWER = answers(
  pageOf(
    extended(
      KEY,
      {
        last_used_at: LAST_USED_AT,
        requests_today: Type.Integer({ minimum: 0, description: 'Answered requests since midnight UTC.' }),
        usage: nullable(USAGE),
      },
      { $id: 'KeyInList' },
    ),
  ),
  {
    items: [{ ...KEY_EXAMPLE, last_used_at: LAST_USED, requests_today: 14, usage: USAGE_EXAMPLE }],
    next_cursor: null,
  },
  ['SERVICE_UNAVAILABLE'],
);

export const KEY_ANSWER = answers(
  extended(
    KEY,
    {
      webhook: WEBHOOK_HEALTH,
      previous: PREVIOUS,
      previous_secret_signs_until: SECRET_OVERLAP,
      last_used_at: LAST_USED_AT,
      usage: nullable(USAGE),
      spending: nullable(SPENDING),
      use: USE,
    },
    { $id: 'KeyWithUse' },
  ),
  {
    ...KEY_EXAMPLE,
    webhook: WEBHOOK_HEALTH_EXAMPLE,
    previous: PREVIOUS_EXAMPLE,
    previous_secret_signs_until: null,
    last_used_at: LAST_USED,
    usage: USAGE_EXAMPLE,
    spending: SPENDING_EXAMPLE,
    use: USE_EXAMPLE,
  },
  REFUSALS,
);

export const CHANGED_KEY_ANSWER = answers(KEY, KEY_EXAMPLE, REFUSALS, ['x-position']);
export const DEACTIVATED_KEY_ANSWER = answers(KEY, { ...KEY_EXAMPLE, active: false }, REFUSALS, ['x-position']);
export const ACTIVATED_KEY_ANSWER = answers(KEY, KEY_EXAMPLE, REFUSALS, ['x-position']);

export const ROTATED_KEY_ANSWER = answers(
  extended(KEY, { key: VALUE, previous: PREVIOUS }, { $id: 'RotatedKey' }),
  { ...KEY_EXAMPLE, prefix: 'pk_2b80f1', key: '<API_KEY>', previous: PREVIOUS_EXAMPLE },
  REFUSALS,
  ['x-position'],
);

export const ROTATED_KEY_SECRET_ANSWER = answers(ROTATED_SECRET, ROTATED_SECRET_EXAMPLE, REFUSALS, ['x-position']);

export const ROTATE_SECRET_DETAIL = {
  operationId: 'rotate_key_webhook_secret',
  summary: "Replace a key's webhook secret",
  description:
    'This answer is the only one that returns the new secret. The replaced one signs for 24 hours more, or until ' +
    '`…/rotate/finish`, as after `POST /api/keys/self/webhook_secret/rotate`.',
};

export const FINISH_ROTATION_DETAIL = {
  operationId: 'finish_key_webhook_secret_rotation',
  summary: "End the rotation of a key's webhook secret",
  description: 'From now on only the new secret signs. If no rotation is in progress, nothing changes.',
};

export const DEACTIVATE_KEY_DETAIL = {
  operationId: 'deactivate_key',
  summary: 'Deactivate an API key',
  description:
    'Applies from this answer on, on other nodes within a second. An inactive key stays inactive. Its receiver ' +
    'gets no events while the key is inactive.',
};

export const ACTIVATE_KEY_DETAIL = {
  operationId: 'activate_key',
  summary: 'Activate an API key again',
  description: 'The key keeps its values and settings. An active key stays active; an expired key stays expired.',
};

export const ROTATE_KEY_DETAIL = {
  operationId: 'rotate_key',
  summary: "Replace an API key's value",
  description:
    'This answer is the only one that returns the new value. The replaced value works for `overlap_hours` more. A ' +
    'value that was replaced before it stops working at once: at most two values work. The key keeps its id, ' +
    'bookings, limits and statement.',
};

export const CHANGE_DETAIL = {
  operationId: 'change_key',
  summary: 'Change an API key',
  description:
    'A setting that is left out stays as it is. Null clears `webhook_url`, `ip_allowlist`, `contact_email` and `expires_at`. ' +
    'In `webhook_events` null means all events, an empty list none. Clear the `ip_allowlist` of a key in the request that ' +
    'takes the key off the plan `enterprise`. The change applies from this answer on, on other nodes within a second; ' +
    'pending deliveries are sent to the new `webhook_url`. In `limits` a member that is left out stays, null removes it; an ' +
    'amount needs `currency`.',
};

export const LIST_KEYS_DETAIL = {
  operationId: 'list_keys',
  summary: 'All API keys',
  description:
    'Newest first, without their values, each with its last use and the use of its limits. `active` and `plan` are filters.',
};

export const CREATE_KEY_DETAIL = {
  operationId: 'create_key',
  summary: 'Create an API key',
  description:
    'This answer is the only one that returns the key and the webhook secret. Defaults: plan `free`, all ' +
    'permissions. Only a key of the plan `enterprise` can have an `ip_allowlist`. A key with `mode: test` (default plan ' +
    '`basic`) books and charges nothing real, and mails only its `contact_email`; its mode never changes.',
};

export const GET_KEY_DETAIL = {
  operationId: 'get_key',
  summary: 'One API key',
  description: 'The key with the changes of every node, the health of its receiver, and its use of today.',
};
