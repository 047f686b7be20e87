import { pause } from '../chaos/kill/real-time.ts';
import type { BenchServer, Measurement } from './bench-server.ts';
import { pace, type Quantiles, quantilesOf } from './load.ts';
import { startReceivers, type Webhook } from './receivers.ts';
import { caughtUp, createKeys, type Figures } from './watch.ts';

const RECEIVERS = 1_000;
const PHASE_S = 12;
/** Short, so that attempts time out and retries begin within a phase. */
const TIMEOUT_MS = 5_000;
const DRAINED_MS = 2_000;

/** From an event to its delivery, in ms, at 500 receivers while 500 others hang. Both phases have the same bookings. */
export async function measureIsolation(options: Measurement): Promise<Figures> {
  const { install, moderatePerSecond, progress } = options;
  const sickness = new Sickness();
  await using receivers = startReceivers(RECEIVERS, (webhook) => sickness.receive(webhook));
  await using installation = await install({ WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS) });
  await using server = await installation.start();
  const keys = await createKeys(server, receivers.urls);
  progress(`${keys.length} receivers`);
  const phase = async (seconds: number): Promise<Quantiles> => {
    sickness.latenciesMs = [];
    await book(server, keys, seconds * moderatePerSecond, options);
    return quantilesOf(sickness.latenciesMs);
  };
  await phase(PHASE_S / 4);
  const healthy = await phase(PHASE_S);
  progress(`all answer: p99 ${healthy.p99} ms`);
  sickness.started = true;
  // Until every sick receiver has unanswered requests.
  await phase(PHASE_S);
  const besideSick = await phase(PHASE_S);
  progress(`half hang: p99 ${besideSick.p99} ms`);
  return {
    receivers: RECEIVERS,
    'all answer: deliveries': healthy.count,
    'all answer: p50 ms': healthy.p50,
    'all answer: p99 ms': healthy.p99,
    'half hang: deliveries': besideSick.count,
    'half hang: p50 ms': besideSick.p50,
    'half hang: p99 ms': besideSick.p99,
    'attempts without an answer': sickness.hanging,
    'ratio of the p99': besideSick.p99 / healthy.p99,
  };
}

/** Books for each key in turn, and waits until the deliveries are over. */
async function book(
  server: BenchServer,
  keys: readonly string[],
  bookings: number,
  { next, moderatePerSecond, signal }: Measurement,
): Promise<void> {
  const requests = keys.map((key) => next(key));
  let booked = 0;
  await pace({
    port: server.port,
    perSecond: moderatePerSecond,
    requests: bookings,
    next: () => (requests[booked++ % requests.length] ?? next(''))(),
    signal,
  });
  await caughtUp(server, signal);
  await pause(DRAINED_MS);
}

/** Receivers with an odd index can become sick: they accept requests and answer none. */
class Sickness {
  started = false;
  hanging = 0;
  /** Of the receivers with an even index. */
  latenciesMs: number[] = [];

  receive({ receiver, body }: Webhook): Promise<void> | void {
    const nowMs = Date.now();
    // The body is the service's event.
    const { created_at } = JSON.parse(body) as { created_at: string };
    if (receiver % 2 === 0) this.latenciesMs.push(nowMs - Date.parse(created_at));
    else if (this.started) {
      this.hanging++;
      return Promise.withResolvers<void>().promise;
    }
  }
}
