import { Type } from 'typebox';
import { extended, nullable } from '../answer-fields.ts';
import { answers } from '../answers.ts';
import { body, withoutMembers } from '../schema.ts';
import { WEBHOOK_HEALTH, WEBHOOK_HEALTH_EXAMPLE } from '../webhook/schema.ts';
import { SPENDING, SPENDING_EXAMPLE } from './limits.ts';
import { KEY, KEY_EXAMPLE, PREVIOUS, ROTATED_SECRET, ROTATED_SECRET_EXAMPLE } from './schema.ts';
import { changedSettings, newSettings, ownSettings } from './settings.ts';
import { SECRET_OVERLAP, USAGE, USAGE_EXAMPLE, USE, USE_EXAMPLE } from './use-schema.ts';

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
      previous_secret_signs_until: SECRET_OVERLAP,
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
    previous_secret_signs_until: null,
    usage: USAGE_EXAMPLE,
    spending: SPENDING_EXAMPLE,
    use: USE_EXAMPLE,
  },
  ['SERVICE_UNAVAILABLE'],
);

export const CHANGED_OWN_KEY_ANSWER = answers(KEY, KEY_EXAMPLE, ['SERVICE_UNAVAILABLE'], ['x-position']);

export const ROTATED_SECRET_ANSWER = answers(
  ROTATED_SECRET,
  ROTATED_SECRET_EXAMPLE,
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
