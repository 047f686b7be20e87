import type { LocalDate } from '../../domain/activity/activity.ts';
import { type CityName, cityFacts } from '../../domain/activity/cities.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import { MINUTE_MS } from '../../eventsourcing/durations.ts';

/** Locales for numbers, dates and names. British English, with the day before the month. */
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

/** Maximum number of cached texts per function and language; a full cache is cleared. */
const MAX_MEMOIZED = 500;

/** `Saturday 21 November`. */
export const formatDate = memoized((date: LocalDate, language) =>
  dates(language).format(new Date(`${date}T00:00:00Z`)),
);

/** Weekday, date and local time of a city. */
export function formatTime(atMs: number, city: CityName, language: Language): string {
  return formatMinute(Math.floor(atMs / MINUTE_MS) + cityFacts(city).utcOffsetMinutes, language);
}

const formatMinute = memoized((minute: number, language) => times(language).format(new Date(minute * MINUTE_MS)));

export const formatMonth = memoized((date: LocalDate, language) => {
  const month = months(language).format(new Date(`${date}T00:00:00Z`));
  // Vietnamese month names ("Tháng 11") are lower-case within a sentence.
  return language === 'vi' ? month.toLowerCase() : month;
});

/** At most one decimal. */
export function formatDecimal(value: number, language: Language): string {
  return formatTenths(Math.round(value * 10), language);
}

const formatTenths = memoized((tenths: number, language) => decimals(language).format(tenths / 10));

/** `a, b and c`. */
export function formatList(items: readonly string[], language: Language): string {
  return formatJoined(items.join(SEPARATOR), language);
}

const SEPARATOR = '\n';
const formatJoined = memoized((joined: string, language) => lists(language).format(joined.split(SEPARATOR)));

/** @param code ISO 3166-1 alpha-2 */
export const formatCountry = memoized((code: string, language) => countries(language).of(code) ?? code);

// Formatters are expensive to create, so each is created once. All use UTC: `formatTime` adds the city's offset itself.
const DAY = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
const dates = onePerLanguage((locale) => new Intl.DateTimeFormat(locale, DAY));
const times = onePerLanguage(
  (locale) => new Intl.DateTimeFormat(locale, { ...DAY, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
);
const months = onePerLanguage((locale) => new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' }));
const decimals = onePerLanguage((locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }));
const lists = onePerLanguage((locale) => new Intl.ListFormat(locale, { type: 'conjunction' }));
const countries = onePerLanguage((locale) => new Intl.DisplayNames(locale, { type: 'region' }));

function onePerLanguage<Formatter>(make: (locale: string) => Formatter): (language: Language) => Formatter {
  const made = new Map<Language, Formatter>();
  return (language) => {
    const known = made.get(language);
    if (known !== undefined) return known;
    const formatter = make(LOCALES[language]);
    made.set(language, formatter);
    return formatter;
  };
}

/** Caches texts: few different values occur (a week's dates, short distances, the minute), and formatting is slow. */
function memoized<Value extends string | number>(
  show: (value: Value, language: Language) => string,
): (value: Value, language: Language) => string {
  const known = new Map<Language, Map<Value, string>>();
  return (value, language) => {
    let texts = known.get(language);
    if (texts === undefined || texts.size >= MAX_MEMOIZED) {
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
