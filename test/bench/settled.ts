import { type BenchServer, startBenchServer } from './bench-server.ts';
import { measure, type Request } from './load.ts';
import { caughtUp, cpuSince, threadCpu } from './watch.ts';

/** Bookings come for so long; then they are waited for. */
const BURST_MS = 1_000;
/** After so long it is given up. */
const STUCK_MS = 120_000;
/** A booking's: confirmed, and its voucher delivered. */
const EVENTS_EACH = 2;

export type Settled = {
  readonly bookings: number;
  readonly answeredPerSecond: number;
  readonly settledPerSecond: number;
  /** Processor time of each of the server's threads per booking, in µs, the busiest first. */
  readonly threads: readonly { readonly name: string; readonly cpuUs: number }[];
};

type Options = {
  readonly settings: Readonly<Record<string, string>>;
  readonly connections: number;
  /** A directory for a CPU profile of the server; undefined for none. */
  readonly profileTo: string | undefined;
  readonly next: (key: string) => () => Request;
  readonly progress: (line: string) => void;
  /** Gives it up. */
  readonly signal: AbortSignal;
};

/**
 * Bookings with all that follows from them: the mail is in the outbox, both public events are acknowledged by a receiver
 * on this machine, and every projection has caught up.
 */
export async function measureSettled(options: Options): Promise<Settled> {
  const events = new Arrivals();
  const receiver = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      await request.arrayBuffer();
      events.add(request.headers.get('webhook-id') ?? '');
      return new Response('ok');
    },
  });
  const webhook = `http://127.0.0.1:${receiver.port}/`;
  const server = await startBenchServer({ ...options.settings, BENCH_WEBHOOK_URL: webhook }, options.profileTo);
  try {
    await burst(server, events, options);
    return await burst(server, events, options);
  } finally {
    await server.stop();
    await receiver.stop(true);
  }
}

/** One burst, until everything of it is settled. The first one of a server warms it up. */
async function burst(
  server: BenchServer,
  events: Arrivals,
  { connections, next, progress, signal }: Options,
): Promise<Settled> {
  const { pid, port, key } = server;
  const before = threadCpu(pid);
  const eventsBefore = events.size;
  const startedMs = performance.now();
  const answered = await measure({ port, connections, milliseconds: BURST_MS, next: next(key) });
  if (Object.keys(answered.refused).length > 0) throw new Error(`refused ${JSON.stringify(answered.refused)}`);
  const bookings = answered.requests;
  progress(`settling ${bookings} bookings`);
  await events.reached(eventsBefore + bookings * EVENTS_EACH, signal);
  await caughtUp(server, signal);
  const seconds = (performance.now() - startedMs) / 1_000;
  const threads = cpuSince(before, pid, bookings);
  return { bookings, answeredPerSecond: answered.perSecond, settledPerSecond: bookings / seconds, threads };
}

/** Event ids that the receiver has seen. */
class Arrivals {
  readonly #ids = new Set<string>();
  #wanted = Number.POSITIVE_INFINITY;
  #resolve: () => void = () => {};

  get size(): number {
    return this.#ids.size;
  }

  add(id: string): void {
    this.#ids.add(id);
    if (this.#ids.size >= this.#wanted) this.#resolve();
  }

  /** Resolves when so many have come altogether. @throws where that takes too long, or is given up */
  async reached(wanted: number, signal: AbortSignal): Promise<void> {
    this.#wanted = wanted;
    if (this.size >= wanted) return;
    const given = AbortSignal.any([AbortSignal.timeout(STUCK_MS), signal]);
    await new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      given.addEventListener('abort', () =>
        reject(new Error(`${wanted - this.size} of ${wanted} events did not arrive in ${STUCK_MS} ms`)),
      );
    });
  }
}
