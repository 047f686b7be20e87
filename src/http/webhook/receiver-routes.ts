import { Elysia } from 'elysia';
import { listEndpoints } from '../../../projections/endpoints/query.ts';
import { enableEndpoint } from '../../application/webhook/endpoint-health.ts';
import { keyOfList, keyOfRequest } from '../../application/webhook/key-of-request.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { presentHealth, presentReceiver } from './present.ts';
import * as schema from './schema.ts';

/** Receivers that fail or are suspended. */
export function receiverRoutes(context: HttpContext) {
  return new Elysia({ name: 'receiver', tags: ['Webhooks'] })
    .use(access(context))
    .get(
      '/api/webhooks/receivers',
      async ({ query, caller, call }) => {
        const listed = keyOfList(caller, query.key);
        if (listed.kind === 'refused') return call.refuse(listed);
        const page = await listEndpoints(context.readModels, await context.collection('endpoints'), {
          keyId: listed.keyId,
          status: query.status ?? null,
          limit: query.limit ?? schema.DEFAULT_LIMIT,
          after: readCursor(query.cursor),
        });
        const items = page.items.map((endpoint) => presentReceiver(endpoint, context));
        return success({ items, next_cursor: writeCursor(page.next) });
      },
      {
        positioned: 'endpoints',
        keyOrOperator: 'webhook',
        query: schema.RECEIVERS_QUERY,
        response: schema.RECEIVERS_ANSWER,
        detail: schema.LIST_RECEIVERS_DETAIL,
      },
    )
    .post(
      '/api/webhooks/enable',
      async ({ body, caller, call }) => {
        const owner = keyOfRequest(caller, body.key, context.keys);
        if (owner.kind === 'refused') return call.refuse(owner);
        const { keyId, webhookUrl } = owner.key;
        const origin = URL.parse(body.webhook_url ?? '')?.origin;
        const endpoint = origin === undefined ? ({ kind: 'key' } as const) : ({ kind: 'booking', origin } as const);
        const enabled = await enableEndpoint({ keyId, endpoint }, webhookUrl, call.cause, context.webhooks);
        return call.reply(enabled, ({ health }) => presentHealth(health), commandHeaders);
      },
      {
        keyOrOperator: 'webhook',
        body: schema.enableBody(context.production),
        response: schema.ENABLED_ANSWER,
        detail: schema.ENABLE_DETAIL,
      },
    );
}
