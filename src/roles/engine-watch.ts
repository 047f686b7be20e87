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
export function watchEngines(probes: Readonly<Record<string, () => Promise<boolean>>>, log: Log): EngineWatch {
  const answering = new Map(Object.keys(probes).map((engine) => [engine, true]));
  const stopping = new AbortController();
  const watch = async (engine: string, probe: () => Promise<boolean>): Promise<void> => {
    let sinceMs = performance.now();
    while (!stopping.signal.aborted) {
      const answers = await answersInTime(probe, stopping.signal);
      if (answers !== answering.get(engine) && !stopping.signal.aborted) {
        const forMs = Math.round(performance.now() - sinceMs);
        if (answers) log.info('engine is back', { engine, awayMs: forMs });
        else log.warn('engine is away', { engine });
        sinceMs = performance.now();
        answering.set(engine, answers);
      }
      await pause(LOOK_MS, stopping.signal);
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

async function answersInTime(probe: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  try {
    const late = pause(ANSWER_MS, AbortSignal.any([over.signal, signal])).then(() => false);
    return await Promise.race([probe().catch(() => false), late]);
  } finally {
    over.abort();
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
