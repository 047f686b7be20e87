import type { Begun } from '../application/run-under-lease.ts';
import type { Config } from '../config.ts';
import type { Engines, EnginesContext } from './engines.ts';
import { type OwnProjections, openProjections } from './projections.ts';
import { alone } from './singly.ts';
import { openStores } from './stores.ts';

const NOTHING: Begun = { stop: () => Promise.resolve() };

/**
 * The embedded stores: everything is done in this process, and nobody else's.
 * @throws DataDirectoryInUse; StoreUnavailable where the disk is full
 */
export function openEmbeddedEngines(config: Config, { log }: Pick<EnginesContext, 'log'>): Engines {
  const stores = openStores(config);
  let projections: Pick<OwnProjections, 'storing'> = { storing: () => true };
  return {
    stores,
    singly: alone,
    // Whether their disk has room. Reading goes on without.
    answering: () => ({
      event_store: stores.store.writable(),
      read_models: projections.storing(),
      usage_counters: stores.usage.writable(),
    }),
    async openProjections() {
      const opened = await openProjections(stores, config, log);
      projections = opened;
      return opened;
    },
    project: () => Promise.resolve(NOTHING),
    followMails: () => Promise.resolve(NOTHING),
    close: () => stores.close(),
  };
}
