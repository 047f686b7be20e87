import type { WebhookEvent } from '../../src/domain/apikey/apikey.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { modify } from './modifications.ts';
import { openReceiver, type Received } from './receiver.ts';
import { openService, type Service, withKey } from './service.ts';
import type { AnswerOf, Booking, Key } from './service-answers.ts';

/** A request of the service as somebody on the way could have kept it. */
export type Captured = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** A running service whose clock tells the time of the machine, and requests that it really sent. */
export type Captures = AsyncDisposable & {
  readonly service: Service;
  readonly key: Key;
  readonly stranger: Key;
  /** Of one booking, in letters of several alphabets, both signed with the secret of `key` and now. */
  readonly confirmed: Captured;
  readonly modified: Captured;
  /** Signed with the secret of `key` six minutes ago, and in six minutes. */
  readonly old: Captured;
  readonly early: Captured;
  /** Signed now, with the secret of `stranger`. */
  readonly foreign: Captured;
};

const SIX_MINUTES_MS = 360_000;

/** Receivers look at the machine's clock: the service's stands at the same time, and is good for some minutes. */
export async function openCaptures(): Promise<Captures> {
  const nowMs = Date.now();
  const service = await openService({ startMs: nowMs - SIX_MINUTES_MS });
  await using receiver = openReceiver();
  const key = await service.createKey({ webhook_url: receiver.url });
  const stranger = await service.createKey({ webhook_url: receiver.url });
  const next = async (act: () => Promise<unknown>): Promise<Captured> => {
    const before = receiver.received.length;
    await act();
    return captured(await receiver.arrived(before + 1));
  };
  const old = await next(() => sendTest(service, key, 'booking_confirmed'));
  service.clock.set(nowMs + SIX_MINUTES_MS);
  const early = await next(() => sendTest(service, key, 'booking_confirmed'));
  service.clock.set(nowMs);
  const foreign = await next(() => sendTest(service, stranger, 'booking_confirmed'));
  let booking: Booking | undefined;
  const confirmed = await next(async () => {
    booking = (await bookInTwoDays(service, key, { user_name: 'Zoë Nguyễn พลอย 🙂 <&>' })).data;
  });
  if (booking === undefined) throw new Error('nothing was booked');
  const { booking_id: id } = booking;
  const modified = await next(() => modify(service, { booking_id: id }, { num_adults: 3 }, withKey(key.key)));
  const stop = () => service.stop();
  return { service, key, stranger, confirmed, modified, old, early, foreign, [Symbol.asyncDispose]: stop };
}

export type Tried = AnswerOf<'post /api/webhooks/test'>;

export async function sendTest(service: Service, key: Key, event: WebhookEvent, url?: string): Promise<Tried> {
  const body = { event_type: event, ...(url !== undefined && { webhook_url: url }) };
  return (await service.post<Tried>('/api/webhooks/test', body, withKey(key.key))).data;
}

export function bookInTwoDays(service: Service, key: Key, change: Readonly<Record<string, unknown>>) {
  const date = new Date(service.clock.nowMs() + 2 * DAY_MS).toISOString().slice(0, 10);
  return service.book({ booking_date: date, ...change }, withKey(key.key));
}

/** With other headers. */
export function changed({ headers, body }: Captured, changes: Captured['headers']): Captured {
  return { headers: { ...headers, ...changes }, body };
}

export function without({ headers, body }: Captured, ...names: readonly string[]): Captured {
  return { headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name))), body };
}

/** Leaves out the headers of the connection: the client that sends the request again sets its own. */
export function captured({ headers, body }: Received): Captured {
  return without({ headers: headers.toJSON(), body }, 'host', 'connection', 'content-length');
}
