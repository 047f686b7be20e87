import type { Begun } from '../application/under-lease.ts';
import { readableStore } from '../application/unread-events.ts';
import type { Config } from '../config.ts';
import type { Engines, EnginesContext } from './engines.ts';
import { openProjections } from './projections.ts';
import { alone } from './singly.ts';
import { openStores } from './stores.ts';

const NOTHING: Begun = { stop: () => Promise.resolve() };

/**
 * The embedded stores: everything is done in this process, and nobody else's.
 * @throws DataDirectoryInUse
 */
export function openEmbeddedEngines(
  config: Config,
  context: Pick<EnginesContext, 'clock' | 'log' | 'unread'>,
): Engines {
  const opened = openStores(config);
  const stores = { ...opened, store: readableStore(opened.store, context.unread) };
  return {
    stores,
    singly: alone,
    answering: () => ({}),
    openProjections: () => openProjections(stores, config, context),
    project: () => Promise.resolve(NOTHING),
    followMails: () => Promise.resolve(NOTHING),
    close: () => stores.close(),
  };
}
