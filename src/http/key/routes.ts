import { Elysia } from 'elysia';
import { listKeys } from '../../../projections/keys/query.ts';
import { spendingToday } from '../../application/booking/spending-limits.ts';
import { changeKey, createKey, readKey } from '../../application/key/manage-keys.ts';
import { keyEndpointHealth } from '../../application/webhook/endpoint-health.ts';
import { type KeySettings, PERMISSIONS, type Plan } from '../../domain/apikey/apikey.ts';
import type { Mode } from '../../domain/ids.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { appliedHere } from '../applied-here.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { presentHealth } from '../webhook/present.ts';
import { presentSpending } from './limits.ts';
import {
  lastUsedAt,
  presentExisting,
  presentKey,
  presentReplaced,
  presentRequests,
  presentUsage,
  secretOverlap,
} from './present.ts';
import * as schema from './schema.ts';
import { settingsIn } from './settings.ts';
import { usageOf, useOf, usesOf } from './use-of-keys.ts';

/** A developer's whole journey fits `basic`. */
const DEFAULT_PLANS = { live: 'free', test: 'basic' } as const satisfies Record<Mode, Plan>;

const DEFAULTS: Omit<KeySettings, 'name' | 'plan'> = {
  permissions: PERMISSIONS,
  webhookUrl: null,
  webhookEvents: null,
  ipAllowlist: null,
  contactEmail: null,
  expiresAt: null,
};

export function keyRoutes(context: HttpContext) {
  const { clock } = context;
  return new Elysia({ name: 'key', tags: ['Keys'] })
    .use(access(context))
    .get(
      '/api/keys',
      async ({ query }) => {
        const page = await listKeys(context.readModels, await context.collection('keys'), {
          active: query.active ?? null,
          plan: query.plan ?? null,
          limit: query.limit ?? schema.DEFAULT_LIMIT,
          after: readCursor(query.cursor),
        });
        const items = (await usesOf(page.items, context)).map(async ({ key, use }) => ({
          ...presentKey(key),
          last_used_at: lastUsedAt(use),
          requests_today: presentRequests(use.today).requests,
          usage: presentUsage(await usageOf(key, context)),
        }));
        return success({ items: await Promise.all(items), next_cursor: writeCursor(page.next) });
      },
      {
        positioned: 'keys',
        operator: true,
        query: schema.KEYS_QUERY,
        response: schema.KEYS_ANSWER,
        detail: schema.LIST_KEYS_DETAIL,
      },
    )
    .post(
      '/api/keys',
      async ({ body, call }) => {
        const { name, mode = 'live' } = body;
        const settings = { ...DEFAULTS, plan: DEFAULT_PLANS[mode], ...settingsIn(body), name };
        const created = await appliedHere('keys', await createKey(mode, settings, call.cause, context), context);
        return call.reply(
          created,
          ({ key, value, webhookSecret }) => ({ ...presentExisting(key), key: value, webhook_secret: webhookSecret }),
          commandHeaders,
        );
      },
      {
        operator: true,
        body: schema.createBody(context),
        response: schema.CREATED_KEY_ANSWER,
        detail: schema.CREATE_KEY_DETAIL,
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
        const { facts } = read.key;
        const spent = await spendingToday(facts.keyId, context);
        if (spent?.kind === 'refused') return call.refuse(spent);
        const use = await useOf(facts, context);
        return success({
          ...presentExisting(read.key),
          webhook: presentHealth(webhook.health),
          previous: presentReplaced(read.key.replaced, clock),
          previous_secret_signs_until: secretOverlap(read.key, clock),
          last_used_at: lastUsedAt(use),
          usage: presentUsage(await usageOf(facts, context)),
          spending: presentSpending(spent),
          use: { today: presentRequests(use.today) },
        });
      },
      {
        operator: true,
        params: schema.KEY_PATH,
        response: schema.KEY_ANSWER,
        detail: schema.GET_KEY_DETAIL,
      },
    )
    .patch(
      '/api/keys/:id',
      async ({ params, body, call }) => {
        const changed = await appliedHere(
          'keys',
          await changeKey(params.id, settingsIn(body), call.cause, context),
          context,
        );
        return call.reply(changed, ({ key }) => presentExisting(key), commandHeaders);
      },
      {
        operator: true,
        params: schema.KEY_PATH,
        body: schema.changeBody(context),
        response: schema.CHANGED_KEY_ANSWER,
        detail: schema.CHANGE_DETAIL,
      },
    );
}
