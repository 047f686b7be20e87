import { Elysia } from 'elysia';
import { readStream } from '../../application/ops/read-stream.ts';
import { refused } from '../../application/refusal.ts';
import type { StoredEvent } from '../../ports/event-store.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import type { HttpContext, ProjectionStatus } from '../context.ts';
import { badCursor, readCursor, writeCursor } from '../cursor.ts';
import {
  DEFAULT_LIMIT,
  PROJECTION_PATH,
  PROJECTIONS_ANSWER,
  REBUILD_ANSWER,
  STREAM_ANSWER,
  STREAM_PATH,
  STREAM_QUERY,
} from './schema.ts';

export function opsRoutes(context: HttpContext) {
  const { operations, webhooks } = context;
  return new Elysia({ name: 'ops', tags: ['Operation'] })
    .use(access(context))
    .get('/api/ops/projections', async () => success({ items: (await operations.status()).map(presentProjection) }), {
      operator: 'analyst',
      response: PROJECTIONS_ANSWER,
      detail: {
        operationId: 'list_projections',
        summary: 'The position of each projection',
        description: 'With the progress of a rebuild, or the outcome of the last one.',
      },
    })
    .get(
      '/api/ops/streams/:stream',
      async ({ params: { stream }, query, role, call }) => {
        const cursor = readCursor(query.cursor);
        const from = cursor === null ? 0 : Number(cursor.value);
        const wrong = !Number.isSafeInteger(from) || from < 0 || (cursor?.id ?? stream) !== stream;
        if (wrong) return call.refuse(badCursor());
        const page = await readStream(stream, { from, limit: query.limit ?? DEFAULT_LIMIT, asker: role }, webhooks);
        return call.reply(page, ({ events, next }) => ({
          items: events.map(presentStored),
          next_cursor: writeCursor(next === null ? null : { value: String(next), id: stream }),
        }));
      },
      {
        operator: 'analyst',
        params: STREAM_PATH,
        query: STREAM_QUERY,
        response: STREAM_ANSWER,
        detail: {
          operationId: 'read_stream',
          summary: 'The events of one stream',
          description:
            'For support and audit: the events of a booking, a key or an allotment and who caused them, oldest first. Secrets ' +
            'and personal data of guests are hidden (GET /api/bookings/{booking_id} returns the guest); from analysts also ' +
            'receivers, addresses and voucher codes.',
        },
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
        operator: 'admin',
        params: PROJECTION_PATH,
        response: REBUILD_ANSWER,
        detail: {
          operationId: 'rebuild_projection',
          summary: 'Rebuild a projection from the log',
          description: 'Queries read the old collection meanwhile. The list of projections shows the progress.',
        },
      },
    );
}

function presentProjection({ caughtUp, lastRebuild, ...status }: ProjectionStatus) {
  return { ...status, caught_up: caughtUp, last_rebuild: lastRebuild };
}

function presentStored({ revision, position, id, type, data, cause }: StoredEvent) {
  const { at, by, correlationId, causationId } = cause;
  return {
    revision,
    position,
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
