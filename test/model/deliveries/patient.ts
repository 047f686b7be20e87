import { pause } from '../../chaos/kill/real-time.ts';
import type { Logged } from './compare.ts';

const SILENCE_MS = 30_000;
const AGAIN_MS = 100;

type Call = { readonly headers: Readonly<Record<string, string>>; readonly body?: object };
type Page<Item> = { readonly items: readonly Item[]; readonly next_cursor: string | null };

/**
 * A client of a service that is killed repeatedly. It repeats each request until it has an answer, with the same
 * Idempotency-Key, so that the service does nothing twice.
 */
export class Patient {
  readonly #url: () => string;
  readonly #adminToken: string;
  #asked = 0;

  constructor(url: () => string, adminToken: string) {
    this.#url = url;
    this.#adminToken = adminToken;
  }

  /** Keys without limits, each with its own receiver of confirmed bookings. */
  async keys(count: number, receiver: string): Promise<readonly string[]> {
    const keys: string[] = [];
    for (let at = 0; at < count; at++) {
      const headers = { authorization: `Bearer ${this.#adminToken}` };
      const body = {
        name: `Agent ${at}`,
        plan: 'enterprise',
        webhook_url: `${receiver}/${at}`,
        webhook_events: ['booking_confirmed'],
      };
      keys.push((await this.#call<{ key: string }>('/api/keys', { headers, body })).key);
    }
    return keys;
  }

  async book(keys: readonly string[], { bookings, activities, date, atOnce }: BookingOrder): Promise<void> {
    let next = 0;
    const booker = async (): Promise<void> => {
      while (next < bookings * keys.length) {
        const at = next++;
        const body = {
          activity_id: activities[at % activities.length],
          booking_date: date,
          num_adults: 1,
          user_name: `Guest ${at}`,
          user_email: `guest-${at}@example.com`,
        };
        await this.#call('/api/b2a/execute_booking', { headers: keyHeader(keys[at % keys.length]), body });
      }
    };
    await Promise.all(Array.from({ length: atOnce }, booker));
  }

  /** Replays all events of each key this number of times. */
  async replay(keys: readonly string[], { bookings, replays }: { bookings: number; replays: number }): Promise<void> {
    const from = new Date(0).toISOString();
    const one = async (key: string): Promise<void> => {
      while ((await this.#events(key)) < bookings) await pause(AGAIN_MS);
      for (let replay = 0; replay < replays; replay++) {
        let scheduled = 0;
        for (let cursor: string | null = ''; cursor !== null; ) {
          const body: object = cursor === '' ? { from } : { from, cursor };
          const done: { scheduled: number; next_cursor: string | null } = await this.#call('/api/webhooks/replay', {
            headers: keyHeader(key),
            body,
          });
          scheduled += done.scheduled;
          cursor = done.next_cursor;
        }
        if (scheduled !== bookings) throw new Error(`a replay scheduled ${scheduled} deliveries of ${bookings}`);
      }
    };
    await Promise.all(keys.map(one));
  }

  /** The whole delivery log of a key. */
  log(key: string, limit: number): Promise<readonly Logged[]> {
    return this.#pages<Logged>(`/api/webhooks/deliveries?limit=${limit}`, key);
  }

  async #events(key: string): Promise<number> {
    type Event = { readonly event: string };
    const events = await this.#pages<Event>('/api/b2a/events?limit=100', key, 'after');
    return events.filter(({ event }) => event === 'booking_confirmed').length;
  }

  async #pages<Item>(path: string, key: string, parameter = 'cursor'): Promise<readonly Item[]> {
    const items: Item[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const from: string = cursor === '' ? '' : `&${parameter}=${encodeURIComponent(cursor)}`;
      const page: Page<Item> = await this.#call(`${path}${from}`, { headers: keyHeader(key) });
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    return items;
  }

  async #call<Data>(path: string, { headers, body }: Call): Promise<Data> {
    const own = { ...headers, 'content-type': 'application/json', 'idempotency-key': `ask-${this.#asked++}` };
    const request: RequestInit =
      body === undefined ? { headers } : { method: 'POST', headers: own, body: JSON.stringify(body) };
    for (;;) {
      const answer = await fetch(`${this.#url()}${path}`, { ...request, signal: AbortSignal.timeout(SILENCE_MS) })
        .then(async (response) => ({ status: response.status, body: (await response.json()) as { data: Data } }))
        .catch(() => null);
      if (answer !== null && answer.status < 300) return answer.body.data;
      // 409: the first request is in progress; 503: the service is starting.
      if (answer !== null && ![409, 503].includes(answer.status))
        throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      await pause(AGAIN_MS);
    }
  }
}

type BookingOrder = {
  /** Of each key. */
  readonly bookings: number;
  readonly activities: readonly string[];
  readonly date: string;
  readonly atOnce: number;
};

function keyHeader(key = ''): Readonly<Record<string, string>> {
  return { 'x-api-key': key };
}
