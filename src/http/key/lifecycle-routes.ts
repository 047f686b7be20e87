import { Elysia } from 'elysia';
import { activateKey, deactivateKey, rotateKey } from '../../application/key/manage-keys.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { appliedHere } from './applied.ts';
import { presentExisting, presentReplaced } from './present.ts';
import {
  ACTIVATED_KEY_ANSWER,
  DEACTIVATED_KEY_ANSWER,
  DEFAULT_OVERLAP_HOURS,
  KEY_PATH,
  ROTATE_BODY,
  ROTATED_KEY_ANSWER,
} from './schema.ts';

/** Deactivates, activates and rotates keys. */
export function keyLifecycleRoutes(context: HttpContext) {
  return new Elysia({ name: 'key-lifecycle', tags: ['Keys'] })
    .use(access(context))
    .post(
      '/api/keys/:id/deactivate',
      async ({ params, call }) => {
        const deactivated = await appliedHere(await deactivateKey(params.id, call.cause, context), context);
        return call.reply(deactivated, ({ key }) => presentExisting(key), commandHeaders);
      },
      {
        operator: 'admin',
        params: KEY_PATH,
        response: DEACTIVATED_KEY_ANSWER,
        detail: {
          operationId: 'deactivate_key',
          summary: 'Deactivate an API key',
          description:
            'Applies from this answer on, on other nodes within a second. An inactive key stays inactive. Its receiver ' +
            'gets no events while the key is inactive.',
        },
      },
    )
    .post(
      '/api/keys/:id/activate',
      async ({ params, call }) => {
        const activated = await appliedHere(await activateKey(params.id, call.cause, context), context);
        return call.reply(activated, ({ key }) => presentExisting(key), commandHeaders);
      },
      {
        operator: 'admin',
        params: KEY_PATH,
        response: ACTIVATED_KEY_ANSWER,
        detail: {
          operationId: 'activate_key',
          summary: 'Activate an API key again',
          description:
            'The key keeps its values and settings. An active key stays active; an expired key stays expired.',
        },
      },
    )
    .post(
      '/api/keys/:id/rotate',
      async ({ params, body, call }) => {
        const overlapHours = body.overlap_hours ?? DEFAULT_OVERLAP_HOURS;
        const rotated = await appliedHere(await rotateKey(params.id, { overlapHours }, call.cause, context), context);
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
        operator: 'admin',
        params: KEY_PATH,
        body: ROTATE_BODY,
        response: ROTATED_KEY_ANSWER,
        detail: {
          operationId: 'rotate_key',
          summary: "Replace an API key's value",
          description:
            'This answer is the only one that returns the new value. The replaced value works for `overlap_hours` more. A ' +
            'value that was replaced before it stops working at once: at most two values work. The key keeps its id, ' +
            'bookings, limits and statement.',
        },
      },
    );
}
