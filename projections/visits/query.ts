import type { ReadModelStore } from '../../src/ports/read-model-store.ts';
import type { Sums } from '../grouping.ts';
import { REPORT_COLUMNS, type ReportQuery, sumReport } from '../report.ts';
import type { VisitCell } from './read-model.ts';

export const VISIT_COLUMNS = [...REPORT_COLUMNS, 'venue_id', 'method'] as const;
export type VisitColumn = (typeof VISIT_COLUMNS)[number];

/** The counts of a row, in this order. */
export const VISIT_COUNTS = ['visits', 'guests', 'disputed'] as const satisfies readonly (keyof VisitCell)[];

/** Sums verified visits and their guests. Days are local dates of the city. */
export function sumVisits(
  readModels: ReadModelStore,
  collection: string,
  query: ReportQuery<VisitColumn>,
): Promise<Sums> {
  return sumReport<VisitCell, 'venue_id' | 'method'>(readModels, collection, query, {
    columns: { venue_id: (cell) => cell.venueId, method: (cell) => cell.method },
    isCounted: () => true,
    counts: VISIT_COUNTS.map((name) => (cell: VisitCell) => cell[name]),
  });
}
