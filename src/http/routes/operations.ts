import { Type } from 'typebox';
import { readStream } from '../../application/read-stream.ts';
import { refused } from '../../application/refusal.ts';
import type { StoredEvent } from '../../ports/event-store.ts';
import type { HttpContext, ProjectionStatus } from '../context.ts';
import { badCursor, readCursor, writeCursor } from '../cursor.ts';
import { LIVEZ, PROJECTIONS, READYZ, REBUILD, STREAM } from '../declarations/operations.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { form, optional } from '../form.ts';
import { readiness } from '../health.ts';

const DEFAULT_LIMIT = 100;

/** GET /api/ops/projections: how far each projection is, and what is being rebuilt. */
export function projections(context: HttpContext) {
  return endpoint(context, PROJECTIONS, null, async () => ({
    kind: 'data',
    data: { items: (await context.operations.status()).map(presentStatus) },
  }));
}

function presentStatus(status: ProjectionStatus) {
  const { caughtUp, lastRebuild, ...rest } = status;
  return { ...rest, caught_up: caughtUp, last_rebuild: lastRebuild };
}

/** POST /api/ops/projections/{name}/rebuild: starts one; its progress is in GET /api/ops/projections. */
export function rebuild(context: HttpContext) {
  return endpoint(context, REBUILD, null, async ({ params }) => {
    const name = params['name'] ?? '';
    const started = await context.operations.rebuild(name);
    if (started.kind === 'unknown') {
      return refused('NOT_FOUND', `There is no projection "${name}"; there are ${started.known.join(', ')}.`);
    }
    return { kind: 'data', data: { name, rebuild: started.kind } };
  });
}

const streamShape = form({
  limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }), 'a whole number from 1 to 100'),
  cursor: field.cursor,
});

/** GET /api/ops/streams/{stream}: what happened, oldest first. */
export function stream(context: HttpContext) {
  return endpoint(context, STREAM, streamShape, async ({ caller, params, fields }) => {
    const read = readCursor(fields.cursor);
    if (read.kind === 'refused') return read;
    const from = read.cursor === null ? 0 : Number(read.cursor.value);
    const name = params['stream'] ?? '';
    if (!Number.isSafeInteger(from) || from < 0 || (read.cursor?.id ?? name) !== name) return badCursor();
    const limit = fields.limit ?? DEFAULT_LIMIT;
    const page = await readStream(name, { from, limit, asker: caller }, context.webhooks);
    if (page.kind === 'refused') return page;
    const next = page.next === null ? null : { value: String(page.next), id: name };
    return { kind: 'data', data: { items: page.events.map(presentStored), next_cursor: writeCursor(next) } };
  });
}

function presentStored({ revision, position, id, type, data, cause }: StoredEvent) {
  const { at, by, correlationId, causationId } = cause;
  return {
    revision,
    position,
    event_id: id,
    type,
    // Every event's data is an object of named facts.
    data: data as Record<string, unknown>,
    at,
    by,
    correlation_id: correlationId,
    causation_id: causationId,
  };
}

/** GET /livez: the process runs. */
export function livez(context: HttpContext) {
  return endpoint(context, LIVEZ, null, () => ({ kind: 'data', data: { status: 'ok' as const } }));
}

/** GET /readyz: every role can serve. */
export function readyz(context: HttpContext) {
  return endpoint(context, READYZ, null, () => readiness(context.ready()));
}
