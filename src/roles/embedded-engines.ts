import type { Begun } from '../application/under-lease.ts';
import { readableStore } from '../application/unread-events.ts';
import type { Config } from '../config.ts';
import type { Engines, EnginesContext } from './engines.ts';
import { type OwnProjections, openProjections } from './projections.ts';
import { alone, undivided, withoutOthers } from './singly.ts';
import { openStores } from './stores.ts';

const NOTHING: Begun = { stop: () => Promise.resolve() };

/**
 * The embedded stores: everything is done in this process, and nobody else's.
 * @throws DataDirectoryInUse; StoreUnavailable where the disk is full
 */
export function openEmbeddedEngines(
  config: Config,
  context: Pick<EnginesContext, 'clock' | 'log' | 'unread'>,
): Engines {
  const opened = openStores(config);
  const writable = (): boolean => opened.store.writable();
  const stores = { ...opened, store: { ...readableStore(opened.store, context.unread), writable } };
  let projections: Pick<OwnProjections, 'storing'> = { storing: () => true };
  return {
    stores,
    singly: alone,
    exclusively: withoutOthers,
    shared: undivided,
    // Whether their disk has room. Reading goes on without.
    answering: () => ({
      event_store: writable(),
      read_models: projections.storing(),
      usage_counters: stores.usage.writable(),
    }),
    async openProjections() {
      const own = await openProjections(stores, config, context);
      projections = own;
      return own;
    },
    project: () => Promise.resolve(NOTHING),
    followMails: () => Promise.resolve(NOTHING),
    close: () => stores.close(),
  };
}
