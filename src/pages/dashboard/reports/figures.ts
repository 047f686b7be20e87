/** A row of a report: the columns of `group_by` and the numbers. */
export type ReportRow = Readonly<Record<string, string | number | null>>;

export function numberIn(row: ReportRow, name: string): number {
  const value = row[name];
  return typeof value === 'number' ? value : 0;
}

/** The text of a column; a null is what the report does not know. */
export function textIn(row: ReportRow, name: string): string {
  const value = row[name];
  return typeof value === 'string' ? value : 'unknown';
}

const PERCENT = new Intl.NumberFormat('en', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** A part of a whole in percent; a dash without a whole. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : PERCENT.format(part / whole);
}

/** Sums by the text of a column, the largest first. A group keeps the title of its rows. */
export function sumsBy(rows: readonly ReportRow[], column: string, names: readonly string[]): readonly ReportRow[] {
  const groups = Map.groupBy(rows, (row) => textIn(row, column));
  const sums = [...groups].map(([key, group]) => ({
    [column]: key === 'unknown' ? null : key,
    title: group[0]?.['title'] ?? null,
    ...totalOf(group, names),
  }));
  return largestFirst(sums, names[0] ?? '');
}

/** One row with the sums of the named columns. */
export function totalOf(rows: readonly ReportRow[], names: readonly string[]): ReportRow {
  return Object.fromEntries(names.map((name) => [name, rows.reduce((sum, row) => sum + numberIn(row, name), 0)]));
}

export function largestFirst(rows: readonly ReportRow[], name: string): readonly ReportRow[] {
  return [...rows].sort((left, right) => numberIn(right, name) - numberIn(left, name));
}
