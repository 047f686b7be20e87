import type { ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { Sums } from '../grouping.ts';
import { type ReportQuery, sumReport } from '../report.ts';
import type { ConversionCell, ConversionCounts } from './read-model.ts';

/** The counts of a row, in this order. */
export const CONVERSION_COUNTS = [
  'requests',
  'recommended',
  'booked',
  'confirmed',
  'visited',
  'cancelled',
] as const satisfies readonly (keyof ConversionCounts)[];

/**
 * Sums recommendations and the bookings and visits they led to. Days are in UTC. If the query groups by activity or category, or filters
 * by activity, `requests` counts a request once for each matching activity that it showed.
 */
export function sumConversions(readModels: ReadModelStore, collection: string, query: ReportQuery): Promise<Sums> {
  const { activityId, groupBy } = query;
  const ofActivities = activityId !== null || groupBy.includes('activity_id') || groupBy.includes('category');
  return sumReport<ConversionCell>(readModels, collection, query, {
    columns: {},
    isCounted: (cell) => !ofActivities || cell.activityId !== null,
    counts: CONVERSION_COUNTS.map((name) => {
      const counted = ofActivities && name === 'requests' ? 'recommended' : name;
      return (cell: ConversionCell) => cell[counted];
    }),
  });
}
