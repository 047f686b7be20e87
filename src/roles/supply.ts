import { supplyFiles } from '../adapters/system/supply-files.ts';
import { listCatalogue } from '../application/list-catalogue.ts';
import type { Config } from '../config.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { SupplySource } from '../ports/supply-source.ts';
import { CATALOGUE_DIRECTORY } from '../supply/catalogue-file.ts';
import { EXCHANGE_RATES_FILE } from '../supply/exchange-rates-file.ts';
import { describeFaults, type FileFault } from '../supply/json-file.ts';
import { keepSupply, type SupplyChange, type SupplyRefresh } from '../supply/refresh.ts';
import { readSupply, type SoundSupply } from '../supply/supply.ts';
import type { LiveViews } from './live-views.ts';
import type { Exclusively } from './singly.ts';

/** What people edit has faults; the message names file, line and field of each. */
export class BadSupply extends Error {
  constructor(faults: readonly FileFault[], exchangeRatesFile: string) {
    const ofRates = faults.filter(({ file }) => file === exchangeRatesFile).length;
    const what = [...(ofRates < faults.length ? ['catalogue'] : []), ...(ofRates > 0 ? ['exchange rates'] : [])];
    super(`the ${what.join(' and the ')} cannot be used:\n${describeFaults(faults)}`);
    this.name = 'BadSupply';
  }
}

/** What people edit, and where it was read from. */
export type FirstSupply = SoundSupply & { readonly source: SupplySource };

/** @throws BadSupply, and where a file cannot be read */
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
  const { sound, faults } = await readSupply(files, null);
  if (sound === null) throw new BadSupply(faults, places.exchangeRatesFile);
  return { supply: sound.supply, files, source };
}

type Context = Parameters<typeof listCatalogue>[3] & {
  readonly ids: Ids;
  readonly log: Log;
  readonly catalogue: LiveViews['catalogue'];
  readonly exclusively: Exclusively;
};

/** One node at a time says what is sold, so that two that start together do not leave some of each behind. */
const LEASE = 'catalogue';

/**
 * Lists what the catalogue's files name, retires what they name no more, and waits until this node knows of it. From then on
 * this node says what changes in its files.
 */
export async function openSupply(first: FirstSupply, everyMs: number, context: Context): Promise<SupplyRefresh> {
  const { catalogue, clock, log } = context;
  const exclusively = <Result>(work: (lost: AbortSignal) => Promise<Result>): Promise<Result> =>
    context.exclusively(LEASE, work);
  const tell = async (change: SupplyChange): Promise<ReadonlySet<string>> => {
    const { listed, retired } = await tellLog(change, context);
    return new Set([...listed, ...retired]);
  };
  const { activities } = first.supply;
  const named = new Set<string>(activities.map(({ id }) => id));
  const { listed, retired } = await exclusively(() => {
    const known = [...catalogue.values()].filter((entry) => entry.listed).map((entry) => entry.activity.id);
    return tellLog({ listed: activities, dropped: known.filter((id) => !named.has(id)) }, context);
  });
  log.info('catalogue loaded', { activities: activities.length, listed: listed.length, retired: retired.length });
  return keepSupply(first, { source: first.source, tell, exclusively, everyMs, clock, log });
}

async function tellLog({ listed, dropped }: SupplyChange, context: Context) {
  const at = new Date(context.clock.nowMs()).toISOString();
  const cause = { correlationId: context.ids.uuid(), causationId: null, by: 'catalogue', at };
  const change = await listCatalogue(listed, dropped, cause, context);
  if (change.position !== null) await context.catalogue.passed(change.position);
  return change;
}
