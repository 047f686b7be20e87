import { strict as assert } from 'node:assert';
import type { Fetch } from '../../../src/cli/journey/client.ts';
import { parsed, textAt } from '../../../src/cli/journey/json.ts';

/** A request of the journey with its answer. `body` is undefined if the answer is not JSON. */
export type Exchange = {
  /** `POST /api/keys`, without the query. */
  readonly operation: string;
  readonly sent: unknown;
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly body: unknown;
};

/** A delivery that the journey's receiver got. */
export type Delivery = { readonly headers: Headers; readonly envelope: unknown };

export type Recording = { readonly exchanges: readonly Exchange[]; readonly deliveries: readonly Delivery[] };

/** Replaces an answer of the service. `count`: how often the operation was requested, this time included. */
export type Tamper = {
  readonly answer?: (operation: string, answer: Response, count: number) => Response | Promise<Response>;
  /** Replaces the headers of a delivery; null: it never reaches the journey. */
  readonly delivery?: (headers: Headers, event: string) => Headers | null;
};

export type Recorder = AsyncDisposable & Recording & { readonly fetch: Fetch };

/** Records what the journey sends and receives. Webhooks pass through a receiver of its own. */
export function recorder(fetch: Fetch, { answer, delivery }: Tamper = {}): Recorder {
  const exchanges: Exchange[] = [];
  const deliveries: Delivery[] = [];
  let receiver = '';
  const proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = await request.text();
      const envelope = parsed(body);
      const headers = delivery === undefined ? request.headers : delivery(request.headers, textAt(envelope, 'event'));
      if (headers === null) return new Response(null, { status: 500 });
      deliveries.push({ headers, envelope });
      return globalThis.fetch(receiver, { method: 'POST', headers, body });
    },
  });
  const count = (operation: string): number => exchanges.filter((exchange) => exchange.operation === operation).length;
  return {
    exchanges,
    deliveries,
    async fetch(url, init) {
      const operation = `${init.method ?? 'GET'} ${new URL(url).pathname}`;
      let sent = typeof init.body === 'string' ? parsed(init.body) : undefined;
      if (operation === 'POST /api/keys') {
        receiver = textAt(sent, 'webhook_url');
        sent = { ...Object(sent), webhook_url: proxy.url.href };
      }
      const response = await fetch(url, sent === undefined ? init : { ...init, body: JSON.stringify(sent) });
      const answered = (await answer?.(operation, response, count(operation) + 1)) ?? response;
      const bytes = new Uint8Array(await answered.clone().arrayBuffer());
      const text = new TextDecoder().decode(bytes);
      const { status, headers } = answered;
      exchanges.push({ operation, sent, status, headers, bytes, text, body: parsed(text) });
      return answered;
    },
    [Symbol.asyncDispose]: () => proxy.stop(true),
  };
}

/** The answers to an operation, in the order of the requests. */
export function all({ exchanges }: Recording, operation: string | RegExp): readonly Exchange[] {
  return exchanges.filter((exchange) =>
    typeof operation === 'string' ? exchange.operation === operation : operation.test(exchange.operation),
  );
}

/** The first answer to an operation. */
export function one(journey: Recording, operation: string | RegExp): Exchange {
  const [first] = all(journey, operation);
  assert.ok(first, `there was no ${operation}`);
  return first;
}
