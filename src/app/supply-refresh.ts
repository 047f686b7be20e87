import { inCatalogue } from '../../projections/activities/read-model.ts';
import { supplyFiles } from '../adapters/system/supply-files.ts';
import { listCatalogue } from '../application/supply/list-catalogue.ts';
import type { Config } from '../config.ts';
import type { Activity } from '../domain/activity/activity.ts';
import type { Position } from '../eventsourcing/message.ts';
import type { EventFeed } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import { OperatorError } from '../ports/operator-error.ts';
import type { SupplySource } from '../ports/supply-source.ts';
import type { LeaderElection } from '../runtime/leader-election.ts';
import { CATALOGUE_DIRECTORY } from '../supply/catalogue-file.ts';
import { EXCHANGE_RATES_FILE } from '../supply/exchange-rates-file.ts';
import { describeFaults, type FileFault } from '../supply/json-file.ts';
import {
  changeBetween,
  type RefreshContext,
  type SupplyChange,
  type SupplyRefresh,
  sharingEntries,
  startSupplyRefresh,
} from '../supply/refresh.ts';
import { type LoadedSupply, readSupply } from '../supply/supply.ts';
import type { LiveViews } from './live-views.ts';
import { logWait } from './wait-log.ts';

/** The supply files have faults; the message names file, line and field of each. */
export class BadSupply extends OperatorError {
  constructor(faults: readonly FileFault[], exchangeRatesFile: string) {
    const ofRates = faults.filter(({ file }) => file === exchangeRatesFile).length;
    const what = [...(ofRates < faults.length ? ['catalogue'] : []), ...(ofRates > 0 ? ['exchange rates'] : [])];
    super(`the ${what.join(' and the ')} cannot be used:\n${describeFaults(faults)}`);
    this.name = 'BadSupply';
  }
}

/** The supply at the start. `take` hands it over: closures of the start live as long as the node, and would keep it. */
export type FirstSupply = { readonly source: SupplySource; take(): LoadedSupply };

/** @throws BadSupply, and if a file cannot be read */
export async function readFirstSupply(
  { catalogueDirectory, exchangeRatesFile }: Pick<Config, 'catalogueDirectory' | 'exchangeRatesFile'>,
  log: Log,
): Promise<FirstSupply> {
  const places = {
    directory: catalogueDirectory ?? CATALOGUE_DIRECTORY,
    exchangeRatesFile: exchangeRatesFile ?? EXCHANGE_RATES_FILE,
  };
  const source = supplyFiles(places, log);
  const files = await source.read();
  const { loaded, faults } = await readSupply(files, null);
  if (loaded === null) throw new BadSupply(faults, places.exchangeRatesFile);
  let first: LoadedSupply | null = { supply: loaded.supply, files };
  return {
    source,
    take() {
      const taken = first;
      first = null;
      if (taken === null) throw new Error('the first supply was taken before');
      return taken;
    },
  };
}

type Context = Pick<Parameters<typeof listCatalogue>[2], 'streams' | 'clock' | 'digest' | 'log'> & {
  readonly ids: Ids;
  readonly catalogue: LiveViews['catalogue'];
  readonly store: Pick<EventFeed, 'head' | 'positions'>;
  readonly runExclusively: LeaderElection['runExclusively'];
  /** Interval of the log lines of a wait; default ten seconds. */
  readonly logWaitMs?: number;
};

/** One node at a time lists the catalogue, so that two nodes with different files do not mix their entries. */
const LEASE = 'catalogue';
/** Attempts of each command at the start. A refresh makes one: it is repeated as a whole. */
const ATTEMPTS_AT_START = 5;

/**
 * Lists the activities of the catalogue files, retires those that the files no longer name, and waits until this node has
 * applied the changes. Then refreshes the catalogue as the files change.
 * @throws StoreUnavailable while the event store is unavailable; activities listed by then are not listed again
 */
export async function openSupply(first: FirstSupply, everyMs: number, context: Context): Promise<SupplyRefresh> {
  const { clock, log } = context;
  const runExclusively: RefreshContext['runExclusively'] = (work) => context.runExclusively(LEASE, work);
  const publish: RefreshContext['publish'] = async (change, lost) => {
    const { listed, retired } = await applyToLog(change, 1, lost, context);
    return new Set([...listed, ...retired]);
  };
  const entryOf: RefreshContext['entryOf'] = (id) => {
    const document = context.catalogue.get(id);
    return document === undefined ? null : inCatalogue(document);
  };
  const loaded = await sharingEntries(
    await loadCatalogue(first.take(), first.source, runExclusively, context),
    entryOf,
  );
  return startSupplyRefresh(loaded, { source: first.source, publish, entryOf, runExclusively, everyMs, clock, log });
}

/** Lists the catalogue under the lease. Repeats if the lease was lost meanwhile. */
async function loadCatalogue(
  first: LoadedSupply,
  source: SupplySource,
  runExclusively: RefreshContext['runExclusively'],
  context: Context,
): Promise<LoadedSupply> {
  using waiting = logWait('the lease "catalogue", which another node holds', context.log, context.logWaitMs);
  const loaded = await runExclusively(async (lost) => {
    waiting[Symbol.dispose]();
    const files = await source.read();
    const current = files === first.files ? first : ((await readSupply(files, first)).loaded ?? first);
    const { activities } = current.supply;
    // Includes what the last holder of the lease listed.
    await applied(await context.store.head(), context);
    const change = changeBetween(listedBefore(context), activities, new Set());
    const { listed, retired } = await applyToLog(change, ATTEMPTS_AT_START, lost, context);
    const commands = change.listed.length + change.dropped.length;
    const counts = { activities: activities.length, commands, listed: listed.length, retired: retired.length };
    return { current, counts, lost: lost.aborted };
  });
  if (loaded.lost) return await loadCatalogue(first, source, runExclusively, context);
  context.log.info('catalogue loaded', loaded.counts);
  return loaded.current;
}

/** The entries of the catalogue files that the log holds. */
function* listedBefore({ catalogue }: Context): Generator<Activity> {
  for (const document of catalogue.values()) {
    const entry = inCatalogue(document);
    if (entry !== null) yield entry;
  }
}

async function applyToLog(change: SupplyChange, attempts: number, signal: AbortSignal, context: Context) {
  const at = new Date(context.clock.nowMs()).toISOString();
  const cause = { correlationId: context.ids.uuid(), causationId: null, by: 'catalogue', at };
  const changed = await listCatalogue(change, { cause, attempts, signal }, context);
  if (changed.position !== null) await applied(changed.position, context);
  return changed;
}

/** Waits until this node has applied the log up to a position. */
async function applied(position: Position, { catalogue, store, log, logWaitMs }: Context): Promise<void> {
  const at = store.positions.format(position);
  const waiting = logWait(`the read model "activities" to reach the position ${at} of the log`, log, logWaitMs);
  try {
    await catalogue.passed(position);
  } finally {
    waiting[Symbol.dispose]();
  }
}
