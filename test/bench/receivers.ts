/** A webhook as a receiver gets it; `receiver` is the index of the URL. */
export type Webhook = { readonly receiver: number; readonly eventId: string; readonly body: string };

/** Webhook receivers on this machine. A receiver answers when `receive` resolves. */
export function startReceivers(
  count: number,
  receive: (webhook: Webhook) => Promise<void> | void,
): AsyncDisposable & { readonly urls: readonly string[] } {
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const receiver = Number(new URL(request.url).pathname.slice(1));
      await receive({ receiver, eventId: request.headers.get('webhook-id') ?? '', body: await request.text() });
      return new Response('ok');
    },
  });
  return {
    urls: Array.from({ length: count }, (_, receiver) => `http://127.0.0.1:${server.port}/${receiver}`),
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

/** The distinct event ids that receivers have got. */
export class Arrivals {
  readonly #ids = new Set<string>();
  #reached = Promise.withResolvers<void>();
  #wanted = Number.POSITIVE_INFINITY;

  get size(): number {
    return this.#ids.size;
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.size >= this.#wanted) this.#reached.resolve();
  }

  /** Resolves when `wanted` events have arrived. Rejects when the signal aborts. */
  async reached(wanted: number, signal: AbortSignal): Promise<void> {
    this.#wanted = wanted;
    this.#reached = Promise.withResolvers();
    if (this.size >= wanted) return;
    const missing = (): void =>
      this.#reached.reject(new Error(`${wanted - this.size} of ${wanted} events are missing`));
    signal.addEventListener('abort', missing);
    await this.#reached.promise;
    signal.removeEventListener('abort', missing);
  }
}
