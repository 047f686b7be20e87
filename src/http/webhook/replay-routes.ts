import { Elysia } from 'elysia';
import { keyOfRequest } from '../../application/webhook/key-of-request.ts';
import { replayEvents } from '../../application/webhook/replay-events.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { parseMoment } from '../fields.ts';
import * as schema from './resend-schema.ts';

/** Sends past events again. */
export function replayRoutes(context: HttpContext) {
  return new Elysia({ name: 'replay', tags: ['Webhooks'] }).use(access(context)).post(
    '/api/webhooks/replay',
    async ({ body, caller, idempotencyKey, call }) => {
      const { from, to, events } = body;
      const owner = keyOfRequest(caller, body.key, context.keys);
      if (owner.kind === 'refused') return call.refuse(owner);
      const fromMs = parseMoment(from)?.fromMs ?? 0;
      const toMs = to === undefined ? null : (parseMoment(to)?.toMs ?? null);
      const after = readCursor(body.cursor);
      const request = { key: owner.key, idempotencyKey, from, to, fromMs, toMs, events, after };
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
      idempotent: true,
      positioned: 'feed',
      keyOrOperator: 'webhook',
      body: schema.REPLAY_BODY,
      response: schema.REPLAYED_ANSWER,
      detail: schema.REPLAY_DETAIL,
    },
  );
}
