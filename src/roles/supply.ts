import type { Config } from '../config.ts';
import type { Activity, HotelId } from '../domain/activity/activity.ts';
import type { ExchangeRates } from '../domain/activity/exchange.ts';
import type { Hotel } from '../domain/activity/hotel.ts';
import type { DealPolicy } from '../domain/allotment/deal-policy.ts';
import { CATALOGUE_DIRECTORY, loadCatalogue } from '../supply/catalogue-file.ts';
import { EXCHANGE_RATES_FILE, loadExchangeRates } from '../supply/exchange-rates-file.ts';
import { FLASH_DEALS_FILE, loadDealPolicy } from '../supply/flash-deals-file.ts';
import { describeFaults } from '../supply/json-file.ts';

/** What people edit, as it was read at the start. */
export type Supply = {
  readonly activities: readonly Activity[];
  readonly hotels: ReadonlyMap<HotelId, Hotel>;
  readonly exchangeRates: ExchangeRates;
};

/** The catalogue's files have faults; the message names file, line and field of each. */
export class BadCatalogue extends Error {
  constructor(faults: string) {
    super(`the catalogue cannot be used:\n${faults}`);
    this.name = 'BadCatalogue';
  }
}

/** The file of exchange rates has faults; the message names line and field of each. */
export class BadExchangeRates extends Error {
  constructor(faults: string) {
    super(`the exchange rates cannot be used:\n${faults}`);
    this.name = 'BadExchangeRates';
  }
}

/** The file of the policy of flash deals has faults; the message names line and field of each. */
export class BadDealPolicy extends Error {
  constructor(faults: string) {
    super(`the policy of flash deals cannot be used:\n${faults}`);
    this.name = 'BadDealPolicy';
  }
}

/** Null where the service makes no deals of its own. @throws BadDealPolicy, and where the file cannot be read */
export async function readDealPolicy({
  flashDeals,
  flashDealsFile,
}: Pick<Config, 'flashDeals' | 'flashDealsFile'>): Promise<DealPolicy | null> {
  if (!flashDeals) return null;
  const policy = await loadDealPolicy(flashDealsFile ?? FLASH_DEALS_FILE);
  if (policy.kind === 'faults') throw new BadDealPolicy(describeFaults(policy.faults));
  return policy.value;
}

/** @throws BadCatalogue, BadExchangeRates, and where a file cannot be read */
export async function readSupply(config: Pick<Config, 'catalogueDirectory' | 'exchangeRatesFile'>): Promise<Supply> {
  const catalogue = await loadCatalogue(config.catalogueDirectory ?? CATALOGUE_DIRECTORY);
  if (catalogue.kind === 'faults') throw new BadCatalogue(describeFaults(catalogue.faults));
  const rates = await loadExchangeRates(config.exchangeRatesFile ?? EXCHANGE_RATES_FILE);
  if (rates.kind === 'faults') throw new BadExchangeRates(describeFaults(rates.faults));
  const { activities, hotels } = catalogue;
  return { activities, hotels: new Map(hotels.map((hotel) => [hotel.id, hotel])), exchangeRates: rates.value };
}
