import { Elysia } from 'elysia';
import { changeKey, finishWebhookSecretRotation, rotateWebhookSecret } from '../../application/key/manage-keys.ts';
import { keyEndpointHealth } from '../../application/webhook/endpoint-health.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { presentHealth } from '../webhook/present.ts';
import { appliedHere } from './applied.ts';
import { CHANGED_OWN_KEY_ANSWER, changeOwnBody, OWN_KEY_ANSWER, ROTATED_SECRET_ANSWER } from './own-schema.ts';
import { presentExisting, presentKey, presentReplaced, presentRequests, presentUsage } from './present.ts';
import { settingsIn } from './settings.ts';

/** The key of the caller. */
export function ownKeyRoutes(context: HttpContext) {
  const { clock, production } = context;
  return new Elysia({ name: 'own-key', tags: ['Keys'] })
    .use(access(context))
    .get(
      '/api/keys/self',
      async ({ key, call }) => {
        const webhook = await keyEndpointHealth(key, context.webhooks);
        if (webhook.kind === 'refused') return call.refuse(webhook);
        return success({
          ...presentKey(key),
          webhook: presentHealth(webhook.health),
          previous: presentReplaced(key.replaced, clock),
          usage: call.usage === null ? null : presentUsage(call.usage, clock.nowMs()),
          use: { today: presentRequests(await context.requestStatistics.today(key.keyId)) },
        });
      },
      {
        apiKey: { permission: null, uncounted: true },
        response: OWN_KEY_ANSWER,
        detail: {
          operationId: 'own_key',
          summary: 'The key of the request',
          description:
            'Plan, permissions and settings of the key in `x-api-key`, the health of its receiver, the use of its limits, and ' +
            'its requests of today. The request does not count against limits, and no limit refuses it.',
        },
      },
    )
    .patch(
      '/api/keys/self',
      async ({ body, key: { keyId }, call }) => {
        const changed = await appliedHere(await changeKey(keyId, settingsIn(body), call.cause, context), context);
        return call.reply(changed, ({ key }) => presentExisting(key), commandHeaders);
      },
      {
        apiKey: 'webhook',
        body: changeOwnBody(production),
        response: CHANGED_OWN_KEY_ANSWER,
        detail: {
          operationId: 'change_own_key',
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
      async ({ key: { keyId }, call }) => {
        const rotated = await appliedHere(await rotateWebhookSecret(keyId, call.cause, context), context);
        return call.reply(
          rotated,
          ({ key, webhookSecret, oldUntil }) => ({
            ...presentExisting(key),
            webhook_secret: webhookSecret,
            previous_secret_signs_until: oldUntil,
          }),
          commandHeaders,
        );
      },
      { apiKey: 'webhook', response: ROTATED_SECRET_ANSWER, detail: ROTATE_SECRET_DETAIL },
    )
    .post(
      '/api/keys/self/webhook_secret/rotate/finish',
      async ({ key: { keyId }, call }) => {
        const finished = await appliedHere(await finishWebhookSecretRotation(keyId, call.cause, context), context);
        return call.reply(finished, ({ key }) => presentExisting(key), commandHeaders);
      },
      { apiKey: 'webhook', response: CHANGED_OWN_KEY_ANSWER, detail: FINISH_ROTATION_DETAIL },
    );
}

const ROTATE_SECRET_DETAIL = {
  operationId: 'rotate_webhook_secret',
  summary: 'Replace the webhook secret',
  description:
    'This answer is the only one that returns the new secret. For 24 hours, or until `…/rotate/finish`, `webhook-signature` ' +
    'has one signature for each secret, the new one first, and the replaced secret makes `X-Service-Signature`. A secret that ' +
    'was replaced before it stops signing at once.',
};

const FINISH_ROTATION_DETAIL = {
  operationId: 'finish_webhook_secret_rotation',
  summary: 'End the rotation of the webhook secret',
  description: 'From now on only the new secret signs. If no rotation is in progress, nothing changes.',
};
