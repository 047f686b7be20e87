import type { Server } from 'bun';

/** A received request. */
export type Received = {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  /** The exact bytes, as text. */
  readonly body: string;
};

type Reply = (received: Received) => Response | Promise<Response>;

/** A webhook receiver on this machine. */
export type Receiver = AsyncDisposable & {
  readonly url: string;
  /** All received requests, oldest first. */
  readonly received: readonly Received[];
  /** Resolves with the last request once `count` have been received in total. */
  arrived(count: number): Promise<Received>;
  /** Sets the answer to later requests; 200 by default. */
  answer(reply: Reply): void;
};

export function openReceiver(): Receiver {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let reply: Reply = () => new Response('ok');
  const server: Server<undefined> = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { method, headers } = request;
      const one = { method, path: new URL(request.url).pathname, headers, body: await request.text() };
      received.push(one);
      for (const look of waiting) look();
      return reply(one);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    arrived: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          const last = received[count - 1];
          if (last === undefined) return;
          waiting.delete(look);
          resolve(last);
        };
        waiting.add(look);
        look();
      }),
    answer(next) {
      reply = next;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** An answer that never comes. */
export function never(): Promise<Response> {
  return Promise.withResolvers<Response>().promise;
}
