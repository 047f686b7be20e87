import { Elysia } from 'elysia';
import type { LiveMessage, LiveReader } from '../../application/live/live-updates.ts';
import type { Refused } from '../../application/refusal.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import { access } from '../access.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './schema.ts';

/** Milliseconds after which a browser connects again. */
const RECONNECT_MS = 3_000;
/** Messages that wait for a reader; with more, its connection is dropped. The sockets hold some more. */
const MAX_WAITING = 4;
/** `x-accel-buffering`: otherwise nginx collects events before it sends them. */
const HEADERS = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' };

/** What the dashboard shows without a reload (docs/decisions/0097). */
export function liveRoutes(context: HttpContext) {
  return new Elysia({ name: 'live', tags: ['Sessions'] }).use(access(context)).get(
    '/api/live',
    ({ session, call, request }) => {
      // Elysia answers HEAD with the handler of GET, and reads the body to its end.
      if (request.method === 'HEAD') return new Response(null, { headers: HEADERS });
      const opened = eventStream((reader) => context.live.connect(session, call.address, reader));
      return opened.kind === 'refused' ? call.refuse(opened) : opened.response;
    },
    { session: { renews: false }, response: schema.LIVE_ANSWER, detail: schema.LIVE_DETAIL },
  );
}

type Connect = (reader: LiveReader) => { readonly kind: 'connected'; readonly leave: () => void } | Refused;

function eventStream(connect: Connect): { readonly kind: 'open'; readonly response: Response } | Refused {
  const encoder = new TextEncoder();
  let opened: ReturnType<Connect> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const write = (text: string): void => controller.enqueue(encoder.encode(text));
        opened = connect({
          send(messages) {
            const free = (controller.desiredSize ?? 0) > 0;
            if (free) write(messages.length === 0 ? ':\n\n' : messages.map(textOf).join(''));
            return free;
          },
          end: () => controller.close(),
        });
        // The head of an answer is sent with the first bytes of its body.
        if (opened.kind === 'connected') write(`retry: ${RECONNECT_MS}\n\n`);
      },
      cancel() {
        if (opened?.kind === 'connected') opened.leave();
      },
    },
    { highWaterMark: MAX_WAITING },
  );
  if (opened === undefined) throw new Error('the stream has not started');
  if (opened.kind === 'refused') return opened;
  return { kind: 'open', response: new Response(body, { headers: HEADERS }) };
}

function textOf(message: LiveMessage): string {
  return `event: ${message.kind}\ndata: ${JSON.stringify(dataOf(message))}\n\n`;
}

function dataOf(message: LiveMessage): object {
  switch (message.kind) {
    case 'ready':
      return {};
    case 'changed':
      return { read_models: message.readModels };
    case 'rebuild':
      return { projections: message.projections };
    case 'readiness':
      return { ready: message.failed.length === 0, failed: message.failed };
    default:
      return unreachable(message);
  }
}
