import { Elysia } from 'elysia';
import { readFeed } from '../../../projections/feed/query.ts';
import { refused } from '../../application/refusal.ts';
import { inLog } from '../../application/webhook/delivery-log.ts';
import { readEventFacts } from '../../webhooks/event-facts.ts';
import { parsePublicEventId } from '../../webhooks/identifiers.ts';
import { publicEvent } from '../../webhooks/public-event.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './schema.ts';

export function feedRoutes(context: HttpContext) {
  return new Elysia({ name: 'feed', tags: ['Webhooks'] }).use(access(context)).get(
    '/api/b2a/events',
    async ({ query, key: { keyId }, call }) => {
      const page = await readFeed(context.readModels, await context.collection('feed'), {
        keyId,
        from: inLog(0, context.webhooks),
        after: query.after === undefined ? null : parsePublicEventId(query.after),
        limit: query.limit ?? schema.DEFAULT_LIMIT,
      });
      if (page.kind === 'unknown-event') {
        const message = `after must be the id of an event of this key; it was "${query.after}". Leave it out to begin with the oldest.`;
        return call.refuse(refused('INVALID_REQUEST', message));
      }
      const { store } = context.webhooks;
      const items = await Promise.all(page.items.map(async (named) => publicEvent(await readEventFacts(named, store))));
      return success({ items, next_cursor: page.more ? (items.at(-1)?.id ?? null) : null });
    },
    {
      apiKey: 'webhook',
      positioned: 'feed',
      query: schema.FEED_QUERY,
      response: schema.FEED_ANSWER,
      detail: schema.EVENT_FEED_DETAIL,
    },
  );
}
