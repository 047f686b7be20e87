import { join } from 'node:path';
import { pause } from '../chaos/kill/real-time.ts';
import type { BarePosts } from './bare-posts.ts';
import type { BenchServer, Measurement } from './bench-server.ts';
import { measure } from './load.ts';
import { Arrivals, startReceivers, type Webhook } from './receivers.ts';
import { caughtUp, cpuSince, createKeys, type Figures, STUCK_MS, threadCpu, useBetween } from './watch.ts';

/** Duration of the bookings whose events are delivered. */
const FILL_MS = 3_000;
const RECEIVERS = 8;
/** Concurrent deliveries to a receiver that answers fast. */
const CONCURRENT_EACH = 8;
const QUIET_MS = 500;

/**
 * The throughput of pending deliveries: receivers on this machine answer nothing until all events are scheduled, then
 * everything at once. In each round the same number of bare signed POSTs follows, over as many keep-alive connections,
 * from another process without a store. Returns the round with the median ratio, after one warm-up round.
 */
export async function measureDeliveries(options: Measurement): Promise<Figures> {
  const gates = new Gates();
  await using receivers = startReceivers(RECEIVERS, (webhook) => gates.receive(webhook));
  await using installation = await options.install({ WEBHOOK_TIMEOUT_MS: '120000' });
  await using server = await installation.start();
  const keys = await createKeys(server, receivers.urls);
  const taken: { readonly ratio: number; readonly figures: Figures }[] = [];
  for (let round = 0; round <= options.rounds; round++) {
    const { deliveries, perSecond, use, bareBody } = await measureRound(server, gates, keys, options);
    const bare = await barePosts(receivers.urls, bareBody, deliveries);
    const barePerSecond = (deliveries * 1_000) / bare.tookMs;
    const ratio = perSecond / barePerSecond;
    options.progress(`${deliveries} deliveries, ratio to bare POSTs ${ratio.toFixed(2)}`);
    const figures = {
      deliveries,
      'per s': perSecond,
      'bare signed POSTs per s': barePerSecond,
      'ratio to bare POSTs': ratio,
      'CPU us of a bare POST': bare.cpuUs,
      ...use,
    };
    if (round > 0) taken.push({ ratio, figures });
  }
  taken.sort((left, right) => left.ratio - right.ratio);
  const [median] = taken.slice(Math.floor(taken.length / 2));
  if (median === undefined) throw new Error('no round was measured');
  return median.figures;
}

async function measureRound(
  server: BenchServer,
  gates: Gates,
  keys: readonly string[],
  { connections, next, signal }: Measurement,
) {
  gates.close();
  const bookings = keys.map((key) => next(key));
  let booked = 0;
  const { requests: deliveries, refused } = await measure({
    port: server.port,
    connections,
    milliseconds: FILL_MS,
    next: () => (bookings[booked++ % bookings.length] ?? next(''))(),
  });
  if (Object.keys(refused).length > 0) throw new Error(`refused ${JSON.stringify(refused)}`);
  // Twice, because the first time some deliveries may not be scheduled yet.
  for (let check = 0; check < 2; check++) {
    await caughtUp(server, signal);
    await pause(QUIET_MS);
  }
  const before = { threads: threadCpu(server.pid), counters: await server.counters() };
  const startedMs = performance.now();
  gates.open();
  await gates.arrivals.reached(deliveries, AbortSignal.any([signal, AbortSignal.timeout(STUCK_MS)]));
  const perSecond = (deliveries * 1_000) / (performance.now() - startedMs);
  const use = {
    ...useBetween(before.counters, await server.counters(), deliveries),
    ...cpuSince(before.threads, server.pid, deliveries),
  };
  return { deliveries, perSecond, use, bareBody: gates.sample };
}

async function barePosts(urls: readonly string[], body: string, count: number): Promise<BarePosts> {
  const order = JSON.stringify({ urls, count, each: CONCURRENT_EACH, body });
  const program = Bun.spawn([process.execPath, join(import.meta.dir, 'bare-posts.ts'), order], { stderr: 'inherit' });
  const printed = await program.stdout.text();
  if ((await program.exited) !== 0) throw new Error('the bare POSTs failed');
  // `bare-posts.ts` prints one line.
  return JSON.parse(printed) as BarePosts;
}

/** Holds all answers back until it is opened. */
class Gates {
  arrivals = new Arrivals();
  /** The body of an event. */
  sample = '';
  #gate = Promise.withResolvers<void>();

  async receive({ eventId, body }: Webhook): Promise<void> {
    if (this.sample === '') this.sample = body;
    await this.#gate.promise;
    this.arrivals.add(eventId);
  }

  close(): void {
    this.#gate = Promise.withResolvers();
    this.arrivals = new Arrivals();
  }

  open(): void {
    this.#gate.resolve();
  }
}
