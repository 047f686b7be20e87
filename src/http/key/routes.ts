import { Elysia } from 'elysia';
import { listKeys } from '../../../projections/keys/query.ts';
import { changeKey, createKey, readKey } from '../../application/key/manage-keys.ts';
import { keyEndpointHealth } from '../../application/webhook/endpoint-health.ts';
import { type KeySettings, PERMISSIONS } from '../../domain/apikey/apikey.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { presentHealth } from '../webhook/present.ts';
import { appliedHere } from './applied.ts';
import { presentExisting, presentKey, presentReplaced } from './present.ts';
import {
  CHANGED_KEY_ANSWER,
  CREATED_KEY_ANSWER,
  changeBody,
  createBody,
  DEFAULT_LIMIT,
  KEY_ANSWER,
  KEY_PATH,
  KEYS_ANSWER,
  KEYS_QUERY,
} from './schema.ts';
import { settingsIn } from './settings.ts';

const DEFAULTS: Omit<KeySettings, 'name'> = {
  plan: 'free',
  permissions: PERMISSIONS,
  webhookUrl: null,
  webhookEvents: null,
  ipAllowlist: null,
  contactEmail: null,
  expiresAt: null,
};

export function keyRoutes(context: HttpContext) {
  const { clock, production } = context;
  return new Elysia({ name: 'key', tags: ['Keys'] })
    .use(access(context))
    .get(
      '/api/keys',
      async ({ query }) => {
        const page = await listKeys(context.readModels, await context.collection('keys'), {
          active: query.active ?? null,
          plan: query.plan ?? null,
          limit: query.limit ?? DEFAULT_LIMIT,
          after: readCursor(query.cursor),
        });
        return success({ items: page.items.map(presentKey), next_cursor: writeCursor(page.next) });
      },
      {
        operator: 'admin',
        positioned: 'keys',
        query: KEYS_QUERY,
        response: KEYS_ANSWER,
        detail: {
          operationId: 'list_keys',
          summary: 'All API keys',
          description: 'Newest first, without their values. `active` and `plan` are filters.',
        },
      },
    )
    .post(
      '/api/keys',
      async ({ body, call }) => {
        const settings = { ...DEFAULTS, ...settingsIn(body), name: body.name };
        const created = await appliedHere(await createKey(settings, call.cause, context), context);
        return call.reply(
          created,
          ({ key, value, webhookSecret }) => ({ ...presentExisting(key), key: value, webhook_secret: webhookSecret }),
          commandHeaders,
        );
      },
      {
        operator: 'admin',
        body: createBody(production, clock),
        response: CREATED_KEY_ANSWER,
        detail: {
          operationId: 'create_key',
          summary: 'Create an API key',
          description:
            'This answer is the only one that returns the key and the webhook secret. Defaults: plan `free`, all ' +
            'permissions. Only a key of the plan `enterprise` can have an `ip_allowlist`.',
        },
      },
    )
    .get(
      '/api/keys/:id',
      // Reads the key's stream, which contains the changes of all nodes.
      async ({ params, call }) => {
        const read = await readKey(params.id, context);
        if (read.kind === 'refused') return call.refuse(read);
        const webhook = await keyEndpointHealth(read.key.facts, context.webhooks);
        if (webhook.kind === 'refused') return call.refuse(webhook);
        const previous = presentReplaced(read.key.replaced, clock);
        return success({ ...presentExisting(read.key), webhook: presentHealth(webhook.health), previous });
      },
      {
        operator: 'admin',
        params: KEY_PATH,
        response: KEY_ANSWER,
        detail: {
          operationId: 'get_key',
          summary: 'One API key',
          description: 'The key with the changes of every node, and the health of its receiver.',
        },
      },
    )
    .patch(
      '/api/keys/:id',
      async ({ params, body, call }) => {
        const changed = await appliedHere(await changeKey(params.id, settingsIn(body), call.cause, context), context);
        return call.reply(changed, ({ key }) => presentExisting(key), commandHeaders);
      },
      {
        operator: 'admin',
        params: KEY_PATH,
        body: changeBody(production, clock),
        response: CHANGED_KEY_ANSWER,
        detail: CHANGE_DETAIL,
      },
    );
}

const CHANGE_DETAIL = {
  operationId: 'change_key',
  summary: 'Change an API key',
  description:
    'A setting that is left out stays as it is. Null clears `webhook_url`, `ip_allowlist`, `contact_email` and `expires_at`. ' +
    'In `webhook_events` null means all events, an empty list none. Clear the `ip_allowlist` of a key in the request that ' +
    'takes the key off the plan `enterprise`. The change applies from this answer on, on other nodes within a second; ' +
    'pending deliveries are sent to the new `webhook_url`.',
};
