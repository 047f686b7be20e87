import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cpuMs, type Measurement, startBenchServer } from './bench-server.ts';
import { BOOKINGS, casesFor } from './cases.ts';
import { writeBenchCatalogue } from './catalogue.ts';
import { measureDeliveries } from './deliveries.ts';
import { type BenchEngines, ENGINES, type EnginesName, isEnginesName, openBenchEngines } from './engines.ts';
import { measureIsolation } from './isolation.ts';
import { type CatalogueFigures, catalogueLines, measureCatalogue } from './large-catalogue.ts';
import { measure, type Request } from './load.ts';
import { type Figures, rowsOf, type Taken, tableOf } from './report.ts';
import { measureSettled } from './settled.ts';

const HELP = `bun run bench [options]

Measures bookings and recommendations over HTTP, and bare appends on the same server. The cases of a round run right
after each other, so that a drift of the machine's speed affects all of them. A ratio is the median of the rounds'
ratios to one durable append on the same engines.

  --engines NAMES   engine pairs, separated by commas: embedded (the default), shared. Two are printed side by side.
                    shared uses the servers that EVENTSTORE_URL and MONGODB_URL name, and fills them, so use dedicated
                    ones; without both it starts test peers (needs Go once)
  --seconds N       duration of each case in each round (3)
  --rounds N        rounds after the warm-up (3)
  --only TEXT       only cases whose name contains TEXT; "catalogue": starts, memory and answers with 10,000 activities
  --json FILE       also writes the figures to FILE
  --profile DIR     writes CPU profiles of the servers to DIR

Ctrl-C stops the bench and prints the results so far.
`;
const CONNECTIONS = 64;
const ACTIVITIES = 20;
const WARM_UP_MS = 1_000;
const SETTLED = 'settled bookings';
const LARGE = 'large catalogue';
/** About the size of the shipped catalogue, and the required maximum. */
const CATALOGUE_SIZES = [223, 10_000];
const DELIVERIES = 'webhook deliveries';
const ISOLATION = 'webhook isolation';

type Options = {
  readonly engines: readonly EnginesName[];
  readonly seconds: number;
  readonly rounds: number;
  readonly only: string;
  readonly json: string | undefined;
  readonly profile: string | undefined;
};

const options = readOptions();
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());
const directory = mkdtempSync(join(tmpdir(), 'waymark-bench-'));
try {
  const catalogue = join(directory, 'catalogue');
  const ids = writeBenchCatalogue(catalogue, ACTIVITIES);
  const taken: Taken[] = [];
  for (const name of options.engines) {
    if (interrupted.signal.aborted) break;
    tell(`${name}: starting`);
    await using engines = await openBenchEngines(name, join(directory, `${name}-engines`));
    taken.push(await measureOn(engines, catalogue, ids));
  }
  const large = LARGE.includes(options.only) ? await measureCatalogues() : [];
  await report(taken, large);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function measureOn(engines: BenchEngines, catalogue: string, ids: readonly string[]): Promise<Taken> {
  const { name, what } = engines;
  const settings = (data: string) => ({
    ...engines.settings,
    DATA_DIR: join(directory, `${name}-${data}`),
    CATALOGUE_DIR: catalogue,
  });
  const measurement = (data: string): Measurement => ({
    settings: settings(data),
    connections: CONNECTIONS,
    rounds: options.rounds,
    profileTo: options.profile,
    next: bookingsOf(ids),
    progress: (line) => tell(`${name}: ${line}`),
    signal: interrupted.signal,
  });
  // The cases come last: their server sends no mails and events, so what they leave pending disturbs nothing.
  const settled = await unlessInterrupted(SETTLED, () => measureSettled(measurement('settled')));
  const deliveries = await unlessInterrupted(DELIVERIES, () => measureDeliveries(measurement('deliveries')));
  const isolation = await unlessInterrupted(ISOLATION, () => measureIsolation(measurement('isolation')));
  const cases: Record<string, Figures[]> = {};
  if (!interrupted.signal.aborted) await measureCases(name, settings('data'), ids, cases);
  return { name, what, cases, settled, deliveries, isolation };
}

/** Adds to `cases`, round by round. */
async function measureCases(
  engines: EnginesName,
  settings: Readonly<Record<string, string>>,
  ids: readonly string[],
  cases: Record<string, Figures[]>,
): Promise<void> {
  const { rounds, seconds, only, profile } = options;
  const server = await startBenchServer(settings, profile);
  try {
    for (let round = 0, all = casesFor(server.key, ids, rounds); round <= rounds; round++) {
      for (const [name, next] of Object.entries(all)) {
        if (!name.includes(only)) continue;
        const milliseconds = round === 0 ? WARM_UP_MS : seconds * 1_000;
        const before = cpuMs(server.pid);
        const measured = await measure({
          port: server.port,
          connections: CONNECTIONS,
          milliseconds,
          next: next(round),
        });
        if (interrupted.signal.aborted) return;
        const figures = { ...measured, cpuUs: ((cpuMs(server.pid) - before) * 1_000) / measured.requests };
        if (Object.keys(figures.refused).length > 0)
          throw new Error(`${name}: refused ${JSON.stringify(figures.refused)}`);
        const when = round === 0 ? 'warm-up' : `round ${round} of ${rounds}`;
        tell(`${engines}: ${when}: ${name}: ${Math.round(figures.perSecond)}/s`);
        if (round > 0) (cases[name] ??= []).push(figures);
      }
    }
  } catch (fault) {
    // A terminal sends Ctrl-C to the servers too.
    if (!interrupted.signal.aborted) throw fault;
  } finally {
    await server.stop();
  }
}

function bookingsOf(ids: readonly string[]): (key: string) => () => Request {
  return (key) => {
    const next = casesFor(key, ids, 0)[BOOKINGS]?.(0);
    if (next === undefined) throw new Error(`the case "${BOOKINGS}" does not exist`);
    return next;
  };
}

/** Null if `--only` excludes the measurement, or if it is interrupted. */
async function unlessInterrupted<Result>(name: string, work: () => Promise<Result>): Promise<Result | null> {
  if (!name.includes(options.only)) return null;
  try {
    return await work();
  } catch (fault) {
    // A terminal sends Ctrl-C to the servers too.
    if (!interrupted.signal.aborted) throw fault;
    return null;
  }
}

/** On the embedded engines. */
async function measureCatalogues(): Promise<readonly CatalogueFigures[]> {
  const { signal } = interrupted;
  const figures: CatalogueFigures[] = [];
  try {
    for (const activities of CATALOGUE_SIZES) {
      if (signal.aborted) break;
      figures.push(
        await measureCatalogue({
          directory: join(directory, `catalogue-of-${activities}`),
          activities,
          milliseconds: options.seconds * 1_000,
          profileTo: options.profile,
          progress: tell,
          signal,
        }),
      );
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
  }
  return figures;
}

async function report(taken: readonly Taken[], large: readonly CatalogueFigures[]): Promise<void> {
  const { seconds, rounds, json } = options;
  const measured = taken.filter(
    ({ cases, settled, deliveries, isolation }) =>
      settled !== null || deliveries !== null || isolation !== null || Object.keys(cases).length > 0,
  );
  if (interrupted.signal.aborted) process.stdout.write('\nInterrupted: the results so far.\n');
  if (measured.length > 0) process.stdout.write(`\n${tableOf(measured)}`);
  if (large.length > 0) process.stdout.write(`\n${catalogueLines(large).join('\n')}\n`);
  const engines = measured.map(({ cases, ...rest }) => ({ ...rest, rows: rowsOf({ cases }) }));
  const result = { connections: CONNECTIONS, seconds, rounds, engines, large };
  process.stdout.write(`\n${JSON.stringify(result)}\n`);
  if (json !== undefined) await Bun.write(json, `${JSON.stringify(result, null, 2)}\n`);
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      engines: { type: 'string', default: 'embedded' },
      seconds: { type: 'string', default: '3' },
      rounds: { type: 'string', default: '3' },
      only: { type: 'string', default: '' },
      json: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const names = values.engines.split(',');
  const engines = names.filter(isEnginesName);
  if (engines.length < names.length) throw new Error(`--engines: of ${ENGINES.join(', ')}, not ${values.engines}`);
  const { only, json, profile } = values;
  return {
    engines,
    seconds: above0('--seconds', values.seconds),
    rounds: above0('--rounds', values.rounds),
    only,
    json,
    profile,
  };
}

function above0(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`${name}: a number above 0, not ${text}`);
  return value;
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
