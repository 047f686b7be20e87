import { randomBytes } from 'node:crypto';
import { verifyBodySignature, verifyWebhook, type WaymarkEvent } from '../../../examples/verify-webhook.ts';
import type { Clock } from '../../ports/clock.ts';

/** A delivery whose signatures are valid. */
export type Received = { readonly deliveryId: string; readonly event: WaymarkEvent };

/** A webhook receiver on this machine. */
export type Receiver = AsyncDisposable & {
  readonly url: string;
  /** Deliveries with two valid signatures, oldest first. The others are answered with 401. */
  readonly received: readonly Received[];
  /** Sets the secret that verifies deliveries; without it all are refused. */
  trust(secret: string): void;
};

/** Listens on a free port of the loopback address, at a random path. */
export function openReceiver(clock: Clock): Receiver {
  const received: Received[] = [];
  let secret: string | null = null;
  const path = `/events/${randomBytes(12).toString('hex')}`;
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (request.method !== 'POST' || new URL(request.url).pathname !== path)
        return new Response(null, { status: 404 });
      const { headers } = request;
      const body = await request.text();
      const event = secret === null ? null : verifyWebhook(headers, body, secret, clock.nowMs());
      if (secret === null || event === null || !verifyBodySignature(headers.get('x-service-signature'), body, secret))
        return new Response(null, { status: 401 });
      received.push({ deliveryId: headers.get('x-service-delivery-id') ?? '', event });
      return new Response(null, { status: 200 });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}${path}`,
    received,
    trust(given) {
      secret = given;
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
