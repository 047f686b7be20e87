import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import { runLoop } from '../runtime/running.ts';

const CHECK_INTERVAL_MS = 1_000;
/** Deadline of a health check. */
const CHECK_TIMEOUT_MS = 2_000;

export type EngineHealth = {
  /** Whether each engine answered the last health check. */
  answering(): Readonly<Record<string, boolean>>;
  stop(): Promise<void>;
};

/** Checks each engine every second, and logs when it becomes unavailable and available again. */
export function monitorEngines(
  probes: Readonly<Record<string, () => Promise<boolean>>>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): EngineHealth {
  const answering = new Map(Object.keys(probes).map((engine) => [engine, true]));
  const watch = async (engine: string, probe: () => Promise<boolean>, stopping: AbortSignal): Promise<void> => {
    let sinceMs = clock.nowMs();
    while (!stopping.aborted) {
      const answers = await answersInTime(probe, clock, stopping);
      if (answers !== answering.get(engine) && !stopping.aborted) {
        const awayMs = clock.nowMs() - sinceMs;
        if (answers) log.info('engine is available again', { engine, awayMs });
        else log.warn('engine is unavailable', { engine });
        sinceMs = clock.nowMs();
        answering.set(engine, answers);
      }
      await clock.until(clock.nowMs() + CHECK_INTERVAL_MS, stopping);
    }
  };
  const watching = runLoop(async (stopping) => {
    await Promise.all(Object.entries(probes).map(([engine, probe]) => watch(engine, probe, stopping)));
  });
  return {
    answering: () => Object.fromEntries(answering),
    stop: () => watching.stop(),
  };
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
