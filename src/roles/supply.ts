import { supplyFiles } from '../adapters/system/supply-files.ts';
import { listCatalogue } from '../application/list-catalogue.ts';
import type { Config } from '../config.ts';
import type { EventFeed } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { SupplySource } from '../ports/supply-source.ts';
import { CATALOGUE_DIRECTORY } from '../supply/catalogue-file.ts';
import { EXCHANGE_RATES_FILE } from '../supply/exchange-rates-file.ts';
import { describeFaults, type FileFault } from '../supply/json-file.ts';
import { keepSupply, type RefreshContext, type SupplyChange, type SupplyRefresh } from '../supply/refresh.ts';
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
  readonly store: Pick<EventFeed, 'head'>;
  readonly exclusively: Exclusively;
};

/** One node at a time says what is sold, so that two that start together do not leave some of each behind. */
const LEASE = 'catalogue';

/**
 * Lists what the catalogue's files name, retires what they name no more, and waits until this node knows of it. From then on
 * this node says what changes in its files.
 */
export async function openSupply(first: FirstSupply, everyMs: number, context: Context): Promise<SupplyRefresh> {
  const { clock, log } = context;
  const exclusively: RefreshContext['exclusively'] = (work) => context.exclusively(LEASE, work);
  const tell = async (change: SupplyChange): Promise<ReadonlySet<string>> => {
    const { listed, retired } = await tellLog(change, context);
    return new Set([...listed, ...retired]);
  };
  const told = await tellAll(first, exclusively, context);
  return keepSupply(told, { source: first.source, tell, exclusively, everyMs, clock, log });
}

/** Says all that the files say when this node's turn has come; once more where the turn was lost meanwhile. */
async function tellAll(
  first: FirstSupply,
  exclusively: RefreshContext['exclusively'],
  context: Context,
): Promise<SoundSupply> {
  const said = await exclusively(async (lost) => {
    const files = await first.source.read();
    const sound = files === first.files ? first : ((await readSupply(files, first)).sound ?? first);
    const { activities } = sound.supply;
    const named = new Set<string>(activities.map(({ id }) => id));
    // What the node before told is looked at too.
    await context.catalogue.passed(await context.store.head());
    const known = [...context.catalogue.values()].filter((entry) => entry.listed).map((entry) => entry.activity.id);
    const dropped = known.filter((id) => !named.has(id));
    const { listed, retired } = await tellLog({ listed: activities, dropped }, context);
    const counts = { activities: activities.length, listed: listed.length, retired: retired.length };
    return { sound, counts, lost: lost.aborted };
  });
  if (said.lost) return tellAll(first, exclusively, context);
  context.log.info('catalogue loaded', said.counts);
  return said.sound;
}

async function tellLog({ listed, dropped }: SupplyChange, context: Context) {
  const at = new Date(context.clock.nowMs()).toISOString();
  const cause = { correlationId: context.ids.uuid(), causationId: null, by: 'catalogue', at };
  const change = await listCatalogue(listed, dropped, cause, context);
  if (change.position !== null) await context.catalogue.passed(change.position);
  return change;
}
