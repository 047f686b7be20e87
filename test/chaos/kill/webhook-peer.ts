import type { Server } from 'bun';
import { Webhook } from 'standardwebhooks';
import { verifyBodySignature, type WaymarkEvent } from '../../../examples/verify-webhook.ts';
import { seededRandom } from './random.ts';
import { pause } from './real-time.ts';
import { Temper } from './temper.ts';

/** The arrivals of one delivery. */
export type Heard = {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly event: string;
  readonly bookingId: string;
  readonly sequence: number;
  /** The same bytes at every arrival. */
  readonly body: string;
  arrivals: number;
  acknowledged: number;
  refused: number;
};

/** Events that a booking can have more than once. */
const SEVERAL_TIMES = new Set(['booking_modified', 'voucher_delivered']);

type Waiting = { readonly count: number; readonly resolve: () => void };

const SHARES = { late: 60, refusing: 20, silent: 8 };
const OK = 200;
const REFUSED = 500;

/** A webhook receiver that survives the kills of the service, stores every arrival, and sometimes refuses or breaks off. */
export class WebhookPeer implements AsyncDisposable {
  readonly faults: string[] = [];
  /** By delivery id. */
  readonly heard = new Map<string, Heard>();
  arrivals = 0;
  readonly #server: Server<undefined>;
  readonly #temper: Temper;
  /** Event ids by booking and event. */
  readonly #events = new Map<string, string>();
  readonly #waiting = new Set<Waiting>();
  #secret: string | null = null;

  constructor(seed: number) {
    this.#temper = new Temper(seededRandom(seed), SHARES);
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: (request) => this.#receive(request),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/hooks`;
  }

  /** The secret that signs deliveries, from the creation of the key. */
  expect(secret: string): void {
    this.#secret = secret;
  }

  calm(): void {
    this.#temper.calm();
  }

  /** Resolves when `more` deliveries have arrived, before the last of them is answered. */
  holding(more: number): Promise<void> {
    return new Promise((resolve) => this.#waiting.add({ count: this.arrivals + more, resolve }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  async #receive(request: Request): Promise<Response> {
    const { headers, signal } = request;
    const body = await request.text();
    const heard = this.#note(headers, body);
    for (const waiting of this.#waiting) {
      if (this.arrivals < waiting.count) continue;
      this.#waiting.delete(waiting);
      waiting.resolve();
    }
    const mood = this.#temper.next(heard.deliveryId);
    if (mood.kind === 'silent') await aborted(signal);
    if (mood.kind === 'late') await pause(mood.byMs);
    const refusing = mood.kind === 'refusing';
    // The sender is gone: no answer.
    if (!signal.aborted) heard[refusing ? 'refused' : 'acknowledged'] += 1;
    // The answer repeats the request's body, which no log may contain.
    return new Response(body, { status: refusing ? REFUSED : OK });
  }

  #note(headers: Headers, body: string): Heard {
    this.arrivals += 1;
    // The signatures below prove that the service wrote it.
    const { id: eventId, event, sequence, data } = JSON.parse(body) as WaymarkEvent;
    const deliveryId = headers.get('x-service-delivery-id') ?? '';
    const bookingId = String(data['booking_id']);
    const before = this.heard.get(deliveryId);
    const heard = before ?? {
      deliveryId,
      eventId,
      event,
      bookingId,
      sequence,
      body,
      arrivals: 0,
      acknowledged: 0,
      refused: 0,
    };
    heard.arrivals += 1;
    this.heard.set(deliveryId, heard);
    if (heard.body !== body) this.faults.push(`${deliveryId} came as ${heard.body}, then as ${body}`);
    const name = SEVERAL_TIMES.has(event) ? `${bookingId} ${event} ${sequence}` : `${bookingId} ${event}`;
    const known = this.#events.get(name) ?? eventId;
    this.#events.set(name, known);
    if (known !== eventId) this.faults.push(`${event} of ${bookingId} came as ${known}, then as ${eventId}`);
    if (headers.get('webhook-id') !== eventId || headers.get('x-service-event') !== event)
      this.faults.push(`${deliveryId} says otherwise in its headers than in its body`);
    this.#verify(deliveryId, headers, body);
    return heard;
  }

  #verify(deliveryId: string, headers: Headers, body: string): void {
    const secret = this.#secret;
    if (secret === null) this.faults.push(`${deliveryId} came before there was a secret`);
    else if (!verifyBodySignature(headers.get('x-service-signature'), body, secret) || !standard(headers, body, secret))
      this.faults.push(`${deliveryId} came with a signature that does not fit`);
  }
}

/** Verified by the official library of Standard Webhooks. */
function standard(headers: Headers, body: string, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, headers.toJSON());
    return true;
  } catch {
    return false;
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
