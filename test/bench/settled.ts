import type { BenchServer, Measurement } from './bench-server.ts';
import { latenciesAt, mailed } from './latencies.ts';
import { measure, type Request } from './load.ts';
import { Arrivals, startReceivers } from './receivers.ts';
import { caughtUp, cpuSince, type Figures, lookAtProjections, STUCK_MS, threadCpu, useBetween } from './watch.ts';

/** Fewer than the other cases have, because a real server settles less with more. */
const CONNECTIONS = 16;
/** Public events of a booking: it is confirmed, and its voucher is delivered. */
const EVENTS_EACH = 2;

/**
 * Bookings with all their effects: the mail is in the outbox and every projection has caught up. The first burst warms
 * the server up. Then bookings at half the measured rate show how long the effects of each take.
 */
export async function measureSettled(options: Measurement): Promise<Figures> {
  await using installation = await options.install();
  // A service without a public URL mails nothing.
  await using server = await installation.start({ PUBLIC_URL: 'http://127.0.0.1:9' });
  const bursts = new Bursts(server, options);
  await bursts.next();
  const settled = await bursts.next();
  const perSecond = (settled['settled per s'] ?? 0) / 2;
  options.progress(`latencies at ${perSecond.toFixed(0)} bookings/s`);
  return { ...settled, ...(await latenciesAt(perSecond, server, options)) };
}

/** The same with a receiver on this machine, which has acknowledged both public events. */
export async function measureSettledWithWebhook(options: Measurement): Promise<Figures> {
  const arrivals = new Arrivals();
  await using receivers = startReceivers(1, ({ eventId }) => arrivals.add(eventId));
  const [webhook = ''] = receivers.urls;
  await using installation = await options.install();
  await using server = await installation.start({ BENCH_WEBHOOK_URL: webhook });
  const bursts = new Bursts(server, options, arrivals);
  await bursts.next();
  return await bursts.next();
}

class Bursts {
  readonly #server: BenchServer;
  readonly #options: Measurement;
  readonly #next: () => Request;
  /** Public events at the receiver; null without one. */
  readonly #arrivals: Arrivals | null;
  /** In all bursts. */
  #booked = 0;

  constructor(server: BenchServer, options: Measurement, arrivals: Arrivals | null = null) {
    this.#server = server;
    this.#options = options;
    this.#next = options.next(server.key);
    this.#arrivals = arrivals;
  }

  /** Resolves when the bookings of a burst have settled. The figures of CPU time and calls are per booking. */
  async next(): Promise<Figures> {
    const { progress, signal, milliseconds } = this.#options;
    const server = this.#server;
    const { pid, port } = server;
    const before = { threads: threadCpu(pid), counters: await server.counters() };
    const startedMs = performance.now();
    const answered = await measure({ port, connections: CONNECTIONS, milliseconds, next: this.#next });
    if (Object.keys(answered.refused).length > 0) throw new Error(`refused ${JSON.stringify(answered.refused)}`);
    const bookings = answered.requests;
    this.#booked += bookings;
    progress(`settling ${bookings} bookings`);
    const stuck = AbortSignal.any([signal, AbortSignal.timeout(STUCK_MS)]);
    await this.#arrivals?.reached(this.#booked * EVENTS_EACH, stuck);
    await mailed(server, this.#booked, stuck);
    const looks = await caughtUp(server, stuck);
    const seconds = (performance.now() - startedMs) / 1_000;
    const settled = await server.counters();
    const threads = cpuSince(before.threads, pid, bookings);
    // What the looks cost is measured while nothing else happens, and left out.
    await lookAtProjections(server, signal);
    const look = useBetween(settled, await server.counters(), bookings);
    const use = Object.entries(useBetween(before.counters, settled, bookings)).map(
      ([name, each]) => [name, Math.max(0, each - looks * (look[name] ?? 0))] as const,
    );
    return {
      bookings,
      'answered per s': answered.perSecond,
      'settled per s': bookings / seconds,
      'memory MB': settled.memoryMb,
      subscriptions: settled.subscriptions,
      ...Object.fromEntries(use),
      ...threads,
    };
  }
}
