import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { PublicEventId, WebhookEvent } from '../../domain/delivery/delivery.ts';
import type { RestConnection, RestFailure } from '../../mcp/rest.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Exchange } from '../../ports/sender.ts';

/** An event of the feed. It has more members: the whole object is forwarded. */
export type FeedEvent = { readonly id: PublicEventId; readonly event: WebhookEvent };

/** Where to begin in the feed. */
export const BEGINNINGS = ['now', 'beginning'] as const;

type Forwarding = {
  /** The connection with the API key of the events. */
  readonly feed: RestConnection;
  /** Posts an event to the developer's receiver. */
  readonly forward: (event: FeedEvent) => Promise<Exchange>;
  readonly from: (typeof BEGINNINGS)[number];
  readonly clock: Clock;
  /** Ends the reading. */
  readonly signal: AbortSignal;
  /** Prints a line. */
  readonly report: (line: string) => void;
};

/** `refused`: another read would get the same answer. */
type Ended = { readonly kind: 'stopped' } | { readonly kind: 'refused'; readonly reason: string };

const PAGE = 100;
/** Each read counts against the limits of the key. The pause doubles while there is no event. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 8_000;

/** Forwards the events of a key in the feed's order, each once, until `signal` aborts. An event that fails is reported. */
export async function forwardEvents({ feed, forward, from, clock, signal, report }: Forwarding): Promise<Ended> {
  let after: PublicEventId | null = null;
  let skipping = from === 'now';
  let pauseMs = FIRST_PAUSE_MS;
  let waitingFor: string | null = null;
  const wait = async (reason: string, ms: number): Promise<void> => {
    if (waitingFor !== reason) report(reason);
    waitingFor = reason;
    await clock.until(clock.nowMs() + ms, signal);
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
  };
  while (!signal.aborted) {
    const query: string = after === null ? '' : `&after=${after}`;
    const outcome = await feed({ method: 'GET', path: `/api/b2a/events?limit=${PAGE}${query}` });
    if (signal.aborted) break;
    if (outcome.kind === 'no-answer')
      await wait(`the service does not answer (${outcome.reason}); trying again`, pauseMs);
    else if (outcome.kind === 'failure' && outcome.failure.retryable)
      await wait(textOf(outcome.failure), (outcome.failure.retryAfterSeconds ?? 0) * 1_000 || pauseMs);
    else if (outcome.kind === 'failure') return { kind: 'refused', reason: textOf(outcome.failure) };
    else if (outcome.kind === 'not-waymark' || !page.Check(outcome.data))
      return { kind: 'refused', reason: 'the URL is not that of a Waymark service of this version; check it' };
    else {
      const { items, next_cursor: next } = outcome.data;
      for (const event of items) {
        if (!skipping) report(await lineOf(event, forward, clock));
        after = event.id;
        if (signal.aborted) break;
      }
      if (items.length > 0) pauseMs = FIRST_PAUSE_MS;
      if (next === null) {
        skipping = false;
        await wait('waiting for events; Ctrl-C ends', pauseMs);
      }
    }
  }
  return { kind: 'stopped' };
}

const page = Compile(
  Type.Object({
    items: Type.Array(
      Type.Object({
        id: Type.Unsafe<PublicEventId>(Type.String({ pattern: '^evt_[0-9a-z]+$' })),
        // A newer service may send events that this version does not know.
        event: Type.Unsafe<WebhookEvent>(Type.String()),
      }),
    ),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
  }),
);

async function lineOf(event: FeedEvent, forward: Forwarding['forward'], clock: Clock): Promise<string> {
  const exchange = await forward(event);
  const result = exchange.kind === 'answered' ? `status ${exchange.status}` : `failed: ${exchange.error}`;
  return `${new Date(clock.nowMs()).toISOString()} ${event.event} ${event.id} ${result} (${exchange.timeMs} ms)`;
}

function textOf({ code, error }: RestFailure): string {
  return `the service refuses: ${code}: ${error}`;
}
