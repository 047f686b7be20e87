import { PROJECTIONS } from '../../projections/index.ts';
import type { Config } from '../config.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../eventsourcing/durations.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log } from '../ports/log.ts';
import type { ReadModelStore } from '../ports/read-model-store.ts';
import { type Running, runLoop } from '../runtime/running.ts';
import { pruneVersions, showVersion } from '../runtime/versions.ts';

/** Interval of the marks; the shortest grace that can be set is a day. */
const SHOW_MS = HOUR_MS;
/** Two missed marks: no node of the other release runs any more. */
const PERSONAL_GRACE_MS = 2 * SHOW_MS;
const FAULT_PAUSE_MS = MINUTE_MS;

type Context = {
  readonly readModels: ReadModelStore;
  readonly clock: Clock;
  readonly log: Log;
  /** Collections of versions that no node has used for this time are dropped; null on nodes that drop none. */
  readonly graceMs: number | null;
  /** Whether no other process uses the read models. */
  readonly alone: boolean;
};

/**
 * Records that the projection versions of this release are in use: before this node reads them, and then every hour.
 * Drops the collections of releases that no node uses any more.
 */
export async function showVersions(context: Context): Promise<Running> {
  const { clock, log } = context;
  await show(context);
  return runLoop(async (stopping) => {
    for (let shown = true; !stopping.aborted; shown = false) {
      let restMs = SHOW_MS;
      try {
        if (!shown) await show(context);
        await prune(context);
      } catch (fault) {
        restMs = FAULT_PAUSE_MS;
        log.warn('projection versions not updated', { retryMs: restMs, fault });
      }
      await clock.until(clock.nowMs() + restMs, stopping);
    }
  });
}

/** How long collections of unused versions are kept, in ms. */
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

async function prune({ readModels, clock, log, graceMs, alone }: Context): Promise<void> {
  if (graceMs === null) return;
  const personalGraceMs = alone ? 0 : Math.min(graceMs, PERSONAL_GRACE_MS);
  const grace = { graceMs, personalGraceMs };
  const collections = await pruneVersions(PROJECTIONS, readModels, { nowMs: clock.nowMs(), ...grace });
  if (collections.length > 0) log.info('collections of other releases dropped', { collections, graceMs });
}
