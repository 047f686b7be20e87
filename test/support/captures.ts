import type { WebhookEvent } from '../../src/domain/delivery/delivery.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { modify } from './modifications.ts';
import { openReceiver, type Received } from './receiver.ts';
import { openService, type Service, withKey } from './service.ts';
import type { AnswerOf, Booking, Key } from './service-answers.ts';

/** A request of the service, as an attacker could have captured it. */
export type Captured = { readonly headers: Readonly<Record<string, string>>; readonly body: string };

/** A running service on the machine's time, and requests that it sent. */
export type Captures = AsyncDisposable & {
  readonly service: Service;
  readonly key: Key;
  readonly stranger: Key;
  /** Events of one booking with names in several alphabets, signed now with the secret of `key`. */
  readonly confirmed: Captured;
  readonly modified: Captured;
  /** Signed with the secret of `key`, six minutes ago and six minutes ahead. */
  readonly old: Captured;
  readonly early: Captured;
  /** Signed now, with the secret of `stranger`. */
  readonly foreign: Captured;
};

const SIX_MINUTES_MS = 360_000;

/** The service's clock stands at the machine's time, because receivers compare timestamps with the machine's clock. */
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

/** The request with other headers. */
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
