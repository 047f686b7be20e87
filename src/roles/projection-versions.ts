import { PROJECTIONS } from '../../projections/index.ts';
import { pruneVersions, showVersion } from '../../projections/versions.ts';
import type { Begun } from '../application/under-lease.ts';
import type { Config } from '../config.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';

/** Many times in the shortest grace that can be set, a day. */
const SHOW_MS = 3_600_000;
const FAULT_PAUSE_MS = 60_000;
const DAY_MS = 86_400_000;

type Context = {
  readonly readModels: ReadModelStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Collections of versions that nobody was seen of for so long are dropped; null on nodes that drop none. */
  readonly graceMs: number | null;
};

/**
 * Shows every hour which versions of the projections this node works with, from before it first looks at them, and drops
 * those of releases that are gone.
 */
export async function showVersions(context: Context): Promise<Begun> {
  const { clock, log } = context;
  const stopping = new AbortController();
  const { signal } = stopping;
  await show(context);
  const goOn = async (): Promise<void> => {
    for (let shown = true; !signal.aborted; shown = false) {
      let restMs = SHOW_MS;
      try {
        if (!shown) await show(context);
        await prune(context);
      } catch (fault) {
        restMs = FAULT_PAUSE_MS;
        log.warn('versions of projections not looked after', { retryMs: restMs, fault });
      }
      await clock.until(clock.nowMs() + restMs, signal);
    }
  };
  const going = goOn();
  return {
    async stop() {
      stopping.abort();
      await going;
    },
  };
}

/** How long collections of versions that no node shows itself of are kept, in ms. */
export function versionGraceMs({ projectionVersionDays }: Pick<Config, 'projectionVersionDays'>): number {
  return projectionVersionDays * DAY_MS;
}

async function show({ readModels, clock, log }: Context): Promise<void> {
  for (const projection of PROJECTIONS) {
    const wereDropped = await showVersion(projection, readModels, clock.nowMs());
    const { name, version } = projection;
    if (wereDropped) log.warn('dropped projection version is folded again', { projection: name, version });
  }
}

async function prune({ readModels, clock, log, graceMs }: Context): Promise<void> {
  if (graceMs === null) return;
  const collections = await pruneVersions(PROJECTIONS, readModels, { nowMs: clock.nowMs(), graceMs });
  if (collections.length > 0) log.info('collections of other releases dropped', { collections, graceMs });
}
