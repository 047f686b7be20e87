import { createHash } from 'node:crypto';

/** What came in for one delivery, in the order in which it came. */
export type Arrival = {
  readonly event: string;
  readonly receiver: string;
  /** What it was answered. */
  readonly code: number;
  /** In which life of the service it came. */
  readonly life: number;
};

/** A receiver that fails so many of a hundred requests, by a seed and not by the order in which they come. */
export type FailingReceiver = AsyncDisposable & {
  readonly url: string;
  /** By delivery. */
  readonly arrivals: ReadonlyMap<string, readonly Arrival[]>;
  /** Of all of them. */
  readonly count: () => number;
  /** Resolves when so many deliveries have come. From then on nothing is answered, until the next life begins. */
  holdAt(deliveries: number): Promise<void>;
  /** A life of the service begins after a kill: what comes from now on is of that, and answered. */
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
