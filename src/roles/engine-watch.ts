import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';

const LOOK_MS = 1_000;
/** An engine that does not answer such a question by then does not answer others in time. */
const ANSWER_MS = 2_000;

export type EngineWatch = {
  /** Whether each engine answered when it was last asked. */
  answering(): Readonly<Record<string, boolean>>;
  stop(): Promise<void>;
};

/** Asks each engine every second whether it is there, and tells in the log when it went away and came back. */
export function watchEngines(
  probes: Readonly<Record<string, () => Promise<boolean>>>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): EngineWatch {
  const answering = new Map(Object.keys(probes).map((engine) => [engine, true]));
  const stopping = new AbortController();
  const watch = async (engine: string, probe: () => Promise<boolean>): Promise<void> => {
    let sinceMs = clock.nowMs();
    while (!stopping.signal.aborted) {
      const answers = await answersInTime(probe, clock, stopping.signal);
      if (answers !== answering.get(engine) && !stopping.signal.aborted) {
        const awayMs = clock.nowMs() - sinceMs;
        if (answers) log.info('engine is back', { engine, awayMs });
        else log.warn('engine is away', { engine });
        sinceMs = clock.nowMs();
        answering.set(engine, answers);
      }
      await clock.until(clock.nowMs() + LOOK_MS, stopping.signal);
    }
  };
  const watching = Object.entries(probes).map(([engine, probe]) => watch(engine, probe));
  return {
    answering: () => Object.fromEntries(answering),
    async stop() {
      stopping.abort();
      await Promise.all(watching);
    },
  };
}

async function answersInTime(probe: () => Promise<boolean>, clock: Clock, stopping: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  const late = clock.until(clock.nowMs() + ANSWER_MS, AbortSignal.any([over.signal, stopping])).then(() => false);
  try {
    return await Promise.race([probe().catch(() => false), late]);
  } finally {
    over.abort();
  }
}
