import { Type } from 'typebox';
import { listPastEvents, readFeed } from '../../../projections/feed/query.ts';
import type { FeedDocument } from '../../../projections/feed/read-model.ts';
import { refused, serviceUnavailable } from '../../application/refusal.ts';
import { WEBHOOK_EVENTS } from '../../domain/apikey/apikey.ts';
import type { DeliveryFacts } from '../../domain/delivery/delivery.ts';
import { withoutSuspended } from '../../webhooks/endpoint-state.ts';
import { readEventFacts } from '../../webhooks/event-facts.ts';
import { parsePublicEventId, replayId } from '../../webhooks/identifiers.ts';
import { publicEvent } from '../../webhooks/public-event.ts';
import { replayEvents } from '../../webhooks/replay.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { EVENT_FEED, REPLAY_EVENTS } from '../declarations/past-events.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { form, optional, required } from '../form.ts';
import { freshEnough } from '../freshness.ts';
import { logBeginsAtMs } from './webhooks.ts';

const DEFAULT_LIMIT = 20;
/** So many events are gone through by one request; the caller comes back for the rest. */
const REPLAYED_AT_ONCE = 500;

const feedShape = form({
  after: optional(
    Type.Refine(Type.String({ maxLength: 80 }), (text) => parsePublicEventId(text) !== null),
    "an event's id",
  ),
  limit: optional(Type.Integer({ minimum: 1, maximum: 100, default: DEFAULT_LIMIT }), 'a whole number from 1 to 100'),
});

/** GET /api/b2a/events: what is told to receivers, whether or not there is one, in order. */
export function eventFeed(context: HttpContext) {
  return endpoint(context, EVENT_FEED, feedShape, async ({ caller, fields, headers }) => {
    await freshEnough('feed', headers, context);
    const page = await readFeed(context.readModels, await context.collection('feed'), {
      keyId: caller.keyId,
      from: new Date(logBeginsAtMs(context)).toISOString(),
      after: fields.after === null ? null : parsePublicEventId(fields.after),
      limit: fields.limit ?? DEFAULT_LIMIT,
    });
    if (page.kind === 'unknown-event') {
      return refused(
        'INVALID_REQUEST',
        `after must be the id of an event of this key; it was "${fields.after}". Leave it out to begin with the oldest.`,
      );
    }
    const { store } = context.webhooks;
    const items = await Promise.all(page.items.map(async (named) => publicEvent(await readEventFacts(named, store))));
    return { kind: 'data', data: { items, next_cursor: page.more ? (items.at(-1)?.id ?? null) : null } };
  });
}

const replayShape = form({
  from: required(field.anyMoment.schema, field.anyMoment.rule, field.anyMoment.code),
  to: field.anyMoment,
  events: optional(
    Type.Array(Type.Union(WEBHOOK_EVENTS.map((event) => Type.Literal(event))), { minItems: 1 }),
    `a list of ${WEBHOOK_EVENTS.join(', ')}, with one of them at least`,
  ),
  cursor: field.cursor,
});

/** POST /api/webhooks/replay: the events of a time as deliveries of their own. */
export function replay(context: HttpContext) {
  return endpoint(context, REPLAY_EVENTS, replayShape, async ({ caller, fields, headers, cause }) => {
    const idempotency = field.idempotencyKey(headers);
    if (idempotency.kind === 'refused') return idempotency;
    const read = readCursor(fields.cursor);
    if (read.kind === 'refused') return read;
    await freshEnough('feed', headers, context);
    const fromMs = field.parseMoment(fields.from ?? '')?.fromMs ?? 0;
    const toMs = fields.to === null ? null : (field.parseMoment(fields.to)?.toMs ?? null);
    const events = fields.events ?? caller.webhookEvents ?? WEBHOOK_EVENTS;
    const page = await listPastEvents(context.readModels, await context.collection('feed'), {
      keyId: caller.keyId,
      events,
      from: new Date(Math.max(fromMs, logBeginsAtMs(context))).toISOString(),
      to: toMs === null ? null : new Date(toMs).toISOString(),
      limit: REPLAYED_AT_ONCE,
      after: read.cursor,
    });
    const asked = [fields.from ?? '', fields.to ?? '', ...events.toSorted()];
    const id = replayId([caller.keyId, REPLAY_EVENTS.id, ...asked], idempotency.key, context);
    const heard = page.items.filter(({ endpoint: { kind } }) => kind === 'booking' || caller.webhookUrl !== null);
    const told = await withoutSuspended(heard, caller.webhookUrl, context.webhooks);
    if (told.status === 'unavailable') return serviceUnavailable(told.reason);
    const { others, suspended } = told;
    const done = await replayEvents(others.map(factsOf), { replay: id, cause }, context.webhooks);
    if (done.kind === 'unavailable') return serviceUnavailable(done.reason);
    const data = { replay_id: id, scheduled: others.length, suspended, next_cursor: writeCursor(page.next) };
    return { kind: 'data', data, headers: done.position === null ? {} : { 'x-position': done.position } };
  });
}

function factsOf({ position: _position, ...facts }: FeedDocument): DeliveryFacts {
  return facts;
}
