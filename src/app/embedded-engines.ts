import type { Config } from '../config.ts';
import { ALWAYS_CURRENT } from '../ports/currency.ts';
import { singleNode } from '../runtime/leader-election.ts';
import type { Running } from '../runtime/running.ts';
import { openProjections } from './embedded-projections.ts';
import { openStores } from './embedded-stores.ts';
import type { Engines, EnginesContext } from './engines.ts';

const NOTHING: Running = { stop: () => Promise.resolve() };

/**
 * The embedded stores, which belong to this process alone.
 * @throws DataDirectoryInUse; StoreUnavailable if the disk is full
 */
export function openEmbeddedEngines(
  config: Config,
  context: Pick<EnginesContext, 'clock' | 'log' | 'unknownEvents'>,
): Engines {
  const stores = openStores(config, context.unknownEvents);
  let storing = (): boolean => true;
  return {
    stores,
    ...singleNode,
    replaced: new Promise(() => {}),
    // False while the disk is full. Reads still work.
    answering: () => ({
      event_store: stores.store.writable(),
      read_models: storing(),
      usage_counters: stores.rateLimiter.writable(),
    }),
    currencyOf: () => ALWAYS_CURRENT,
    passSoon: () => undefined,
    async openProjections() {
      const own = await openProjections(stores, config, context);
      storing = () => own.storing();
      return own;
    },
    project: () => Promise.resolve(NOTHING),
    followMails: () => Promise.resolve(NOTHING),
    close: () => stores.close(),
  };
}
