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

const MINUTE_MS = 60_000;

/** So many texts are remembered of a kind and language; then they are forgotten, and come again as they are asked for. */
const MOST_REMEMBERED = 500;

/** `Saturday 21 November`. */
export const shownDate = remembered((date: LocalDate, language) =>
  dates(language).format(new Date(`${date}T00:00:00Z`)),
);

/** The weekday, date and time at a city. */
export function shownTime(atMs: number, city: CityName, language: Language): string {
  return shownMinute(Math.floor(atMs / MINUTE_MS) + cityFacts(city).utcOffsetMinutes, language);
}

const shownMinute = remembered((minute: number, language) => times(language).format(new Date(minute * MINUTE_MS)));

/** The name of a date's month. */
export const shownMonth = remembered((date: LocalDate, language) => {
  const month = months(language).format(new Date(`${date}T00:00:00Z`));
  // Vietnamese months are numbered ("Tháng 11"), and small within a sentence.
  return language === 'vi' ? month.toLowerCase() : month;
});

/** A number with at most one decimal. */
export function shownDecimal(value: number, language: Language): string {
  return shownTenths(Math.round(value * 10), language);
}

const shownTenths = remembered((tenths: number, language) => decimals(language).format(tenths / 10));

/** `a, b and c`. */
export function shownList(items: readonly string[], language: Language): string {
  return shownJoined(items.join(SEPARATOR), language);
}

const SEPARATOR = '\n';
const shownJoined = remembered((joined: string, language) => lists(language).format(joined.split(SEPARATOR)));

/** The name of a country (ISO 3166-1 alpha-2). */
export const shownCountry = remembered((code: string, language) => countries(language).of(code) ?? code);

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

/** Few values are shown over and over: dates of a week, short distances, this minute. Formatting one costs microseconds. */
function remembered<Value extends string | number>(
  show: (value: Value, language: Language) => string,
): (value: Value, language: Language) => string {
  const known = new Map<Language, Map<Value, string>>();
  return (value, language) => {
    let texts = known.get(language);
    if (texts === undefined || texts.size >= MOST_REMEMBERED) {
      texts = new Map();
      known.set(language, texts);
    }
    const before = texts.get(value);
    if (before !== undefined) return before;
    const text = show(value, language);
    texts.set(value, text);
    return text;
  };
}
