import type { ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type Question, type Sums, sumByGroup } from '../grouping.ts';
import type { VisitCell } from './read-model.ts';

export const VISIT_COLUMNS = [
  'day',
  'month',
  'city',
  'category',
  'activity_id',
  'key_id',
  'travel_type',
  'budget',
  'age_group',
  'venue_id',
  'method',
] as const;
export type VisitColumn = (typeof VISIT_COLUMNS)[number];

/** What a row counts, in this order. */
export const VISIT_COUNTS = ['visits', 'guests'] as const satisfies readonly (keyof VisitCell)[];

/** Its days are dates at the city. */
export type VisitsQuestion = Question<VisitColumn>;

/** Verified visits and the guests who came, added up. */
export function sumVisits(readModels: ReadModelStore, collection: string, question: VisitsQuestion): Promise<Sums> {
  const { from, to, city, activityId, groupBy, limit, after, categoryOf } = question;
  const columns: Record<VisitColumn, (cell: VisitCell) => string | null> = {
    day: (cell) => cell.day,
    month: (cell) => cell.day.slice(0, 'YYYY-MM'.length),
    city: (cell) => cell.city,
    category: (cell) => categoryOf(cell.activityId),
    activity_id: (cell) => cell.activityId,
    key_id: (cell) => cell.keyId,
    travel_type: (cell) => cell.travelType,
    budget: (cell) => cell.budget,
    age_group: (cell) => cell.ageGroup,
    venue_id: (cell) => cell.venueId,
    method: (cell) => cell.method,
  };
  return sumByGroup<VisitCell>(readModels, collection, {
    where: { ...(city !== null && { city }), ...(activityId !== null && { activityId }) },
    from,
    to,
    counted: () => true,
    columns: groupBy.map((name) => columns[name]),
    byDay: groupBy[0] === 'day' || groupBy[0] === 'month',
    counts: VISIT_COUNTS.map((name) => (cell: VisitCell) => cell[name]),
    limit,
    after,
  });
}
