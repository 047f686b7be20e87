import type { Activity, HotelId } from '../domain/activity/activity.ts';
import type { ExchangeRates } from '../domain/activity/exchange.ts';
import type { Hotel } from '../domain/activity/hotel.ts';
import type { SupplyFile, SupplyFiles } from '../ports/supply-source.ts';
import { type CatalogueReading, parseCatalogueFiles } from './catalogue-file.ts';
import { parseExchangeRates } from './exchange-rates-file.ts';
import type { FileFault } from './json-file.ts';

/** The contents of the supply files that this node uses. */
export type Supply = {
  readonly activities: readonly Activity[];
  readonly hotels: ReadonlyMap<HotelId, Hotel>;
  readonly exchangeRates: ExchangeRates;
};

/** A supply and the files it was read from. */
export type LoadedSupply = { readonly supply: Supply; readonly files: SupplyFiles };

export type SupplyReading = {
  /** The supply to use; null if there are faults and no previous supply. */
  readonly loaded: LoadedSupply | null;
  /** In the order of files and lines. */
  readonly faults: readonly FileFault[];
};

/**
 * Reads the files as one supply. A file with faults is replaced by its version in `previous`. While a catalogue file has
 * faults, deleted files are kept too, because their entries may have moved to the faulty file. A name used in two files is
 * a fault of the second file. If the combination is invalid, `previous` stays in use unchanged.
 */
export async function readSupply(files: SupplyFiles, previous: LoadedSupply | null): Promise<SupplyReading> {
  const faults: FileFault[] = [];
  const catalogue = await readCatalogue(files, previous, faults);
  const rates = parseExchangeRates(files.exchangeRates.name, files.exchangeRates.text);
  if (rates.kind === 'faults') faults.push(...rates.faults);
  const exchangeRates = rates.kind === 'valid' ? rates.value : previous?.supply.exchangeRates;
  if (catalogue === null || exchangeRates === undefined) return { loaded: null, faults };
  const ratesFile = rates.kind === 'valid' ? files.exchangeRates : previous?.files.exchangeRates;
  return {
    loaded: {
      supply: { ...catalogue.supply, exchangeRates },
      files: { ...files, catalogue: catalogue.files, exchangeRates: ratesFile ?? files.exchangeRates },
    },
    faults,
  };
}

const CONFLICT =
  'is not updated until these faults are corrected: the other files conflict with the previous version of the faulty files';

type LoadedCatalogue = {
  readonly supply: Pick<Supply, 'activities' | 'hotels'>;
  readonly files: readonly SupplyFile[];
};

async function readCatalogue(
  { directory, catalogue }: SupplyFiles,
  previous: LoadedSupply | null,
  faults: FileFault[],
): Promise<LoadedCatalogue | null> {
  const faulty = new Set<string>();
  let candidates = catalogue;
  for (;;) {
    const reading = await parseCatalogueFiles(candidates, directory);
    if (reading.kind === 'catalogue') return { supply: supplyOf(reading), files: candidates };
    const newFaults = reading.faults.filter(({ file }) => !faulty.has(file));
    faults.push(...newFaults);
    if (previous === null) return null;
    if (newFaults.length === 0) {
      faults.push({ file: directory, line: 1, column: null, field: '', message: CONFLICT });
      return { supply: previous.supply, files: previous.files.catalogue };
    }
    for (const { file } of newFaults) faulty.add(file);
    const kept = catalogue.filter(({ name }) => !faulty.has(name));
    const others = previous.files.catalogue.filter(({ name }) => !kept.some((file) => file.name === name));
    candidates = [...kept, ...others].sort((left, right) => (left.name < right.name ? -1 : 1));
  }
}

function supplyOf({ activities, hotels }: Extract<CatalogueReading, { kind: 'catalogue' }>): LoadedCatalogue['supply'] {
  return { activities, hotels: new Map(hotels.map((hotel) => [hotel.id, hotel])) };
}
