import { Type } from 'typebox';
import { COUNT, extended, nullable, TIMESTAMP } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { body, withoutMembers } from '../schema.ts';
import { WEBHOOK_HEALTH, WEBHOOK_HEALTH_EXAMPLE } from '../webhook/schema.ts';
import { SPENDING, SPENDING_EXAMPLE } from './limits.ts';
import { KEY, KEY_EXAMPLE, PREVIOUS, WEBHOOK_SECRET } from './schema.ts';
import { changedSettings, newSettings, ownSettings } from './settings.ts';

const LEFT = { limit: COUNT, used: COUNT, remaining: COUNT };
const USAGE = Type.Object(
  { minute: Type.Object(LEFT), day: Type.Object({ ...LEFT, resets_at: TIMESTAMP }) },
  {
    $id: 'Usage',
    description: '`minute` is a sliding window of 60 seconds, `day` a day in UTC. Null if the plan has no limits.',
  },
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
        description: 'By the `operationId` of this reference: successes, refusals (4xx), failures (5xx).',
      }),
    }),
  },
  {
    $id: 'Use',
    description: 'All answered requests of this key today (UTC), including those that do not count against limits.',
  },
);
const USE_EXAMPLE = {
  today: {
    requests: 14,
    by_endpoint: { execute_booking: { ok: 2, refused: 1, failed: 0 }, own_key: { ok: 11, refused: 0, failed: 0 } },
  },
};

/** Refuses every setting that the holder of a key may not change. */
export function changeOwnBody(production: boolean) {
  const example = { webhook_url: 'https://agent.example/waymark' };
  const own = ownSettings(production);
  const all = Object.keys({ ...newSettings(production), ...changedSettings(production) });
  return withoutMembers(
    [...all.filter((name) => !Object.hasOwn(own, name)), 'active'],
    'ask the operator for such a change',
    body(Type.Object(own, { examples: [example] })),
  );
}

export const OWN_KEY_ANSWER = answers(
  extended(
    KEY,
    {
      webhook: WEBHOOK_HEALTH,
      previous: PREVIOUS,
      usage: nullable(USAGE),
      spending: nullable(SPENDING),
      use: USE,
    },
    { $id: 'OwnKey' },
  ),
  {
    ...KEY_EXAMPLE,
    webhook: WEBHOOK_HEALTH_EXAMPLE,
    previous: null,
    usage: USAGE_EXAMPLE,
    spending: SPENDING_EXAMPLE,
    use: USE_EXAMPLE,
  },
  ['SERVICE_UNAVAILABLE'],
);

export const CHANGED_OWN_KEY_ANSWER = answers(KEY, KEY_EXAMPLE, ['SERVICE_UNAVAILABLE'], ['x-position']);

export const ROTATED_SECRET_ANSWER = answers(
  extended(
    KEY,
    { webhook_secret: WEBHOOK_SECRET, previous_secret_signs_until: TIMESTAMP },
    { $id: 'KeyWithNewSecret' },
  ),
  {
    ...KEY_EXAMPLE,
    webhook_secret: '<WEBHOOK_SECRET>',
    previous_secret_signs_until: '2026-11-22T06:40:00.000Z',
  },
  ['SERVICE_UNAVAILABLE'],
  ['x-position'],
);

export const ROTATE_SECRET_DETAIL = {
  operationId: 'rotate_webhook_secret',
  summary: 'Replace the webhook secret',
  description:
    'This answer is the only one that returns the new secret. For 24 hours, or until `…/rotate/finish`, `webhook-signature` ' +
    'has one signature for each secret, the new one first, and the replaced secret makes `X-Service-Signature`. A secret that ' +
    'was replaced before it stops signing at once.',
};

export const FINISH_ROTATION_DETAIL = {
  operationId: 'finish_webhook_secret_rotation',
  summary: 'End the rotation of the webhook secret',
  description: 'From now on only the new secret signs. If no rotation is in progress, nothing changes.',
};

export const OWN_KEY_DETAIL = {
  operationId: 'own_key',
  summary: 'The key of the request',
  description:
    'Plan, permissions and settings of the key in `x-api-key`, the health of its receiver, the use of its limits, and ' +
    'its requests of today. The request does not count against limits, and no limit refuses it.',
};

export const CHANGE_OWN_KEY_DETAIL = {
  operationId: 'change_own_key',
  summary: 'Change the key of the request',
  description:
    'Its name, receiver, events and contact. A setting that is left out stays as it is. Null clears `webhook_url` and ' +
    '`contact_email`. In `webhook_events` null means all events, an empty list none. Settings that only the operator ' +
    'changes (`plan`, `permissions`, `ip_allowlist`, `expires_at`, `limits`, `hotel_ids`, `exploration`, `active`) are refused.',
};
