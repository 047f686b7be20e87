import { createHash } from 'node:crypto';

/** The requests of one delivery, in order of arrival. */
export type Arrival = {
  readonly event: string;
  readonly receiver: string;
  /** The status code of the answer. */
  readonly code: number;
  /** Number of kills before it. */
  readonly life: number;
};

/** A receiver that fails a percentage of requests, selected by a seed and independent of their order. */
export type FailingReceiver = AsyncDisposable & {
  readonly url: string;
  /** Requests by delivery. */
  readonly arrivals: ReadonlyMap<string, readonly Arrival[]>;
  /** Number of all requests. */
  readonly count: () => number;
  /** Resolves after this number of deliveries; then nothing is answered until the next start of the service. */
  holdAt(deliveries: number): Promise<void>;
  /** The service starts after a kill: later requests are answered, and counted after that kill. */
  lifeBegins(life: number): void;
};

export function openFailingReceiver(seed: number, percent: number): FailingReceiver {
  const arrivals = new Map<string, Arrival[]>();
  let [count, life, most] = [0, 0, Number.POSITIVE_INFINITY];
  let reached = Promise.withResolvers<void>();
  let gate = Promise.withResolvers<void>();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      await request.arrayBuffer();
      const delivery = request.headers.get('x-service-delivery-id') ?? '';
      const event = request.headers.get('webhook-id') ?? '';
      const before = arrivals.get(delivery) ?? [];
      const code = fails(`${seed} ${delivery} ${before.length}`, percent) ? 500 : 200;
      before.push({ event, receiver: new URL(request.url).pathname, code, life });
      arrivals.set(delivery, before);
      count++;
      if (arrivals.size >= most) {
        reached.resolve();
        await gate.promise;
      }
      return new Response(null, { status: code });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    arrivals,
    count: () => count,
    holdAt(deliveries) {
      most = deliveries;
      reached = Promise.withResolvers();
      gate = Promise.withResolvers();
      return reached.promise;
    },
    lifeBegins(next) {
      [life, most] = [next, Number.POSITIVE_INFINITY];
      gate.resolve();
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

function fails(what: string, percent: number): boolean {
  return createHash('sha256').update(what).digest().readUInt32LE() % 100 < percent;
}
