import { pause } from '../chaos/kill/real-time.ts';
import { type BenchServer, type Measurement, startBenchServer } from './bench-server.ts';
import { startReceivers, type Webhook } from './receivers.ts';
import { caughtUp, createKeys } from './watch.ts';

const RECEIVERS = 1_000;
/** Moderate, because latency is measured and not throughput. */
const BOOKINGS_PER_SECOND = 100;
const PHASE_S = 12;
/** Short, so that attempts time out and retries begin within a phase. */
const TIMEOUT_MS = 5_000;
const DRAINED_MS = 2_000;

/** From an event to its delivery, in ms, at receivers that answer at once. */
export type Latency = { readonly deliveries: number; readonly p50Ms: number; readonly p99Ms: number };
export type Isolation = {
  readonly receivers: number;
  /** While all receivers answer, and while every second one accepts requests and answers none. */
  readonly healthy: Latency;
  readonly besideSick: Latency;
  /** Attempts that sick receivers did not answer. */
  readonly hanging: number;
  /** Of the p99. */
  readonly ratio: number;
};

/** The latency at 500 receivers while 500 others hang. The bookings are the same in both phases. */
export async function measureIsolation({ settings, next, progress, signal }: Measurement): Promise<Isolation> {
  const sickness = new Sickness();
  await using receivers = startReceivers(RECEIVERS, (webhook) => sickness.receive(webhook));
  const server = await startBenchServer({ ...settings, WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS) });
  try {
    const keys = await createKeys(server, receivers.urls);
    progress(`${keys.length} receivers`);
    const phase = async (seconds: number): Promise<Latency> => {
      sickness.latenciesMs = [];
      await book(server, keys, { next, signal, bookings: seconds * BOOKINGS_PER_SECOND });
      return latencyOf(sickness.latenciesMs);
    };
    await phase(PHASE_S / 4);
    const healthy = await phase(PHASE_S);
    progress(`all answer: p99 ${healthy.p99Ms} ms`);
    sickness.started = true;
    // Until every sick receiver has unanswered requests.
    await phase(PHASE_S);
    const besideSick = await phase(PHASE_S);
    progress(`half hang: p99 ${besideSick.p99Ms} ms`);
    const { hanging } = sickness;
    return { receivers: RECEIVERS, healthy, besideSick, hanging, ratio: besideSick.p99Ms / healthy.p99Ms };
  } finally {
    await server.stop();
  }
}

type Load = Pick<Measurement, 'next' | 'signal'> & { readonly bookings: number };

/** Books for each key in turn, and waits until the deliveries are over. */
async function book(server: BenchServer, keys: readonly string[], { next, signal, bookings }: Load): Promise<void> {
  const answers: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let at = 0; at < bookings; at++) {
    const { method, path, headers, body } = next(keys[at % keys.length] ?? '')();
    answers.push(answered(`http://127.0.0.1:${server.port}${path}`, { method, headers, body, signal }));
    const aheadMs = startedMs + ((at + 1) * 1_000) / BOOKINGS_PER_SECOND - performance.now();
    if (aheadMs > 0) await pause(aheadMs);
  }
  await Promise.all(answers);
  await caughtUp(server, signal);
  await pause(DRAINED_MS);
}

async function answered(url: string, request: RequestInit): Promise<void> {
  const answer = await fetch(url, request);
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`refused ${answer.status} ${text}`);
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

function latencyOf(latenciesMs: readonly number[]): Latency {
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { deliveries: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) };
}
