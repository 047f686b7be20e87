import type { ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type ReportQuery, type Sums, sumByGroup } from '../grouping.ts';
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

/** The counts of a row, in this order. */
export const VISIT_COUNTS = ['visits', 'guests'] as const satisfies readonly (keyof VisitCell)[];

/** Days are local dates of the city. */
export type VisitsQuery = ReportQuery<VisitColumn>;

/** Sums verified visits and their guests. */
export function sumVisits(readModels: ReadModelStore, collection: string, query: VisitsQuery): Promise<Sums> {
  const { from, to, city, activityId, groupBy, limit, after, categoryOf } = query;
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
    isCounted: () => true,
    columns: groupBy.map((name) => columns[name]),
    sortedByDay: groupBy[0] === 'day' || groupBy[0] === 'month',
    counts: VISIT_COUNTS.map((name) => (cell: VisitCell) => cell[name]),
    limit,
    after,
  });
}
