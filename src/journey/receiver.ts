import { randomBytes } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import { parsed, textAt } from './reading.ts';
import { type Delivered, signatureFaults } from './signatures.ts';

/** A delivery as it came, with what is wrong with its signatures. */
export type Received = Delivered & { readonly event: unknown; readonly faults: readonly string[] };

/** A webhook receiver on this machine. */
export type Receiver = AsyncDisposable & {
  readonly url: string;
  /** From now on deliveries are verified with this secret; before, all are refused. */
  trust(secret: string): void;
  /** The first delivery of an event, waited for up to `patienceMs`; null where none came. */
  wait(event: string, patienceMs: number): Promise<Received | null>;
};

/** Listens on a free port of the loopback address, at a path that nobody guesses. */
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
    async wait(event, patienceMs) {
      const here = (): Received | undefined => received.find((delivery) => textAt(delivery.event, 'event') === event);
      const came = new AbortController();
      const look = (): void => {
        if (here() !== undefined) came.abort();
      };
      waiting.add(look);
      look();
      await clock.until(clock.nowMs() + patienceMs, came.signal);
      waiting.delete(look);
      return here() ?? null;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
