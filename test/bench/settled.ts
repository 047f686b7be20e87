import { type BenchServer, type Measurement, startBenchServer } from './bench-server.ts';
import { measure } from './load.ts';
import { Arrivals, startReceivers } from './receivers.ts';
import { caughtUp, cpuSince, STUCK_MS, type ThreadUse, threadCpu } from './watch.ts';

/** Duration of a burst of bookings. */
const BURST_MS = 1_000;
/** Public events of a booking: it is confirmed, and its voucher is delivered. */
const EVENTS_EACH = 2;

export type Settled = {
  readonly bookings: number;
  readonly answeredPerSecond: number;
  readonly settledPerSecond: number;
  /** Per booking. */
  readonly threads: readonly ThreadUse[];
};

/**
 * Bookings with all their effects: the mail is in the outbox, a receiver on this machine has acknowledged both public
 * events, and every projection has caught up. The first burst warms the server up.
 */
export async function measureSettled(options: Measurement): Promise<Settled> {
  let arrivals = new Arrivals();
  await using receivers = startReceivers(1, ({ eventId }) => arrivals.add(eventId));
  const [webhook = ''] = receivers.urls;
  const server = await startBenchServer({ ...options.settings, BENCH_WEBHOOK_URL: webhook }, options.profileTo);
  try {
    await burst(server, arrivals, options);
    arrivals = new Arrivals();
    return await burst(server, arrivals, options);
  } finally {
    await server.stop();
  }
}

async function burst(
  server: BenchServer,
  arrivals: Arrivals,
  { connections, next, progress, signal }: Measurement,
): Promise<Settled> {
  const { pid, port, key } = server;
  const before = threadCpu(pid);
  const startedMs = performance.now();
  const answered = await measure({ port, connections, milliseconds: BURST_MS, next: next(key) });
  if (Object.keys(answered.refused).length > 0) throw new Error(`refused ${JSON.stringify(answered.refused)}`);
  const bookings = answered.requests;
  progress(`settling ${bookings} bookings`);
  await arrivals.reached(bookings * EVENTS_EACH, AbortSignal.any([signal, AbortSignal.timeout(STUCK_MS)]));
  await caughtUp(server, signal);
  const seconds = (performance.now() - startedMs) / 1_000;
  const threads = cpuSince(before, pid, bookings);
  return { bookings, answeredPerSecond: answered.perSecond, settledPerSecond: bookings / seconds, threads };
}
