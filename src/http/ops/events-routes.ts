import { Elysia } from 'elysia';
import { browseEvents, readableCategories } from '../../application/ops/browse-events.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import { type Position, START } from '../../eventsourcing/message.ts';
import type { LogDirection } from '../../ports/event-store.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext } from '../context.ts';
import { badCursor, readCursor, writeCursor } from '../cursor.ts';
import * as schema from './events-schema.ts';
import { presentStored } from './routes.ts';
import { DEFAULT_LIMIT } from './schema.ts';

export function eventsRoutes(context: HttpContext) {
  const { positions, webhooks } = context;
  return new Elysia({ name: 'events', tags: ['Operation'] })
    .use(access(context))
    .get('/api/ops/streams', ({ operator }) => success({ items: [...readableCategories(operator.role)] }), {
      operator: true,
      response: schema.CATEGORIES_ANSWER,
      detail: schema.LIST_CATEGORIES_DETAIL,
    })
    .get(
      '/api/ops/events',
      async ({ query, operator, call }) => {
        const { direction = 'backwards', category = null, type = null, limit = DEFAULT_LIMIT } = query;
        const from = startOf(query, direction, context);
        if (typeof from === 'object') return call.refuse(from);
        const search = { category, type, correlationId: query.correlation_id ?? null, direction, from, limit };
        return call.reply(await browseEvents(search, operator.role, webhooks), ({ events, next }) => ({
          items: events.map((event) => ({ stream: event.stream, ...presentStored(event, positions) })),
          next_cursor: writeCursor(next === null ? null : { value: positions.format(next), id: direction }),
        }));
      },
      {
        operator: true,
        query: schema.EVENTS_QUERY,
        response: schema.EVENTS_ANSWER,
        detail: schema.BROWSE_EVENTS_DETAIL,
      },
    );
}

/** Where the search begins: at the cursor, at the event of a position (backwards before it), or at an end of the log. */
function startOf(
  { cursor, position }: { readonly cursor?: string | undefined; readonly position?: string | undefined },
  direction: LogDirection,
  { positions }: Pick<HttpContext, 'positions'>,
): Position | 'end' | Refused {
  const sent = readCursor(cursor);
  if (sent !== null) {
    const at = sent.id === direction ? positions.parse(String(sent.value)) : null;
    return at ?? badCursor();
  }
  if (position === undefined) return direction === 'backwards' ? 'end' : START;
  const at = positions.parse(position);
  if (at === null)
    return refused('INVALID_REQUEST', `position "${position}" is none of this log; copy it from an event.`);
  // A page holds what follows a position.
  return direction === 'backwards' ? at : (Math.max(START, at - 1) as Position);
}
