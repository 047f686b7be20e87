import type { LocalDate } from '../../domain/activity/activity.ts';
import type { CityName } from '../../domain/activity/cities.ts';
import { cityFacts } from '../../domain/activity/cities.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';

/** How numbers, dates and names are written in a language. English is written as in Britain: the day before the month. */
const LOCALES: Readonly<Record<Language, string>> = {
  en: 'en-GB',
  th: 'th',
  vi: 'vi',
  id: 'id',
  ms: 'ms',
  zh: 'zh-CN',
  ja: 'ja',
  ko: 'ko',
};

/** `Saturday 21 November`. */
export function shownDate(date: LocalDate, language: Language): string {
  return dates(language).format(new Date(`${date}T00:00:00Z`));
}

/** The weekday, date and time at a city. */
export function shownTime(atMs: number, city: CityName, language: Language): string {
  return times(language).format(new Date(atMs + cityFacts(city).utcOffsetMinutes * 60_000));
}

/** The name of a date's month. */
export function shownMonth(date: LocalDate, language: Language): string {
  const month = months(language).format(new Date(`${date}T00:00:00Z`));
  // Vietnamese months are numbered ("Tháng 11"), and small within a sentence.
  return language === 'vi' ? month.toLowerCase() : month;
}

/** A number with at most one decimal. */
export function shownDecimal(value: number, language: Language): string {
  return decimals(language).format(value);
}

/** `a, b and c`. */
export function shownList(items: readonly string[], language: Language): string {
  return lists(language).format(items);
}

/** The name of a country (ISO 3166-1 alpha-2). */
export function shownCountry(code: string, language: Language): string {
  return countries(language).of(code) ?? code;
}

// A formatter is dear to make and cheap to use, so each is made once. All tell of UTC: a city's time is moved there before.
const DAY = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
const dates = once((locale) => new Intl.DateTimeFormat(locale, DAY));
const times = once(
  (locale) => new Intl.DateTimeFormat(locale, { ...DAY, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
);
const months = once((locale) => new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' }));
const decimals = once((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));
const lists = once((locale) => new Intl.ListFormat(locale, { type: 'conjunction' }));
const countries = once((locale) => new Intl.DisplayNames(locale, { type: 'region' }));

function once<Formatter>(make: (locale: string) => Formatter): (language: Language) => Formatter {
  const made = new Map<Language, Formatter>();
  return (language) => {
    const known = made.get(language);
    if (known !== undefined) return known;
    const formatter = make(LOCALES[language]);
    made.set(language, formatter);
    return formatter;
  };
}
