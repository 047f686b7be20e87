import type { LocalDate } from '../domain/activity/activity.ts';
import type { CityName } from '../domain/activity/cities.ts';
import { addDays, daysBetween, localDate, parseLocalDate } from '../domain/activity/schedule.ts';
import type { HttpContext } from './context.ts';
import type { Fault, Rule } from './schema.ts';

type Values = Readonly<Record<string, unknown>>;

/**
 * The rules of `date` and `date_to`: dates of the city from today to the last one on sale, at most `most` of them.
 *
 * @param cityOf the city of a request; null if unknown, then its own field reports it
 */
export function daysRules(
  most: number,
  cityOf: (values: Values) => CityName | null,
  { clock, limits }: Pick<HttpContext, 'clock' | 'limits'>,
): { readonly date: Rule; readonly date_to: Rule } {
  const dateIn = (values: Values, name: 'date' | 'date_to'): LocalDate | null => {
    const text = values[name];
    return typeof text === 'string' ? parseLocalDate(text) : null;
  };
  const faultOf = (values: Values, name: 'date' | 'date_to'): Fault | null => {
    const [city, date] = [cityOf(values), dateIn(values, name)];
    if (city === null || date === null) return null;
    const today = localDate(city, clock.nowMs());
    const latest = addDays(today, limits.daysAhead);
    if (date >= today && date <= latest) return null;
    const why = date < today ? 'in the past' : 'too far ahead';
    return invalid(`${name} ${date} is ${why}; send a date from ${today} to ${latest} (dates are those of ${city}).`);
  };
  return {
    date: (values) => faultOf(values, 'date'),
    date_to(values) {
      const [city, last] = [cityOf(values), dateIn(values, 'date_to')];
      const first = dateIn(values, 'date') ?? (city === null ? null : localDate(city, clock.nowMs()));
      const fault = faultOf(values, 'date_to');
      if (fault !== null || first === null || last === null) return fault;
      if (last < first)
        return invalid(`date_to ${last} is before date ${first}; send a later date_to, or leave it out.`);
      const days = daysBetween(first, last) + 1;
      if (days <= most) return null;
      return invalid(`date and date_to are ${days} days; a request covers at most ${most}. Send several requests.`);
    },
  };
}

function invalid(sentence: string): Fault {
  return { code: 'INVALID_DATE', sentence };
}
