import type { ReadModelStore } from '../../src/ports/read-model-store.ts';
import { type ReportQuery, type Sums, sumByGroup } from '../grouping.ts';
import type { ConversionCell, ConversionCounts } from './read-model.ts';

export const CONVERSION_COLUMNS = [
  'day',
  'month',
  'city',
  'category',
  'activity_id',
  'key_id',
  'travel_type',
  'budget',
  'age_group',
] as const;
export type ConversionColumn = (typeof CONVERSION_COLUMNS)[number];

/** The counts of a row, in this order. */
export const CONVERSION_COUNTS = [
  'requests',
  'recommended',
  'booked',
  'confirmed',
  'visited',
  'cancelled',
] as const satisfies readonly (keyof ConversionCounts)[];

/** Days are in UTC. */
export type ConversionsQuery = ReportQuery<ConversionColumn>;

/**
 * Sums recommendations and the bookings and visits they led to. If the query groups by activity or category, or filters
 * by activity, `requests` counts a request once for each matching activity that it showed.
 */
export function sumConversions(readModels: ReadModelStore, collection: string, query: ConversionsQuery): Promise<Sums> {
  const { from, to, city, activityId, groupBy, limit, after, categoryOf } = query;
  const ofActivities = activityId !== null || groupBy.includes('activity_id') || groupBy.includes('category');
  const columns: Record<ConversionColumn, (cell: ConversionCell) => string | null> = {
    day: (cell) => cell.day,
    month: (cell) => cell.day.slice(0, 'YYYY-MM'.length),
    city: (cell) => cell.city,
    category: (cell) => (cell.activityId === null ? null : categoryOf(cell.activityId)),
    activity_id: (cell) => cell.activityId,
    key_id: (cell) => cell.keyId,
    travel_type: (cell) => cell.travelType,
    budget: (cell) => cell.budget,
    age_group: (cell) => cell.ageGroup,
  };
  return sumByGroup<ConversionCell>(readModels, collection, {
    where: { ...(city !== null && { city }), ...(activityId !== null && { activityId }) },
    from,
    to,
    isCounted: (cell) => !ofActivities || cell.activityId !== null,
    columns: groupBy.map((name) => columns[name]),
    sortedByDay: groupBy[0] === 'day' || groupBy[0] === 'month',
    counts: CONVERSION_COUNTS.map((name) => {
      const counted = ofActivities && name === 'requests' ? 'recommended' : name;
      return (cell: ConversionCell) => cell[counted];
    }),
    limit,
    after,
  });
}
