import { join } from 'node:path';
import { pause } from '../chaos/kill/real-time.ts';
import type { BarePosts } from './bare-posts.ts';
import { type BenchServer, startBenchServer } from './bench-server.ts';
import { measure, type Request } from './load.ts';
import { caughtUp, cpuSince, createKeys, threadCpu } from './watch.ts';

/** Bookings are made for so long, before their events are let go. */
const FILL_MS = 3_000;
const RECEIVERS = 8;
/** As many as a receiver that answers well gets at once. */
const AT_ONCE_EACH = 8;
/** After so long it is given up. */
const STUCK_MS = 120_000;
const QUIET_MS = 500;

export type Deliveries = {
  readonly deliveries: number;
  readonly perSecond: number;
  /** Bare signed POSTs to the same receivers, right after. */
  readonly barePerSecond: number;
  readonly ratio: number;
  /** Processor time of each of the server's threads per delivery, in µs, the busiest first. */
  readonly threads: readonly { readonly name: string; readonly cpuUs: number }[];
  /** Of the bare POSTs' process, per POST. */
  readonly bareCpuUs: number;
};

export type DeliveriesOptions = {
  readonly settings: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly rounds: number;
  /** A directory for a CPU profile of the server; undefined for none. */
  readonly profileTo: string | undefined;
  /** A booking by the holder of a key. */
  readonly next: (key: string) => () => Request;
  readonly progress: (line: string) => void;
  /** Gives it up. */
  readonly signal: AbortSignal;
};

/**
 * How fast deliveries go out that wait already: receivers on this machine answer nothing until their events are all
 * scheduled, then everything at once. In each round the same number of bare signed POSTs follows, over as many kept
 * connections, from a process of its own and without a store. The round whose ratio is the median, after one of warming up.
 */
export async function measureDeliveries(options: DeliveriesOptions): Promise<Deliveries> {
  const { settings, rounds, profileTo } = options;
  await using receivers = new Receivers();
  const server = await startBenchServer({ ...settings, WEBHOOK_TIMEOUT_MS: '120000' }, profileTo);
  try {
    const keys = await createKeys(server, receivers.urls);
    const taken: Deliveries[] = [];
    for (let round = 0; round <= rounds; round++) {
      const one = await measureRound(server, receivers, keys, options);
      if (round > 0) taken.push(one);
    }
    taken.sort((left, right) => left.ratio - right.ratio);
    const [median] = taken.slice(Math.floor(taken.length / 2));
    if (median === undefined) throw new Error('no round was measured');
    return median;
  } finally {
    await server.stop();
  }
}

async function measureRound(
  server: BenchServer,
  receivers: Receivers,
  keys: readonly string[],
  { connections, next, progress, signal }: DeliveriesOptions,
): Promise<Deliveries> {
  receivers.hold();
  const bookings = keys.map((key) => next(key));
  let booked = 0;
  const fill = await measure({
    port: server.port,
    connections,
    milliseconds: FILL_MS,
    next: () => (bookings[booked++ % bookings.length] ?? next(''))(),
  });
  if (Object.keys(fill.refused).length > 0) throw new Error(`refused ${JSON.stringify(fill.refused)}`);
  // Twice: what follows from a booking is not known to be all there at the first time.
  for (let look = 0; look < 2; look++) {
    await caughtUp(server, signal);
    await pause(QUIET_MS);
  }
  const before = threadCpu(server.pid);
  const startedMs = performance.now();
  await receivers.letGo(fill.requests, AbortSignal.any([signal, AbortSignal.timeout(STUCK_MS)]));
  const seconds = (performance.now() - startedMs) / 1_000;
  const threads = cpuSince(before, server.pid, fill.requests);
  const bare = await barePosts(receivers, fill.requests);
  const perSecond = fill.requests / seconds;
  const barePerSecond = (fill.requests * 1_000) / bare.tookMs;
  progress(`${fill.requests} deliveries: ${Math.round(perSecond)}/s; bare POSTs: ${Math.round(barePerSecond)}/s`);
  const ratio = perSecond / barePerSecond;
  return { deliveries: fill.requests, perSecond, barePerSecond, ratio, threads, bareCpuUs: bare.cpuUs };
}

async function barePosts({ urls, sample }: Receivers, count: number): Promise<BarePosts> {
  const order = JSON.stringify({ urls, count, each: AT_ONCE_EACH, body: sample });
  const program = Bun.spawn([process.execPath, join(import.meta.dir, 'bare-posts.ts'), order], { stderr: 'inherit' });
  const told = await new Response(program.stdout).text();
  if ((await program.exited) !== 0) throw new Error('the bare POSTs failed');
  // The program's own line.
  return JSON.parse(told) as BarePosts;
}

/** Receivers on this machine, which hold their answers back until they are let go. */
class Receivers implements AsyncDisposable {
  readonly urls: readonly string[];
  /** A body as it came in. */
  sample = '';
  readonly #server: Bun.Server<undefined>;
  #gate = Promise.withResolvers<void>();
  #arrived = new Set<string>();
  #all = Promise.withResolvers<void>();
  #wanted = Number.POSITIVE_INFINITY;

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: async (request) => {
        const body = await request.text();
        const id = request.headers.get('webhook-id') ?? '';
        if (this.sample === '') this.sample = body;
        await this.#gate.promise;
        this.#arrived.add(id);
        if (this.#arrived.size >= this.#wanted) this.#all.resolve();
        return new Response('ok');
      },
    });
    this.urls = Array.from({ length: RECEIVERS }, (_, at) => `http://127.0.0.1:${this.#server.port}/${at}`);
  }

  hold(): void {
    this.#gate = Promise.withResolvers();
    this.#arrived = new Set();
    this.#all = Promise.withResolvers();
    this.#wanted = Number.POSITIVE_INFINITY;
  }

  /** Resolves when so many events have been answered. @throws where that takes too long, or is given up */
  async letGo(wanted: number, signal: AbortSignal): Promise<void> {
    this.#wanted = wanted;
    const stuck = (): void => this.#all.reject(new Error(`${wanted - this.#arrived.size} of ${wanted} did not arrive`));
    signal.addEventListener('abort', stuck);
    this.#gate.resolve();
    await this.#all.promise;
    signal.removeEventListener('abort', stuck);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}
