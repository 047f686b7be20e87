import { type TSchema, Type } from 'typebox';
import type { LocalDate } from '../domain/activity/activity.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { addDays, daysBetween, parseLocalDate } from '../domain/activity/schedule.ts';
import { datesNamed, notADate, notOnSale, todayText, understandDate } from '../domain/activity/understand-date.ts';
import type { HttpContext } from './context.ts';
import { optional, type Rule, required, understood } from './schema.ts';

type Context = Pick<HttpContext, 'clock' | 'limits'>;
type Clock = Pick<HttpContext, 'clock'>;

/** The city of a request before its values are checked; null if the city is not known. */
type CityOf = (values: Readonly<Record<string, unknown>>) => CityName | null;

const DATE = Type.Refine(Type.String({ format: 'date' }), (text) => parseLocalDate(text) !== null);
export const EXACT_RULE = 'a real calendar date as YYYY-MM-DD';
const RULE = 'a date as YYYY-MM-DD, or today, tomorrow or a weekday';

/** A date of a request that books nothing. Words and other forms of a date are understood (`datesNamed`). */
export function understoodDate(field: string, cityOf: CityOf, { clock }: Clock) {
  return understood(
    optional(DATE, RULE, 'INVALID_DATE'),
    (value, values) => {
      const date = typeof value === 'string' ? understandDate(value, cityOf(values), clock.nowMs()) : null;
      return date ?? undefined;
    },
    (value, values) => {
      const [city, nowMs] = [cityOf(values), clock.nowMs()];
      const alternatives = typeof value === 'string' ? datesNamed(value, city, nowMs).map((date) => ({ date })) : [];
      const sentence = notADate(field, RULE, value, city, nowMs);
      return { code: 'INVALID_DATE', sentence, ...(alternatives.length > 0 && { alternatives }) };
    },
  );
}

/** A date that must be written exactly, because money moves or because no city is known. */
export function exactDate(field: string, cityOf: CityOf, context: Clock) {
  return withToday(field, required(DATE, EXACT_RULE, 'INVALID_DATE'), cityOf, context);
}

export function anyExactDate(field: string, cityOf: CityOf, context: Clock) {
  return withToday(field, optional(DATE, EXACT_RULE, 'INVALID_DATE'), cityOf, context);
}

/** For dates of all cities: the error says today's date in UTC. */
export const noCity: CityOf = () => null;

/** The city of the activity that a request names. */
export function cityOfActivity({ catalogue }: Pick<HttpContext, 'catalogue'>): CityOf {
  return ({ activity_id: id }) => (typeof id === 'string' ? (catalogue.get(id)?.activity.city ?? null) : null);
}

function withToday<S extends TSchema>(field: string, schema: S, cityOf: CityOf, { clock }: Clock): S {
  return understood(
    schema,
    () => undefined,
    (value, values) => ({
      code: 'INVALID_DATE',
      sentence: notADate(field, EXACT_RULE, value, cityOf(values), clock.nowMs()),
    }),
  );
}

/**
 * The rule of a date field: a date from today, in the city's time zone, to the last day on sale.
 *
 * @param cityOf if it knows no city, every date is valid
 */
export function dateRule(field: string, cityOf: CityOf, { clock, limits }: Context): Rule {
  return (values) => {
    const city = cityOf(values);
    const text = values[field];
    const date = typeof text === 'string' ? parseLocalDate(text) : null;
    const why = city === null || date === null ? null : notOnSale(date, city, clock.nowMs(), limits.daysAhead);
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
  cityOf: CityOf,
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
      const why = days < 1 ? `is before date ${first}` : `makes a range of ${days} days from date ${first}`;
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
