import type { Activity, HotelId } from '../domain/activity/activity.ts';
import type { ExchangeRates } from '../domain/activity/exchange.ts';
import type { Hotel } from '../domain/activity/hotel.ts';
import type { SupplyFile, SupplyFiles } from '../ports/supply-source.ts';
import { type CatalogueReading, parseCatalogueFiles } from './catalogue-file.ts';
import { parseExchangeRates } from './exchange-rates-file.ts';
import type { FileFault } from './json-file.ts';

/** What people edit, as this node goes by it. */
export type Supply = {
  readonly activities: readonly Activity[];
  readonly hotels: ReadonlyMap<HotelId, Hotel>;
  readonly exchangeRates: ExchangeRates;
};

/** A supply with the files it was read from, none of which has a fault. */
export type SoundSupply = { readonly supply: Supply; readonly files: SupplyFiles };

export type SupplyReading = {
  /** What can be gone by: null where there are faults and was nothing before. */
  readonly sound: SoundSupply | null;
  /** In the order of files and lines. */
  readonly faults: readonly FileFault[];
};

/**
 * Reads the files as one supply. A file with faults counts as it was in `former`; and as long as a catalogue file has faults,
 * one that is gone still counts, since what it said may be in the file that cannot be read. Names that two files claim are a
 * fault of the second. Where nothing sound comes of that, everything is as in `former`.
 */
export async function readSupply(files: SupplyFiles, former: SoundSupply | null): Promise<SupplyReading> {
  const faults: FileFault[] = [];
  const catalogue = await readCatalogue(files, former, faults);
  const rates = parseExchangeRates(files.exchangeRates.name, files.exchangeRates.text);
  if (rates.kind === 'faults') faults.push(...rates.faults);
  const exchangeRates = rates.kind === 'sound' ? rates.value : former?.supply.exchangeRates;
  if (catalogue === null || exchangeRates === undefined) return { sound: null, faults };
  const ratesFile = rates.kind === 'sound' ? files.exchangeRates : former?.files.exchangeRates;
  return {
    sound: {
      supply: { ...catalogue.supply, exchangeRates },
      files: { ...files, catalogue: catalogue.files, exchangeRates: ratesFile ?? files.exchangeRates },
    },
    faults,
  };
}

const AT_ODDS =
  'is not taken in at all until these faults are mended: the other files are at odds with what the faulty ones said before';

type SoundCatalogue = {
  readonly supply: Pick<Supply, 'activities' | 'hotels'>;
  readonly files: readonly SupplyFile[];
};

async function readCatalogue(
  { place, catalogue }: SupplyFiles,
  former: SoundSupply | null,
  faults: FileFault[],
): Promise<SoundCatalogue | null> {
  const blamed = new Set<string>();
  let chosen = catalogue;
  for (;;) {
    const reading = await parseCatalogueFiles(chosen, place);
    if (reading.kind === 'catalogue') return { supply: supplyOf(reading), files: chosen };
    const fresh = reading.faults.filter(({ file }) => !blamed.has(file));
    faults.push(...fresh);
    if (former === null) return null;
    if (fresh.length === 0) {
      faults.push({ file: place, line: 1, field: '', message: AT_ODDS });
      return { supply: former.supply, files: former.files.catalogue };
    }
    for (const { file } of fresh) blamed.add(file);
    const kept = catalogue.filter(({ name }) => !blamed.has(name));
    const others = former.files.catalogue.filter(({ name }) => !kept.some((file) => file.name === name));
    chosen = [...kept, ...others].sort((left, right) => (left.name < right.name ? -1 : 1));
  }
}

function supplyOf({ activities, hotels }: Extract<CatalogueReading, { kind: 'catalogue' }>): SoundCatalogue['supply'] {
  return { activities, hotels: new Map(hotels.map((hotel) => [hotel.id, hotel])) };
}
