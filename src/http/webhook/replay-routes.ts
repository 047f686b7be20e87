import { Elysia } from 'elysia';
import { replayEvents } from '../../application/webhook/replay-events.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { parseMoment } from '../fields.ts';
import { REPLAY_BODY, REPLAYED_ANSWER } from './resend-schema.ts';

/** Sends past events again. */
export function replayRoutes(context: HttpContext) {
  return new Elysia({ name: 'replay', tags: ['Webhooks'] }).use(access(context)).post(
    '/api/webhooks/replay',
    async ({ body, key, idempotencyKey, call }) => {
      const { from, to, events } = body;
      const fromMs = parseMoment(from)?.fromMs ?? 0;
      const toMs = to === undefined ? null : (parseMoment(to)?.toMs ?? null);
      const after = readCursor(body.cursor);
      const request = { key, idempotencyKey, from, to, fromMs, toMs, events, after };
      return call.reply(
        await replayEvents(request, call.cause, context),
        ({ id, scheduled, suspended, next }) => ({
          replay_id: id,
          scheduled,
          suspended,
          next_cursor: writeCursor(next),
        }),
        commandHeaders,
      );
    },
    {
      apiKey: 'webhook',
      idempotent: true,
      positioned: 'feed',
      body: REPLAY_BODY,
      response: REPLAYED_ANSWER,
      detail: REPLAY_DETAIL,
    },
  );
}

const REPLAY_DETAIL = {
  operationId: 'replay_events',
  summary: 'Send the events of a period again',
  description:
    'Sends every event since `from` and before `to` again (a date includes the whole day), whether or not it was delivered or ' +
    'had a receiver: with the same event id and bytes, as a new delivery, to the present URL, signed with the present ' +
    "secret. `events` selects types; without it, the key's `webhook_events` do. A booking's own URL gets the events of that " +
    'booking. One request covers at most 500 events: if `next_cursor` is not null, send it back as ' +
    '`cursor`, with the other fields unchanged. Repeated with the same `Idempotency-Key` it sends nothing twice. No event is ' +
    'older than the delivery log.',
};
