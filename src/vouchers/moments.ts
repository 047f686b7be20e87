import { CURRENCY_EXPONENTS, type Currency, toDecimal } from '../domain/activity/money.ts';
import type { VoucherLabels } from './labels.ts';

type Locale = Pick<VoucherLabels, 'locale'>;

/** Formatters cost far more to make than to use. There are as many as languages, zones and currencies have pairs. */
const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

/** A calendar date, `YYYY-MM-DD`, in words: with its weekday, or short for a line that has little room. */
export function dayText({ locale }: Locale, date: string, dateStyle: 'full' | 'medium' = 'full'): string {
  return dateFormat(locale, { dateStyle, timeZone: 'UTC' }).format(Date.parse(date));
}

/** A moment (ms since the epoch) as the clocks of a zone show it, and whose clocks those are. */
export function momentText({ locale }: Locale, timeZone: string, atMs: number): { clock: string; zone: string } {
  const format = dateFormat(locale, { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23', timeZone });
  const zone = zoneName(locale, timeZone, atMs, 'longGeneric');
  const offset = zoneName(locale, timeZone, atMs, 'shortOffset');
  return { clock: format.format(atMs), zone: `${zone} (${offset})` };
}

/** An amount with the code of its currency, which means one thing in every country. */
export function priceText({ locale }: Locale, amountMinor: number, currency: Currency): string {
  const digits = CURRENCY_EXPONENTS[currency];
  const format = cached(`${locale} ${currency}`, () => {
    const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    return new Intl.NumberFormat(locale, { style: 'currency', currency, currencyDisplay: 'code', ...decimals });
  });
  return format.format(toDecimal(amountMinor, currency));
}

function zoneName(locale: string, timeZone: string, atMs: number, style: 'longGeneric' | 'shortOffset'): string {
  const parts = dateFormat(locale, { timeZone, timeZoneName: style }).formatToParts(atMs);
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? timeZone;
}

function dateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  return cached(`${locale} ${Object.values(options).join(' ')}`, () => new Intl.DateTimeFormat(locale, options));
}

function cached<Format extends Intl.DateTimeFormat | Intl.NumberFormat>(name: string, make: () => Format): Format {
  // A name says what it was made as: zones, styles and currencies share no word.
  const format = (made.get(name) as Format | undefined) ?? make();
  made.set(name, format);
  return format;
}
