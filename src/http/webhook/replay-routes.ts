import { Elysia } from 'elysia';
import { listPastEvents } from '../../../projections/feed/query.ts';
import type { FeedDocument } from '../../../projections/feed/read-model.ts';
import { noReply } from '../../application/refusal.ts';
import { replayEvents } from '../../application/webhook/replay-events.ts';
import { type DeliveryFacts, WEBHOOK_EVENTS } from '../../domain/delivery/delivery.ts';
import { withoutSuspended } from '../../webhooks/endpoint-state.ts';
import { replayId } from '../../webhooks/identifiers.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { parseMoment } from '../fields.ts';
import { logBeginsAtMs, MAX_PER_REQUEST } from './delivery-log.ts';
import { REPLAY_REQUEST, REPLAYED } from './resend-schema.ts';

/** Part of the hash of replay ids. Another name would send events again that an earlier request has replayed. */
const REPLAY = 'replay_events';

/** Sends past events again. */
export function replayRoutes(context: HttpContext) {
  const { webhooks, readModels } = context;
  return new Elysia({ name: 'replay', tags: ['Webhooks'] }).use(access(context)).post(
    '/api/webhooks/replay',
    async ({ body, key: { keyId, webhookUrl, webhookEvents }, idempotencyKey, call }) => {
      const fromMs = parseMoment(body.from)?.fromMs ?? 0;
      const toMs = body.to === undefined ? null : (parseMoment(body.to)?.toMs ?? null);
      const events = body.events ?? webhookEvents ?? WEBHOOK_EVENTS;
      const page = await listPastEvents(readModels, await context.collection('feed'), {
        keyId,
        events,
        from: new Date(Math.max(fromMs, logBeginsAtMs(context))).toISOString(),
        to: toMs === null ? null : new Date(toMs).toISOString(),
        limit: MAX_PER_REQUEST,
        after: readCursor(body.cursor),
      });
      const scope = [keyId, REPLAY, body.from, body.to ?? '', ...events.toSorted()] as const;
      const id = replayId(scope, idempotencyKey, context);
      const withReceiver = page.items.filter(({ endpoint }) => endpoint.kind === 'booking' || webhookUrl !== null);
      const found = await withoutSuspended(withReceiver, webhookUrl, webhooks);
      if (found.status === 'unavailable') return call.refuse(noReply(found.reply));
      const replay = { replay: id, cause: call.cause };
      const replayed = await replayEvents(found.others.map(factsOf), replay, webhooks);
      if (replayed.kind === 'unavailable') return call.refuse(noReply(replayed));
      const { others, suspended } = found;
      const data = { replay_id: id, scheduled: others.length, suspended, next_cursor: writeCursor(page.next) };
      return call.reply(replayed, () => data, commandHeaders);
    },
    {
      apiKey: 'webhook',
      idempotent: true,
      positioned: 'feed',
      body: REPLAY_REQUEST,
      response: REPLAYED,
      detail: REPLAY_DETAIL,
    },
  );
}

const REPLAY_DETAIL = {
  operationId: REPLAY,
  summary: 'Send the events of a period again',
  description:
    'Sends every event since `from` and before `to` again (a date includes the whole day), whether or not it was delivered or ' +
    'had a receiver: with the same event id and bytes, as a new delivery, to the present URL, signed with the present ' +
    "secret. `events` selects types; without it, the key's `webhook_events` do. A booking's own URL gets the events of that " +
    'booking. One request covers at most 500 events: if `next_cursor` is not null, send it back as ' +
    '`cursor`, with the other fields unchanged. Repeated with the same `Idempotency-Key` it sends nothing twice. No event is ' +
    'older than the delivery log.',
};

function factsOf({ position: _position, ...facts }: FeedDocument): DeliveryFacts {
  return facts;
}
