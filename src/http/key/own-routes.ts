import { Elysia } from 'elysia';
import { changeKey, finishWebhookSecretRotation, rotateWebhookSecret } from '../../application/key/manage-keys.ts';
import { noReply } from '../../application/refusal.ts';
import { keyEndpointHealth } from '../../webhooks/endpoint-state.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { presentHealth } from '../webhook/present.ts';
import { appliedHere } from './applied.ts';
import { CHANGED_OWN_KEY, changeOwnRequest, OWN_KEY, ROTATED_SECRET } from './own-schema.ts';
import { presentExisting, presentKey, presentReplaced, presentUsage, presentUse } from './present.ts';
import { settingsIn } from './settings.ts';

/** The key of the caller. */
export function ownKeyRoutes(context: HttpContext) {
  const { clock, production } = context;
  return new Elysia({ name: 'own-key' })
    .use(access(context))
    .get(
      '/api/keys/self',
      async ({ key, call }) => {
        const webhook = await keyEndpointHealth(key, context.webhooks);
        if (webhook.kind === 'unavailable') return call.refuse(noReply(webhook));
        return success({
          ...presentKey(key),
          webhook: presentHealth(webhook.health),
          previous: presentReplaced(key.replaced, clock),
          usage: call.usage === null ? null : presentUsage(call.usage, clock.nowMs()),
          use: { today: presentUse(await context.use.today(key.keyId)) },
        });
      },
      {
        apiKey: { permission: null, uncounted: true },
        response: OWN_KEY,
        detail: {
          operationId: 'own_key',
          tags: ['Keys'],
          summary: 'The key of the request',
          description:
            'Plan, permissions and settings of the key in `x-api-key`, the health of its receiver, the use of its limits, and ' +
            'its requests of today. The request counts for no limit and is never refused for one.',
        },
      },
    )
    .patch(
      '/api/keys/self',
      async ({ body, key: { keyId }, call, set }) => {
        const changed = await changeKey(keyId, settingsIn(body), call.cause, context);
        if (changed.kind === 'refused') return call.refuse(changed);
        Object.assign(set.headers, await appliedHere(changed, context));
        return success(presentExisting(changed.key));
      },
      {
        apiKey: 'webhook',
        body: changeOwnRequest(production),
        response: CHANGED_OWN_KEY,
        detail: {
          operationId: 'change_own_key',
          tags: ['Keys'],
          summary: 'Change the key of the request',
          description:
            'Its name, receiver, events and contact. A setting that is left out stays as it is. Null clears `webhook_url` and ' +
            '`contact_email`. In `webhook_events` null means all events, an empty list none. Settings that only the operator ' +
            'changes (`plan`, `permissions`, `ip_allowlist`, `expires_at`, `active`) are refused.',
        },
      },
    )
    .post(
      '/api/keys/self/webhook_secret/rotate',
      async ({ key: { keyId }, call, set }) => {
        const rotated = await rotateWebhookSecret(keyId, call.cause, context);
        if (rotated.kind === 'refused') return call.refuse(rotated);
        Object.assign(set.headers, await appliedHere(rotated, context));
        const { key, webhookSecret, oldUntil } = rotated;
        return success({
          ...presentExisting(key),
          webhook_secret: webhookSecret,
          previous_secret_signs_until: oldUntil,
        });
      },
      { apiKey: 'webhook', response: ROTATED_SECRET, detail: ROTATE_SECRET_DETAIL },
    )
    .post(
      '/api/keys/self/webhook_secret/rotate/finish',
      async ({ key: { keyId }, call, set }) => {
        const finished = await finishWebhookSecretRotation(keyId, call.cause, context);
        if (finished.kind === 'refused') return call.refuse(finished);
        Object.assign(set.headers, await appliedHere(finished, context));
        return success(presentExisting(finished.key));
      },
      { apiKey: 'webhook', response: CHANGED_OWN_KEY, detail: FINISH_ROTATION_DETAIL },
    );
}

const ROTATE_SECRET_DETAIL = {
  operationId: 'rotate_webhook_secret',
  tags: ['Keys'],
  summary: 'Replace the webhook secret',
  description:
    'This answer is the only one that returns the new secret. For 24 hours, or until `…/rotate/finish`, `webhook-signature` ' +
    'has one signature for each secret, the new one first, and `X-Service-Signature` is made with the replaced secret. A ' +
    'secret that was replaced before it stops signing at once.',
};

const FINISH_ROTATION_DETAIL = {
  operationId: 'finish_webhook_secret_rotation',
  tags: ['Keys'],
  summary: 'End the rotation of the webhook secret',
  description: 'From now on only the new secret signs. Where no rotation is in progress, nothing changes.',
};
