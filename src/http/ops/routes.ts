import { Elysia } from 'elysia';
import { readStream } from '../../application/ops/read-stream.ts';
import { refused } from '../../application/refusal.ts';
import type { PositionForm } from '../../eventsourcing/message.ts';
import type { StoredEvent } from '../../ports/event-store.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext, ProjectionStatus } from '../context.ts';
import { badCursor, readCursor, writeCursor } from '../cursor.ts';
import * as schema from './schema.ts';

export function opsRoutes(context: HttpContext) {
  const { operations, positions, webhooks } = context;
  const project = (status: ProjectionStatus) => presentProjection(status, positions);
  return new Elysia({ name: 'ops', tags: ['Operation'] })
    .use(access(context))
    .get('/api/ops/projections', async () => success({ items: (await operations.status()).map(project) }), {
      operator: true,
      response: schema.PROJECTIONS_ANSWER,
      detail: schema.LIST_PROJECTIONS_DETAIL,
    })
    .get(
      '/api/ops/streams/:stream',
      async ({ params: { stream }, query, operator, call }) => {
        const cursor = readCursor(query.cursor);
        const from = cursor === null ? 0 : Number(cursor.value);
        const wrong = !Number.isSafeInteger(from) || from < 0 || (cursor?.id ?? stream) !== stream;
        if (wrong) return call.refuse(badCursor());
        const page = await readStream(
          stream,
          { from, limit: query.limit ?? schema.DEFAULT_LIMIT },
          operator.role,
          webhooks,
        );
        return call.reply(page, ({ events, next }) => ({
          items: events.map((event) => presentStored(event, positions)),
          next_cursor: writeCursor(next === null ? null : { value: String(next), id: stream }),
        }));
      },
      {
        operator: true,
        params: schema.STREAM_PATH,
        query: schema.STREAM_QUERY,
        response: schema.STREAM_ANSWER,
        detail: schema.READ_STREAM_DETAIL,
      },
    )
    .post(
      '/api/ops/projections/:name/rebuild',
      async ({ params: { name }, call }) => {
        const started = await operations.rebuild(name);
        if (started.kind !== 'unknown') return success({ name, rebuild: started.kind });
        const message = `There is no projection "${name}"; there are ${started.known.join(', ')}.`;
        return call.refuse(refused('NOT_FOUND', message));
      },
      {
        operator: true,
        params: schema.PROJECTION_PATH,
        response: schema.REBUILD_ANSWER,
        detail: schema.REBUILD_PROJECTION_DETAIL,
      },
    );
}

function presentProjection({ caughtUp, lastRebuild, ...status }: ProjectionStatus, { format }: PositionForm) {
  const { position, head, rebuild } = status;
  return {
    ...status,
    position: format(position),
    head: format(head),
    rebuild: rebuild && { ...rebuild, position: format(rebuild.position), head: format(rebuild.head) },
    caught_up: caughtUp,
    last_rebuild: lastRebuild,
  };
}

export function presentStored({ revision, position, id, type, data, cause }: StoredEvent, { format }: PositionForm) {
  const { at, by, correlationId, causationId } = cause;
  return {
    revision,
    position: format(position),
    event_id: id,
    type,
    // The data of every event is an object of named facts.
    data: data as Record<string, unknown>,
    at,
    by,
    correlation_id: correlationId,
    causation_id: causationId,
  };
}
