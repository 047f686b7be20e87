import type { Log } from '../ports/log.ts';
import { pause, type Running, runLoop } from '../runtime/running.ts';
import type { Projections } from './engines.ts';

const EVERY_MS = 5_000;

/** Logs how far the projections are, every five seconds until they have caught up. */
export function logFilling(projections: Pick<Projections, 'filling'>, log: Log, everyMs = EVERY_MS): Running {
  return runLoop(async (stopping) => {
    const sinceMs = performance.now();
    for (let lines = 0; ; lines++) {
      await pause(everyMs, stopping);
      if (stopping.aborted) return;
      const progress = projections.filling();
      const seconds = Math.round((performance.now() - sinceMs) / 1_000);
      if (progress !== null) log.info('read models are behind the log', { progress, seconds });
      else if (lines > 0) log.info('read models have caught up with the log', { seconds });
      if (progress === null) return;
    }
  });
}
