import { Type } from 'typebox';
import type { LocalDate } from '../domain/activity/activity.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { addDays, daysBetween } from '../domain/activity/schedule.ts';
import { datesNamed, notOnSale, todayText, understandDate } from '../domain/activity/understand-date.ts';
import type { HttpContext } from './context.ts';
import { optional, type Rule } from './schema.ts';

type Context = Pick<HttpContext, 'clock' | 'limits'>;

const DATE_RULE = 'a date as YYYY-MM-DD, or today, tomorrow or a weekday';

/** A date of a request that books nothing. `dateRule` checks it, because its meaning depends on the city. */
export const anyDateText = optional(
  Type.String({ minLength: 1, maxLength: 60, description: 'YYYY-MM-DD, or `today`, `tomorrow`, a weekday.' }),
  DATE_RULE,
  'INVALID_DATE',
);

/**
 * The rule of a date field: a date from today, in the city's time zone, to the last day on sale.
 *
 * @param cityOf the city of the request; null if it is not known, then every date that can be read is valid
 */
export function dateRule(
  field: string,
  cityOf: (values: Readonly<Record<string, unknown>>) => CityName | null,
  { clock, limits }: Context,
): Rule {
  return (values) => {
    const text = values[field];
    if (typeof text !== 'string') return null;
    const city = cityOf(values);
    const nowMs = clock.nowMs();
    const [date, other] = datesNamed(text, city, nowMs);
    if (date === undefined || other !== undefined) {
      const found = other === undefined ? '' : `, which can be ${date} or ${other}`;
      const sentence = `${field} must be ${DATE_RULE}; it was ${JSON.stringify(text)}${found}; ${todayText(city, nowMs)}.`;
      return { code: 'INVALID_DATE', sentence, ...(other && { alternatives: [{ date }, { date: other }] }) };
    }
    const why = city === null ? null : notOnSale(date, city, nowMs, limits.daysAhead);
    return why === null ? null : { code: 'INVALID_DATE', sentence: `${field} ${date} ${why}.` };
  };
}

/**
 * The rules of `date` and `date_to`: the first (by default today) and the last date, at most `most` dates.
 *
 * @param cityOf as for `dateRule`
 */
export function daysRules(
  most: number,
  cityOf: (values: Readonly<Record<string, unknown>>) => CityName | null,
  context: Context,
): { readonly date: Rule; readonly date_to: Rule } {
  const lastRule = dateRule('date_to', cityOf, context);
  return {
    date: dateRule('date', cityOf, context),
    date_to(values) {
      if (values['date_to'] === undefined) return null;
      const { date = 'today', date_to: to } = values;
      const [city, fault] = [cityOf(values), lastRule(values)];
      if (fault !== null || city === null || typeof date !== 'string' || typeof to !== 'string') return fault;
      const nowMs = context.clock.nowMs();
      const [first, last] = [understandDate(date, city, nowMs), understandDate(to, city, nowMs)];
      if (first === null || last === null) return null;
      const days = daysBetween(first, last) + 1;
      if (days >= 1 && days <= most) return null;
      const why = days < 1 ? `is before date ${first}` : `is ${days} days with date ${first}`;
      const sentence = `date_to ${last} ${why}; send a date from ${first} to ${addDays(first, most - 1)}; ${todayText(city, nowMs)}.`;
      return { code: 'INVALID_DATE', sentence };
    },
  };
}

/** The date that a text names in a city. @throws if it names none, which `dateRule` refuses */
export function dateIn(city: CityName, text: string, { clock }: Pick<Context, 'clock'>): LocalDate {
  const date = understandDate(text, city, clock.nowMs());
  if (date === null) throw new Error('a text that names no date has passed its rule');
  return date;
}
