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
import { DEFAULT_LIMIT, FEED_ANSWER, FEED_QUERY } from './schema.ts';

export function feedRoutes(context: HttpContext) {
  return new Elysia({ name: 'feed', tags: ['Webhooks'] }).use(access(context)).get(
    '/api/b2a/events',
    async ({ query, key: { keyId }, call }) => {
      const page = await readFeed(context.readModels, await context.collection('feed'), {
        keyId,
        from: inLog(0, context.webhooks),
        after: query.after === undefined ? null : parsePublicEventId(query.after),
        limit: query.limit ?? DEFAULT_LIMIT,
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
      query: FEED_QUERY,
      response: FEED_ANSWER,
      detail: {
        operationId: 'event_feed',
        summary: "The key's events, oldest first",
        description:
          'All events of the key, of all types, with the same ids and bytes that a receiver gets, for as long as the ' +
          'delivery log is kept; the key needs no receiver. The events of one booking are in the order in which they ' +
          'happened. No event is inserted later before one that was returned. Send the `id` of the last event that you ' +
          'processed as `after`. `next_cursor` is the `id` of the last item; null if there are no more events now.',
      },
    },
  );
}
