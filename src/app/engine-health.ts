import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { type Running, runLoop } from '../runtime/running.ts';

/** Interval of the checks of an engine that answers, if nobody asks. */
const IDLE_MS = 10_000;
/** Interval of the checks of an engine that does not answer. */
const UNAVAILABLE_MS = 1_000;
/** Shortest time between two checks that are asked for. */
const ASKED_MS = 500;
/** Deadline of a health check. */
const CHECK_TIMEOUT_MS = 2_000;

export type EngineHealth = Running & {
  /** Whether each engine answered the last health check. Starts another one in the background. */
  answering(): Readonly<Record<string, boolean>>;
};

type Context = {
  readonly clock: Clock;
  readonly log: Log;
  /** Monotonic, in ms. */
  readonly elapsedMs?: () => number;
};

/** Checks each engine, and logs when it becomes unavailable and available again. */
export function monitorEngines(
  probes: Readonly<Record<string, () => Promise<boolean>>>,
  context: Context,
): EngineHealth {
  const monitors = Object.entries(probes).map(([engine, probe]) => new Monitor(engine, probe, context));
  const watching = runLoop(async (stopping) => {
    await Promise.all(monitors.map((monitor) => monitor.watch(stopping)));
  });
  return {
    answering() {
      for (const monitor of monitors) monitor.ask();
      return Object.fromEntries(monitors.map(({ engine, answers }) => [engine, answers]));
    },
    stop: () => watching.stop(),
  };
}

class Monitor {
  readonly engine: string;
  answers = true;
  readonly #probe: () => Promise<boolean>;
  readonly #context: Required<Context>;
  #sinceMs: number;
  #checking: Promise<void> | null = null;
  #beganMs = Number.NEGATIVE_INFINITY;
  #stopping: AbortSignal = AbortSignal.abort();

  constructor(engine: string, probe: () => Promise<boolean>, context: Context) {
    this.engine = engine;
    this.#probe = probe;
    this.#context = { elapsedMs: () => performance.now(), ...context };
    this.#sinceMs = context.clock.nowMs();
  }

  async watch(stopping: AbortSignal): Promise<void> {
    const { clock } = this.#context;
    this.#stopping = stopping;
    while (!stopping.aborted) {
      await this.#check();
      await clock.until(clock.nowMs() + (this.answers ? IDLE_MS : UNAVAILABLE_MS), stopping);
    }
  }

  ask(): void {
    if (this.#context.elapsedMs() - this.#beganMs >= ASKED_MS && !this.#stopping.aborted) void this.#check();
  }

  #check(): Promise<void> {
    this.#beganMs = this.#context.elapsedMs();
    this.#checking ??= this.#note().finally(() => {
      this.#checking = null;
    });
    return this.#checking;
  }

  async #note(): Promise<void> {
    const { clock, log } = this.#context;
    const { engine } = this;
    const answers = await answersInTime(this.#probe, clock, this.#stopping);
    if (answers === this.answers || this.#stopping.aborted) return;
    this.answers = answers;
    if (answers) log.info('engine is available again', { engine, awayMs: clock.nowMs() - this.#sinceMs });
    else log.warn('engine is unavailable', { engine });
    this.#sinceMs = clock.nowMs();
  }
}

async function answersInTime(probe: () => Promise<boolean>, clock: Clock, stopping: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  const late = clock
    .until(clock.nowMs() + CHECK_TIMEOUT_MS, AbortSignal.any([over.signal, stopping]))
    .then(() => false);
  try {
    return await Promise.race([probe().catch(() => false), late]);
  } finally {
    over.abort();
  }
}
