import { join } from 'node:path';
import type { ExchangeRates } from '../domain/activity/exchange.ts';
import { CURRENCIES, type Currency } from '../domain/activity/money.ts';
import { type JsonField, readDate, readEach } from './json-field.ts';
import { type FileReading, readFile } from './json-file.ts';

/** The rates shipped with the service. */
export const EXCHANGE_RATES_FILE = join(import.meta.dir, 'exchange-rates.json');

const MICRO = 1_000_000;
/** At most six decimals, so that millionths are computed without floating-point arithmetic. */
const DECIMAL = /^(\d{1,6})(?:\.(\d{1,6}))?$/;

/** Units per US dollar. A rate outside the range is probably a shifted decimal point, or dollars per unit. */
const PLAUSIBLE_RATES: Readonly<Record<Currency, readonly [min: number, max: number]>> = {
  THB: [20, 60],
  VND: [15_000, 50_000],
  IDR: [8_000, 40_000],
  MYR: [2, 8],
  SGD: [0.8, 2.5],
  USD: [1, 1],
};

/** Reads the text of an exchange rates file. `fileName` is used in faults only. */
export function parseExchangeRates(fileName: string, text: string): FileReading<ExchangeRates> {
  return readFile(fileName, text, readExchangeRates);
}

function readExchangeRates(field: JsonField): ExchangeRates {
  const given = field.members(['as_of', 'note', 'units_per_usd']);
  given.note.text(20, 600);
  return { asOf: readDate(given.as_of), microUnitsPerUsd: readEach(CURRENCIES, given.units_per_usd, readRate) };
}

function readRate(field: JsonField, currency: Currency): number {
  const [min, max] = PLAUSIBLE_RATES[currency];
  const range = min === max ? `"${min}"` : `from "${min}" to "${max}", with at most 6 decimals`;
  const text = field.textLike((candidate) => {
    const micro = microOf(candidate);
    return micro !== null && micro >= min * MICRO && micro <= max * MICRO;
  }, `a decimal in double quotes, units of ${currency} for one US dollar: ${range}`);
  return microOf(text) ?? 0;
}

function microOf(text: string): number | null {
  const [, whole, decimals = ''] = DECIMAL.exec(text) ?? [];
  return whole === undefined ? null : Number(whole) * MICRO + Number(decimals.padEnd(6, '0'));
}
