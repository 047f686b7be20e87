import type { ActivityId, LocalDate } from '../src/domain/activity/activity.ts';
import type { CityName } from '../src/domain/activity/cities.ts';
import type { Category } from '../src/domain/activity/vocabulary.ts';
import type { KeyId } from '../src/domain/ids.ts';
import type { ReadModelStore } from '../src/ports/read-model-store.ts';
import { type Group, type Grouping, type Sums, sumByGroup } from './grouping.ts';

/** The columns of every report. */
export const REPORT_COLUMNS = [
  'day',
  'month',
  'city',
  'category',
  'activity_id',
  'key_id',
  'travel_type',
  'budget',
  'age_group',
  'model',
] as const;
export type ReportColumn = (typeof REPORT_COLUMNS)[number];

/** What a caller asks a report for. */
export type ReportQuery<Column extends string = ReportColumn> = {
  /** Days, both inclusive. Each report documents its time zone. */
  readonly from: LocalDate | null;
  readonly to: LocalDate | null;
  readonly city: CityName | null;
  readonly activityId: ActivityId | null;
  readonly groupBy: readonly Column[];
  readonly limit: number;
  readonly after: Group | null;
  /** The current category of an activity; null for an unknown activity. */
  readonly categoryOf: (activityId: ActivityId) => Category | null;
  /** What stands for a key in the report: its id, or a pseudonym. */
  readonly keyNameOf: (keyId: KeyId) => string;
};

/** The fields of a document that serve the columns of every report. */
type ReportCell = {
  readonly day: string;
  readonly city: CityName | null;
  readonly activityId: ActivityId | null;
  readonly keyId: KeyId | null;
} & Readonly<Record<'travelType' | 'budget' | 'ageGroup' | 'model', string | null>>;

/** Sums a report's cells. `columns` are those that only this report has; `where` selects its documents. */
export function sumReport<Cell extends ReportCell, Own extends string = never>(
  readModels: Pick<ReadModelStore, 'find'>,
  collection: string,
  { from, to, city, activityId, groupBy, limit, after, categoryOf, keyNameOf }: ReportQuery<ReportColumn | Own>,
  report: Pick<Grouping<Cell>, 'isCounted' | 'counts'> & {
    readonly columns: Readonly<Record<Own, (cell: Cell) => string | null>>;
    readonly where?: Grouping<Cell>['where'];
  },
): Promise<Sums> {
  const columns: Readonly<Record<ReportColumn | Own, (cell: Cell) => string | null>> = {
    day: (cell) => cell.day,
    month: (cell) => cell.day.slice(0, 'YYYY-MM'.length),
    city: (cell) => cell.city,
    category: (cell) => (cell.activityId === null ? null : categoryOf(cell.activityId)),
    activity_id: (cell) => cell.activityId,
    key_id: (cell) => (cell.keyId === null ? null : keyNameOf(cell.keyId)),
    travel_type: (cell) => cell.travelType,
    budget: (cell) => cell.budget,
    age_group: (cell) => cell.ageGroup,
    model: (cell) => cell.model,
    ...report.columns,
  };
  return sumByGroup<Cell>(readModels, collection, {
    where: { ...report.where, ...(city !== null && { city }), ...(activityId !== null && { activityId }) },
    from,
    to,
    isCounted: report.isCounted,
    columns: groupBy.map((name) => columns[name]),
    sortedByDay: groupBy[0] === 'day' || groupBy[0] === 'month',
    counts: report.counts,
    limit,
    after,
  });
}
