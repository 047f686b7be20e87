import { Elysia } from 'elysia';
import {
  activateKey,
  deactivateKey,
  finishWebhookSecretRotation,
  rotateKey,
  rotateWebhookSecret,
} from '../../application/key/manage-keys.ts';
import { access } from '../access.ts';
import { appliedHere } from '../applied-here.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { presentExisting, presentNewSecret, presentReplaced } from './present.ts';
import * as schema from './schema.ts';

/** Deactivates, activates and rotates keys, and replaces their webhook secrets. */
export function keyLifecycleRoutes(context: HttpContext) {
  return new Elysia({ name: 'key-lifecycle', tags: ['Keys'] })
    .use(access(context))
    .post(
      '/api/keys/:id/deactivate',
      async ({ params, call }) => {
        const deactivated = await appliedHere('keys', await deactivateKey(params.id, call.cause, context), context);
        return call.reply(deactivated, ({ key }) => presentExisting(key), commandHeaders);
      },
      {
        operator: true,
        params: schema.KEY_PATH,
        response: schema.DEACTIVATED_KEY_ANSWER,
        detail: schema.DEACTIVATE_KEY_DETAIL,
      },
    )
    .post(
      '/api/keys/:id/activate',
      async ({ params, call }) => {
        const activated = await appliedHere('keys', await activateKey(params.id, call.cause, context), context);
        return call.reply(activated, ({ key }) => presentExisting(key), commandHeaders);
      },
      {
        operator: true,
        params: schema.KEY_PATH,
        response: schema.ACTIVATED_KEY_ANSWER,
        detail: schema.ACTIVATE_KEY_DETAIL,
      },
    )
    .post(
      '/api/keys/:id/rotate',
      async ({ params, body, call }) => {
        const overlapHours = body.overlap_hours ?? schema.DEFAULT_OVERLAP_HOURS;
        const rotated = await appliedHere(
          'keys',
          await rotateKey(params.id, { overlapHours }, call.cause, context),
          context,
        );
        return call.reply(
          rotated,
          ({ key, value }) => ({
            ...presentExisting(key),
            key: value,
            previous: presentReplaced(key.replaced, context.clock),
          }),
          commandHeaders,
        );
      },
      {
        operator: true,
        params: schema.KEY_PATH,
        body: schema.ROTATE_BODY,
        response: schema.ROTATED_KEY_ANSWER,
        detail: schema.ROTATE_KEY_DETAIL,
      },
    )
    .post(
      '/api/keys/:id/webhook_secret/rotate',
      async ({ params, call }) => {
        const rotated = await appliedHere('keys', await rotateWebhookSecret(params.id, call.cause, context), context);
        return call.reply(rotated, presentNewSecret, commandHeaders);
      },
      {
        operator: true,
        params: schema.KEY_PATH,
        response: schema.ROTATED_KEY_SECRET_ANSWER,
        detail: schema.ROTATE_SECRET_DETAIL,
      },
    )
    .post(
      '/api/keys/:id/webhook_secret/rotate/finish',
      async ({ params, call }) => {
        const finished = await appliedHere(
          'keys',
          await finishWebhookSecretRotation(params.id, call.cause, context),
          context,
        );
        return call.reply(finished, ({ key }) => presentExisting(key), commandHeaders);
      },
      {
        operator: true,
        params: schema.KEY_PATH,
        response: schema.CHANGED_KEY_ANSWER,
        detail: schema.FINISH_ROTATION_DETAIL,
      },
    );
}
