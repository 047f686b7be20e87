import { openSender } from '../../src/adapters/http/sender.ts';
import { destinations } from '../../src/webhooks/destination.ts';
import { signedHeaders } from '../../src/webhooks/signature.ts';
import { publicEventId } from '../support/examples.ts';

/**
 * The minimum of a delivery: signed POSTs to the same URLs over keep-alive connections, and nothing else.
 * `bare-posts.ts '{"urls":[…],"count":N,"each":N,"body":"…"}'` prints how long they took.
 */
type Order = {
  readonly urls: readonly string[];
  readonly count: number;
  /** Concurrent POSTs to each URL. */
  readonly each: number;
  readonly body: string;
};

/** Duration of all POSTs in ms, and processor time of one in µs. */
export type BarePosts = { readonly tookMs: number; readonly cpuUs: number };

// `deliveries.ts` writes the argument.
const { urls, count, each, body } = JSON.parse(process.argv[2] ?? '') as Order;
const sender = openSender(destinations(false));
const secrets = { present: `whsec_${Buffer.alloc(32, 7).toString('base64')}`, previous: null };

await posts(Math.min(count, urls.length * each * 4));
const before = process.cpuUsage();
const startedMs = performance.now();
await posts(count);
const tookMs = performance.now() - startedMs;
const { user, system } = process.cpuUsage(before);
process.stdout.write(`${JSON.stringify({ tookMs, cpuUs: (user + system) / count } satisfies BarePosts)}\n`);
await sender.close();

async function posts(total: number): Promise<void> {
  let sent = 0;
  const poster = async (url: string): Promise<void> => {
    while (sent < total) {
      const mark = String(sent++);
      const event = { eventId: publicEventId(`evt_${mark}`), event: 'booking_confirmed', deliveryId: mark } as const;
      const headers = signedHeaders({ ...event, body, atMs: Date.now(), secrets, version: 'bench' });
      const exchange = await sender.post({ url, headers, body, timeoutMs: 30_000 });
      if (exchange.kind === 'failed') throw new Error(exchange.error);
    }
  };
  await Promise.all(urls.flatMap((url) => Array.from({ length: each }, () => poster(url))));
}
