import { CURRENCY_EXPONENTS, type Currency, toDecimal } from '../domain/activity/money.ts';
import type { PageTexts } from './page-texts.ts';

type Locale = Pick<PageTexts, 'locale'>;

/** Formatters are expensive to create. The cache is bounded: one entry per pair of locale and zone or currency. */
const made = new Map<string, Intl.DateTimeFormat | Intl.NumberFormat>();

/** @param date `YYYY-MM-DD` @param dateStyle `full` includes the weekday */
export function formatDate({ locale }: Locale, date: string, dateStyle: 'full' | 'medium' = 'full'): string {
  return dateFormat(locale, { dateStyle, timeZone: 'UTC' }).format(Date.parse(date));
}

/** The local time of a zone, and the zone's name with its UTC offset. `atMs` in ms since the epoch. */
export function formatInstant({ locale }: Locale, timeZone: string, atMs: number): { clock: string; zone: string } {
  const format = dateFormat(locale, { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23', timeZone });
  const zone = zoneName(locale, timeZone, atMs, 'longGeneric');
  const offset = zoneName(locale, timeZone, atMs, 'shortOffset');
  return { clock: format.format(atMs), zone: `${zone} (${offset})` };
}

/** An amount with its ISO 4217 code, because symbols such as `$` are ambiguous. */
export function formatPrice({ locale }: Locale, amountMinor: number, currency: Currency): string {
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
  // The name determines the type: the names of zones, styles and currencies are disjoint.
  const format = (made.get(name) as Format | undefined) ?? make();
  made.set(name, format);
  return format;
}
