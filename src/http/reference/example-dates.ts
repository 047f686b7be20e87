import type { LocalDate } from '../../domain/activity/activity.ts';
import { addDays, daysBetween } from '../../domain/activity/schedule.ts';
import { formatDate } from '../../recommend/reasons/formats.ts';
import type { AnswerSchema } from '../answers.ts';
import type { DescribedRoute } from './described-routes.ts';
import { isJson } from './json-schema.ts';

/**
 * The routes with today's dates in their examples. The schemas contain examples as of `WRITTEN_ON`; a date or time
 * that lies ahead is written after it, because the cities are ahead of UTC and the examples are made once a day.
 *
 * @param today in UTC
 */
export function withExamplesOf(routes: readonly DescribedRoute[], today: LocalDate): readonly DescribedRoute[] {
  return routes.map((route) => {
    const response: Record<string, AnswerSchema> = {};
    for (const [status, schema] of Object.entries(route.response)) response[status] = answerOf(schema, today);
    return { ...route, example: exampleOf(route.example, today), response };
  });
}

/**
 * A copy with all dates, timestamps and months (`month`) moved by the days from `WRITTEN_ON` to `today`. In English
 * texts, `WRITTEN_ON` becomes `today`.
 */
export function exampleOf<T>(example: T, today: LocalDate): T {
  const days = daysBetween(WRITTEN_ON, today);
  // Only texts change, and each remains a text.
  return moved(example, days) as T;
}

const WRITTEN_ON = '2026-11-21' as LocalDate;
/** In the text of a revocation list. */
const COMPACT_DATE = /(?<=\.)(\d{4})(\d{2})(\d{2})(?=\.)/g;
const ISO_DATE = /(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)/g;

function moved(value: unknown, days: number): unknown {
  if (typeof value === 'string') return movedText(value, days);
  if (Array.isArray(value)) return value.map((each) => moved(each, days));
  if (!isJson(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const month = name === 'month' && typeof member === 'string';
    return [name, month ? addDays(`${member}${MID_MONTH}` as LocalDate, days).slice(0, 7) : moved(member, days)];
  });
  return Object.fromEntries(members);
}

function movedText(text: string, days: number): string {
  return text
    .replace(ISO_DATE, (date) => addDays(date as LocalDate, days))
    .replace(COMPACT_DATE, (_, ...[year, month, day]: string[]) =>
      addDays(`${year}-${month}-${day}` as LocalDate, days).replaceAll('-', ''),
    )
    .replace(formatDate(WRITTEN_ON, 'en'), () => formatDate(addDays(WRITTEN_ON, days), 'en'));
}

/** The day of `WRITTEN_ON`: a month moves like this day of it. */
const MID_MONTH = WRITTEN_ON.slice(7);

function answerOf(schema: AnswerSchema, today: LocalDate): AnswerSchema {
  const { about } = schema;
  if (!('example' in about)) return schema;
  return { ...schema, about: { ...about, example: exampleOf(about.example, today) } };
}
