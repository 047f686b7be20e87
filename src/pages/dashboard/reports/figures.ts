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

const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });

/** A part of a whole in percent; a dash without a whole. */
export function percent(part: number, whole: number): string {
  return whole === 0 ? '–' : PERCENT.format(part / whole);
}

/** Sums by the text of a column, the largest first. */
export function sumsBy(rows: readonly ReportRow[], column: string, names: readonly string[]): readonly ReportRow[] {
  const sums = new Map<string, Record<string, string | number>>();
  for (const row of rows) {
    const key = textIn(row, column);
    const sum = sums.get(key) ?? { [column]: key, ...Object.fromEntries(names.map((name) => [name, 0])) };
    for (const name of names) sum[name] = numberIn(sum, name) + numberIn(row, name);
    sums.set(key, sum);
  }
  return largestFirst([...sums.values()], names[0] ?? '');
}

export function largestFirst(rows: readonly ReportRow[], name: string): readonly ReportRow[] {
  return [...rows].sort((left, right) => numberIn(right, name) - numberIn(left, name));
}
