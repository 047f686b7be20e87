import { Elysia } from 'elysia';
import { activateKey, deactivateKey, rotateKey } from '../../application/key/manage-keys.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { appliedHere } from './applied.ts';
import { presentExisting, presentReplaced } from './present.ts';
import {
  ACTIVATED_KEY,
  DEACTIVATED_KEY,
  DEFAULT_OVERLAP_HOURS,
  KEY_PATH,
  ROTATE_REQUEST,
  ROTATED_KEY,
} from './schema.ts';

/** Deactivates, activates and rotates keys. */
export function keyLifecycleRoutes(context: HttpContext) {
  return new Elysia({ name: 'key-lifecycle' })
    .use(access(context))
    .post(
      '/api/keys/:id/deactivate',
      async ({ params, call, set }) => {
        const deactivated = await deactivateKey(params.id, call.cause, context);
        if (deactivated.kind === 'refused') return call.refuse(deactivated);
        Object.assign(set.headers, await appliedHere(deactivated, context));
        return success(presentExisting(deactivated.key));
      },
      {
        operator: 'admin',
        params: KEY_PATH,
        response: DEACTIVATED_KEY,
        detail: {
          operationId: 'deactivate_key',
          tags: ['Keys'],
          summary: 'Deactivate an API key',
          description:
            'Applies from this answer on, on other nodes within a second. An inactive key stays inactive. Its receiver ' +
            'gets no events while the key is inactive.',
        },
      },
    )
    .post(
      '/api/keys/:id/activate',
      async ({ params, call, set }) => {
        const activated = await activateKey(params.id, call.cause, context);
        if (activated.kind === 'refused') return call.refuse(activated);
        Object.assign(set.headers, await appliedHere(activated, context));
        return success(presentExisting(activated.key));
      },
      {
        operator: 'admin',
        params: KEY_PATH,
        response: ACTIVATED_KEY,
        detail: {
          operationId: 'activate_key',
          tags: ['Keys'],
          summary: 'Activate an API key again',
          description:
            'The key keeps its values and settings. An active key stays active; an expired key stays expired.',
        },
      },
    )
    .post(
      '/api/keys/:id/rotate',
      async ({ params, body, call, set }) => {
        const overlapHours = body.overlap_hours ?? DEFAULT_OVERLAP_HOURS;
        const rotated = await rotateKey(params.id, { overlapHours }, call.cause, context);
        if (rotated.kind === 'refused') return call.refuse(rotated);
        Object.assign(set.headers, await appliedHere(rotated, context));
        const { key, value } = rotated;
        return success({
          ...presentExisting(key),
          key: value,
          previous: presentReplaced(key.replaced, context.clock),
        });
      },
      {
        operator: 'admin',
        params: KEY_PATH,
        body: ROTATE_REQUEST,
        response: ROTATED_KEY,
        detail: {
          operationId: 'rotate_key',
          tags: ['Keys'],
          summary: "Replace an API key's value",
          description:
            'This answer is the only one that returns the new value. The replaced value works for `overlap_hours` more. A ' +
            'value that was replaced before it stops working at once: at most two values work. The key keeps its id, ' +
            'bookings, limits and statement.',
        },
      },
    );
}
