import { supplyFiles } from '../../src/adapters/system/supply-files.ts';
import { type CatalogueReading, parseCatalogueFiles } from '../../src/supply/catalogue-file.ts';
import { EXCHANGE_RATES_FILE } from '../../src/supply/exchange-rates-file.ts';
import { collectedLog } from './log.ts';

/** The catalogue in a directory, read as a node reads it. */
export async function loadCatalogue(directory: string): Promise<CatalogueReading> {
  const source = supplyFiles({ directory, exchangeRatesFile: EXCHANGE_RATES_FILE }, collectedLog());
  const { catalogue } = await source.read();
  return parseCatalogueFiles(catalogue, directory);
}
