import { Elysia } from 'elysia';
import { spendingToday } from '../../application/booking/spending-limits.ts';
import {
  changeKey,
  finishWebhookSecretRotation,
  readKey,
  rotateWebhookSecret,
} from '../../application/key/manage-keys.ts';
import { keyEndpointHealth } from '../../application/webhook/endpoint-health.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { appliedHere } from '../applied-here.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { presentHealth } from '../webhook/present.ts';
import { presentSpending } from './limits.ts';
import * as schema from './own-schema.ts';
import {
  presentExisting,
  presentKey,
  presentNewSecret,
  presentReplaced,
  presentRequests,
  presentUsage,
  secretOverlap,
} from './present.ts';
import { settingsIn } from './settings.ts';
import { useOf } from './use-of-keys.ts';

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
        const spent = await spendingToday(key.keyId, context);
        if (spent?.kind === 'refused') return call.refuse(spent);
        const stored = await readKey(key.keyId, context);
        if (stored.kind === 'refused') return call.refuse(stored);
        const use = await useOf(key, context);
        return success({
          ...presentKey(key),
          webhook: presentHealth(webhook.health),
          previous: presentReplaced(key.replaced, clock),
          previous_secret_signs_until: secretOverlap(stored.key, clock),
          usage: presentUsage(call.usage),
          spending: presentSpending(spent),
          use: { today: presentRequests(use.today) },
        });
      },
      {
        apiKey: { permission: null, uncounted: true },
        response: schema.OWN_KEY_ANSWER,
        detail: schema.OWN_KEY_DETAIL,
      },
    )
    .patch(
      '/api/keys/self',
      async ({ body, key: { keyId }, call }) => {
        const changed = await appliedHere(
          'keys',
          await changeKey(keyId, settingsIn(body), call.cause, context),
          context,
        );
        return call.reply(changed, ({ key }) => presentExisting(key), commandHeaders);
      },
      {
        apiKey: 'webhook',
        body: schema.changeOwnBody(production),
        response: schema.CHANGED_OWN_KEY_ANSWER,
        detail: schema.CHANGE_OWN_KEY_DETAIL,
      },
    )
    .post(
      '/api/keys/self/webhook_secret/rotate',
      async ({ key: { keyId }, call }) => {
        const rotated = await appliedHere('keys', await rotateWebhookSecret(keyId, call.cause, context), context);
        return call.reply(rotated, presentNewSecret, commandHeaders);
      },
      { apiKey: 'webhook', response: schema.ROTATED_SECRET_ANSWER, detail: schema.ROTATE_SECRET_DETAIL },
    )
    .post(
      '/api/keys/self/webhook_secret/rotate/finish',
      async ({ key: { keyId }, call }) => {
        const finished = await appliedHere(
          'keys',
          await finishWebhookSecretRotation(keyId, call.cause, context),
          context,
        );
        return call.reply(finished, ({ key }) => presentExisting(key), commandHeaders);
      },
      { apiKey: 'webhook', response: schema.CHANGED_OWN_KEY_ANSWER, detail: schema.FINISH_ROTATION_DETAIL },
    );
}
