import { randomBytes } from 'node:crypto';
import type { Clock } from '../../ports/clock.ts';
import { parsed, textAt } from './json.ts';
import { type Delivered, signatureFaults } from './signatures.ts';

/** A delivery with the faults of its signatures. */
export type Received = Delivered & { readonly event: unknown; readonly faults: readonly string[] };

/** A webhook receiver on this machine. */
export type Receiver = AsyncDisposable & {
  readonly url: string;
  /** Sets the secret that verifies deliveries; without it all are refused. */
  trust(secret: string): void;
  /** Waits for the first delivery of an event; null after the timeout. */
  wait(event: string, timeoutMs: number): Promise<Received | null>;
};

/** Listens on a free port of the loopback address, at a random path. */
export function openReceiver(clock: Clock): Receiver {
  const received: Received[] = [];
  const waiting = new Set<() => void>();
  let secret: string | null = null;
  const path = `/events/${randomBytes(12).toString('hex')}`;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (request.method !== 'POST' || new URL(request.url).pathname !== path)
        return new Response(null, { status: 404 });
      const body = await request.text();
      const delivered = { headers: request.headers, body };
      const faults = secret === null ? ['no secret is known'] : signatureFaults(delivered, secret, clock.nowMs());
      received.push({ ...delivered, event: parsed(body), faults });
      for (const look of waiting) look();
      return new Response(null, { status: faults.length === 0 ? 200 : 401 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}${path}`,
    trust(given) {
      secret = given;
    },
    async wait(event, timeoutMs) {
      const here = (): Received | undefined => received.find((delivery) => textAt(delivery.event, 'event') === event);
      const came = new AbortController();
      const look = (): void => {
        if (here() !== undefined) came.abort();
      };
      waiting.add(look);
      look();
      await clock.until(clock.nowMs() + timeoutMs, came.signal);
      waiting.delete(look);
      return here() ?? null;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
