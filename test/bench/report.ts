import type { EnginesName } from './bench-server.ts';
import type { Figures } from './watch.ts';

/** The figures of this build, and of the other one right before or after; null if there is no other one. */
export type Pair = { readonly here: Figures; readonly other: Figures | null };

/** A part, measured on an engine pair. */
export type Result = {
  readonly engines: EnginesName;
  readonly part: string;
  readonly pairs: readonly Pair[];
};

type Column = { readonly head: string; readonly cell: (name: string) => string };

const NAME_WIDTH = 62;
const CELL_WIDTH = 14;

const HISTORY = /^history of (\d+) bookings$/;

/** The name of the part that measures a history of this size. */
export function historyPart(bookings: number): string {
  return `history of ${bookings} bookings`;
}

/**
 * A table for each part, with a column for each engine pair; with another build, a table for each part and engine pair.
 * Without another build, the histories of an engine pair share a table.
 */
export function tablesOf(results: readonly Result[]): string {
  const compared = results.some(({ pairs }) => pairs.some(({ other }) => other !== null));
  const histories = compared ? [] : results.filter(({ part }) => HISTORY.test(part));
  const others = results.filter((result) => !histories.includes(result));
  const engines = [...new Set(histories.map((result) => result.engines))];
  const ofHistories = engines.map((name) => historyTable(histories.filter((result) => result.engines === name)));
  return [...(others.length > 0 ? [plainTables(others)] : []), ...ofHistories].join('\n');
}

/** A column for each size, and the ratio of each to the smallest one. */
function historyTable(results: readonly Result[]): string {
  const [smallest, ...larger] = results;
  if (smallest === undefined) return '';
  const sizeOf = ({ part }: Result): string => HISTORY.exec(part)?.[1] ?? part;
  const ratioTo = (base: Result, result: Result): Column => ({
    head: `${sizeOf(result)}: ratio`,
    cell: (name) => shown(ratiosOf({ pairs: pairsWith(base, result) }, name)),
  });
  const columns = [
    ...results.map((result) => ({ ...columnOf(result), head: sizeOf(result) })),
    ...larger.map((result) => ratioTo(smallest, result)),
  ];
  return table(`history, ${smallest.engines}`, results, columns);
}

function pairsWith(base: Result, { pairs }: Result): readonly Pair[] {
  return pairs.map(({ here }, index) => ({ here, other: base.pairs[index]?.here ?? null }));
}

function plainTables(results: readonly Result[]): string {
  const tables = results.some(({ pairs }) => pairs.some(({ other }) => other !== null))
    ? results.map((result) => table(`${result.part}, ${result.engines}`, [result], comparison(result)))
    : [...new Set(results.map(({ part }) => part))].map((part) => {
        const columns = results.filter((result) => result.part === part);
        return table(part, columns, columns.map(columnOf));
      });
  return tables.join('\n');
}

/** The ratio of each figure of this build to that of the other: the median of the pairs, and their range. */
export function ratiosOf({ pairs }: Pick<Result, 'pairs'>, name: string): readonly number[] {
  return pairs.flatMap(({ here, other }) => {
    const [value, against] = [here[name], other?.[name]];
    return value === undefined || against === undefined || against === 0 ? [] : [value / against];
  });
}

function table(title: string, results: readonly Result[], columns: readonly Column[]): string {
  const names = new Set(
    results.flatMap(({ pairs }) => pairs.flatMap(({ here, other }) => [here, other ?? {}].flatMap(Object.keys))),
  );
  const lines = [
    line(
      title,
      columns.map(({ head }) => head),
    ),
    ...[...names].map((name) =>
      line(
        `  ${name}`,
        columns.map(({ cell }) => cell(name)),
      ),
    ),
  ];
  return lines.map((text) => `${text}\n`).join('');
}

function columnOf({ engines, pairs }: Result): Column {
  return { head: engines, cell: (name) => shown(pairs.flatMap(({ here }) => here[name] ?? [])) };
}

function comparison(result: Result): readonly Column[] {
  const { pairs } = result;
  return [
    { head: 'other build', cell: (name) => shown(pairs.flatMap(({ other }) => other?.[name] ?? [])) },
    { head: 'this build', cell: (name) => shown(pairs.flatMap(({ here }) => here[name] ?? [])) },
    { head: 'ratio', cell: (name) => shown(ratiosOf(result, name)) },
    {
      head: 'range',
      cell: (name) => {
        const ratios = ratiosOf(result, name);
        return ratios.length === 0 ? '-' : `${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)}`;
      },
    },
  ];
}

/** The median; of an even number of values the mean of both in the middle. */
function shown(values: readonly number[]): string {
  if (values.length === 0) return '-';
  const sorted = values.toSorted((left, right) => left - right);
  const middle = sorted.slice(Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2) + 1);
  const median = middle.reduce((sum, value) => sum + value, 0) / middle.length;
  if (Number.isInteger(median)) return String(median);
  return median.toFixed(median < 10 ? 2 : median < 100 ? 1 : 0);
}

function line(name: string, cells: readonly string[]): string {
  return [name.padEnd(NAME_WIDTH), ...cells.map((cell) => cell.padStart(CELL_WIDTH))].join('').trimEnd();
}
