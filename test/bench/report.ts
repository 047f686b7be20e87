import { BARE, BASELINE, OPEN } from './cases.ts';
import type { Deliveries } from './deliveries.ts';
import type { EnginesName } from './engines.ts';
import type { Isolation, Latency } from './isolation.ts';
import type { Measured } from './load.ts';
import type { Settled } from './settled.ts';

/** Of a case in a round; `cpuUs` is the server's processor time per request. */
export type Figures = Measured & { readonly cpuUs: number };

/** The figures of an engine pair, by case and round. Null: not measured. */
export type Taken = {
  readonly name: EnginesName;
  readonly what: string;
  readonly cases: Readonly<Record<string, readonly Figures[]>>;
  readonly settled: Settled | null;
  readonly deliveries: Deliveries | null;
  readonly isolation: Isolation | null;
};

export type Row = {
  readonly name: string;
  readonly per_second: number;
  readonly server_cpu_us: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  /** Ratio to one durable append on the same engines, the median of the rounds; null without that case. */
  readonly to_one_append: number | null;
};

const NAME_WIDTH = 36;
const WIDTHS = [9, 9, 9, 9, 8];
const HEADS = ['per s', 'CPU us', 'p50 ms', 'p99 ms', 'ratio'];

export function rowsOf({ cases }: Pick<Taken, 'cases'>): Row[] {
  return Object.entries(cases).map(([name, figures]) => {
    return {
      name,
      per_second: Math.round(median(figures.map((figure) => figure.perSecond))),
      server_cpu_us: Math.round(median(figures.map((figure) => figure.cpuUs))),
      p50_ms: hundredths(median(figures.map((figure) => figure.p50Ms))),
      p99_ms: hundredths(median(figures.map((figure) => figure.p99Ms))),
      to_one_append: ratioOf(figures, cases[BASELINE] ?? []),
    };
  });
}

/** The median of the rounds' ratios in requests per second; null if no round has both. */
function ratioOf(figures: readonly Figures[], to: readonly Figures[]): number | null {
  const ratios = figures.flatMap(({ perSecond }, round) => {
    const other = to[round];
    return other === undefined ? [] : [perSecond / other.perSecond];
  });
  return ratios.length === 0 ? null : hundredths(median(ratios));
}

/** The throughput with an API key relative to that without; empty if one was not measured. */
function keyLines({ name, cases }: Taken): readonly string[] {
  const ratio = ratioOf(cases[BARE] ?? [], cases[OPEN] ?? []);
  return ratio === null ? [] : ['', `with an API key, ${name}: ${ratio.toFixed(2)} of the throughput without`];
}

/** One table with a column group per engine pair, and the description of each. */
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
    ...taken.flatMap(keyLines),
    ...taken.flatMap(({ name, settled }) => (settled === null ? [] : ['', ...settledLines(name, settled)])),
    ...taken.flatMap(({ name, deliveries }) => (deliveries === null ? [] : ['', ...deliveryLines(name, deliveries)])),
    ...taken.flatMap(({ name, isolation }) => (isolation === null ? [] : ['', ...isolationLines(name, isolation)])),
  ];
  return `${lines.join('\n')}\n`;
}

function settledLines(engines: EnginesName, { bookings, answeredPerSecond, settledPerSecond, threads }: Settled) {
  return [
    `settled bookings, ${engines}: ${bookings} in a burst, answered at ${Math.round(answeredPerSecond)}/s, settled at ${Math.round(settledPerSecond)}/s`,
    ...threads.map(({ name, cpuUs }) => `  ${name.padEnd(20)}${cpuUs} us of CPU per booking`),
  ];
}

function deliveryLines(
  engines: EnginesName,
  { deliveries, perSecond, barePerSecond, ratio, threads, bareCpuUs }: Deliveries,
) {
  return [
    `webhook deliveries, ${engines}: ${deliveries} sent at ${Math.round(perSecond)}/s, bare signed POSTs at ${Math.round(barePerSecond)}/s: ratio ${ratio.toFixed(2)}`,
    ...threads.map(({ name, cpuUs }) => `  ${name.padEnd(20)}${cpuUs} us of CPU per delivery`),
    `  ${'bare POSTs'.padEnd(20)}${Math.round(bareCpuUs)} us of CPU each`,
  ];
}

function isolationLines(engines: EnginesName, { receivers, healthy, besideSick, hanging, ratio }: Isolation) {
  const text = ({ deliveries, p50Ms, p99Ms }: Latency) => `p50 ${p50Ms} ms, p99 ${p99Ms} ms (${deliveries} deliveries)`;
  return [
    `webhook isolation, ${engines}: ${receivers} receivers, latency from event to delivery at those that answer`,
    `  all answer          ${text(healthy)}`,
    `  half hang           ${text(besideSick)}; ${hanging} attempts got no answer`,
    `  ratio of the p99    ${ratio.toFixed(2)}`,
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
