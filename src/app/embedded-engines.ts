import { join } from 'node:path';
import { openErasureLedger } from '../adapters/sqlite/erasure-ledger.ts';
import type { Config } from '../config.ts';
import { ALWAYS_CURRENT } from '../ports/currency.ts';
import type { ErasureLedger } from '../ports/erasure-ledger.ts';
import { OperatorError } from '../ports/operator-error.ts';
import { StoreUnavailable } from '../ports/store-unavailable.ts';
import { singleNode } from '../runtime/leader-election.ts';
import type { Running } from '../runtime/running.ts';
import { openProjections } from './embedded-projections.ts';
import { openStores } from './embedded-stores.ts';
import type { Engines, EnginesContext } from './engines.ts';

const NOTHING: Running = { stop: () => Promise.resolve() };

/**
 * The embedded stores, which belong to this process alone.
 * @throws DataDirectoryInUse; StoreUnavailable if the disk is full; OperatorError if the erasure ledger cannot be opened
 */
export async function openEmbeddedEngines(
  config: Config,
  context: Pick<EnginesContext, 'clock' | 'log' | 'unknownEvents'>,
): Promise<Engines> {
  await using opening = new AsyncDisposableStack();
  const stores = opening.adopt(openStores(config, context.unknownEvents), (them) => them.close());
  const erasures = opening.adopt(openLedger(config), (it) => it.close());
  const opened = opening.move();
  let storing = (): boolean => true;
  return {
    stores,
    erasures,
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
    async openProjections({ parking }) {
      const own = await openProjections(stores, config, { ...context, parking });
      storing = () => own.storing();
      return own;
    },
    project: () => Promise.resolve(NOTHING),
    leases: () => Promise.resolve(null),
    followMails: () => Promise.resolve(NOTHING),
    close: () => opened.disposeAsync(),
  };
}

function openLedger({ erasureLedger, dataDirectory }: Config): ErasureLedger {
  const path = erasureLedger ?? join(dataDirectory, 'erasures.db');
  try {
    return openErasureLedger(path);
  } catch (fault) {
    if (fault instanceof StoreUnavailable || !(fault instanceof Error)) throw fault;
    throw new OperatorError(`ERASURE_LEDGER: ${path} cannot be opened: ${fault.message}`, { cause: fault });
  }
}
