import { pause } from '../chaos/kill/real-time.ts';
import { type BenchServer, startBenchServer } from './bench-server.ts';
import type { Request } from './load.ts';
import { caughtUp, createKeys } from './watch.ts';

const RECEIVERS = 1_000;
/** One booking for each receiver in turn, at a pace that leaves the machine room: it is not throughput that is asked for. */
const BOOKINGS_PER_SECOND = 100;
const PHASE_S = 12;
/** Short enough for attempts to end in time-outs, and their retries to begin, within the phase. */
const TIMEOUT_MS = 5_000;
const DRAINED_MS = 2_000;

/** From an event to its delivery, in ms, at receivers that answer at once. */
export type Latency = { readonly deliveries: number; readonly p50Ms: number; readonly p99Ms: number };
export type Isolation = {
  readonly receivers: number;
  /** While all receivers answer, and while every second one takes requests and answers none. */
  readonly healthy: Latency;
  readonly besideSick: Latency;
  /** Attempts that the sick receivers left hanging. */
  readonly hanging: number;
  /** Of the p99. */
  readonly ratio: number;
};

export type IsolationOptions = {
  readonly settings: Readonly<Record<string, string>>;
  readonly next: (key: string) => () => Request;
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
};

/** A thousand receivers, of which half hang: what that costs the others. The bookings are the same in both phases. */
export async function measureIsolation({ settings, next, progress, signal }: IsolationOptions): Promise<Isolation> {
  const arrivals = new Arrivals();
  const server = await startBenchServer({ ...settings, WEBHOOK_TIMEOUT_MS: String(TIMEOUT_MS) });
  try {
    const keys = await createKeys(server, arrivals.urls);
    progress(`${keys.length} receivers`);
    await phase(server, keys, { next, signal, seconds: PHASE_S / 4 });
    arrivals.take();
    await phase(server, keys, { next, signal, seconds: PHASE_S });
    const healthy = latencyOf(arrivals.take());
    progress(`all answer: p99 ${healthy.p99Ms} ms`);
    arrivals.sick = true;
    // Until every sick receiver holds what it gets.
    await phase(server, keys, { next, signal, seconds: PHASE_S });
    arrivals.take();
    await phase(server, keys, { next, signal, seconds: PHASE_S });
    const besideSick = latencyOf(arrivals.take());
    progress(`half hang: p99 ${besideSick.p99Ms} ms`);
    const { hanging } = arrivals;
    return { receivers: RECEIVERS, healthy, besideSick, hanging, ratio: besideSick.p99Ms / healthy.p99Ms };
  } finally {
    await server.stop();
    await arrivals.stop();
  }
}

type Phase = Pick<IsolationOptions, 'next' | 'signal'> & { readonly seconds: number };

async function phase(server: BenchServer, keys: readonly string[], { next, signal, seconds }: Phase): Promise<void> {
  const { port } = server;
  const answers: Promise<void>[] = [];
  const startedMs = performance.now();
  for (let at = 0; at < seconds * BOOKINGS_PER_SECOND; at++) {
    const { method, path, headers, body } = next(keys[at % keys.length] ?? '')();
    answers.push(answered(`http://127.0.0.1:${port}${path}`, { method, headers, body, signal }));
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

/** The receivers: of two that follow each other, the second one can fall sick. */
class Arrivals {
  readonly urls: readonly string[];
  sick = false;
  hanging = 0;
  readonly #server: Bun.Server<undefined>;
  #latenciesMs: number[] = [];

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      idleTimeout: 0,
      fetch: async (request) => {
        const nowMs = Date.now();
        const receiver = Number(new URL(request.url).pathname.slice(1));
        // The service's own event.
        const { created_at } = (await request.json()) as { created_at: string };
        if (receiver % 2 === 0) this.#latenciesMs.push(nowMs - Date.parse(created_at));
        else if (this.sick) {
          this.hanging++;
          return Promise.withResolvers<Response>().promise;
        }
        return new Response('ok');
      },
    });
    this.urls = Array.from({ length: RECEIVERS }, (_, at) => `http://127.0.0.1:${this.#server.port}/${at}`);
  }

  /** What came to those that never fall sick, since the last time. */
  take(): readonly number[] {
    const taken = this.#latenciesMs;
    this.#latenciesMs = [];
    return taken;
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }
}

function latencyOf(latenciesMs: readonly number[]): Latency {
  const sorted = latenciesMs.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { deliveries: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99) };
}
