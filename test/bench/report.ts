import { BASELINE } from './cases.ts';
import type { EnginesName } from './engines.ts';
import type { Measured } from './load.ts';
import type { Settled } from './settled.ts';

/** Of one case in one round; `cpuUs` is the server's processor time per request. */
export type Figures = Measured & { readonly cpuUs: number };

/** What was measured on an engine pair, by case and round; `settled` is null where it was left out. */
export type Taken = {
  readonly name: EnginesName;
  readonly what: string;
  readonly cases: Readonly<Record<string, readonly Figures[]>>;
  readonly settled: Settled | null;
};

export type Row = {
  readonly name: string;
  readonly per_second: number;
  readonly server_cpu_us: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** To one durable append on the same engines: the median of the rounds' ratios; null where none was measured. */
  readonly to_one_append: number | null;
};

const NAME_WIDTH = 36;
const WIDTHS = [9, 9, 9, 9, 8];
const HEADS = ['per s', 'CPU us', 'p50 ms', 'p99 ms', 'ratio'];

export function rowsOf({ cases }: Pick<Taken, 'cases'>): Row[] {
  const baseline = cases[BASELINE] ?? [];
  return Object.entries(cases).map(([name, figures]) => {
    const ratios = figures.flatMap(({ perSecond }, round) => {
      const append = baseline[round];
      return append === undefined ? [] : [perSecond / append.perSecond];
    });
    return {
      name,
      per_second: Math.round(median(figures.map((figure) => figure.perSecond))),
      server_cpu_us: Math.round(median(figures.map((figure) => figure.cpuUs))),
      p50_ms: hundredths(median(figures.map((figure) => figure.p50Ms))),
      p99_ms: hundredths(median(figures.map((figure) => figure.p99Ms))),
      to_one_append: ratios.length === 0 ? null : hundredths(median(ratios)),
    };
  });
}

/** One table, the engine pairs beside each other, and what stands behind each. */
export function tableOf(taken: readonly Taken[]): string {
  const columns = taken.map((each) => new Map(rowsOf(each).map((row) => [row.name, row])));
  const names = [...new Set(columns.flatMap((column) => [...column.keys()]))];
  const width = WIDTHS.reduce((sum, each) => sum + each, 0);
  const lines = [
    ...taken.map(({ name, what }) => `${name}: ${what}.`),
    '',
    line(
      '',
      taken.map(({ name }) => name.padStart(width)),
    ),
    line(
      'case',
      taken.map(() => cells(HEADS)),
    ),
    ...names.map((name) =>
      line(
        name,
        columns.map((column) => cellsOf(column.get(name))),
      ),
    ),
    ...taken.flatMap(({ name, settled }) => (settled === null ? [] : ['', ...settledLines(name, settled)])),
  ];
  return `${lines.join('\n')}\n`;
}

function settledLines(engines: EnginesName, { bookings, answeredPerSecond, settledPerSecond, threads }: Settled) {
  return [
    `settled bookings, ${engines}: ${bookings} in a burst, answered at ${Math.round(answeredPerSecond)}/s, settled at ${Math.round(settledPerSecond)}/s`,
    ...threads.map(({ name, cpuUs }) => `  ${name.padEnd(20)}${cpuUs} us of CPU a booking`),
  ];
}

function cellsOf(row: Row | undefined): string {
  if (row === undefined) return cells(HEADS.map(() => '-'));
  const { per_second, server_cpu_us, p50_ms, p99_ms, to_one_append } = row;
  return cells([per_second, server_cpu_us, p50_ms, p99_ms, to_one_append?.toFixed(2) ?? '-'].map(String));
}

function cells(texts: readonly string[]): string {
  return texts.map((text, index) => text.padStart(WIDTHS[index] ?? 0)).join('');
}

function line(name: string, columns: readonly string[]): string {
  return [name.padEnd(NAME_WIDTH), ...columns].join(' |').trimEnd();
}

function hundredths(value: number): number {
  return Number(value.toFixed(2));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
