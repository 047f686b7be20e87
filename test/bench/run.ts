import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { ROOT } from '../support/files.ts';
import type { Measurement } from './bench-server.ts';
import { BOOKINGS, casesFor } from './cases.ts';
import { writeBenchCatalogue } from './catalogue.ts';
import { measureDeliveries } from './deliveries.ts';
import { type BenchEngines, openBenchEngines } from './engines.ts';
import { measureHistory } from './history.ts';
import { measureIdle } from './idle.ts';
import { measureIsolation } from './isolation.ts';
import { measureCatalogue } from './large-catalogue.ts';
import type { Request } from './load.ts';
import { readOptions } from './options.ts';
import { measurePages } from './pages.ts';
import { historyPart, type Pair, type Result, tablesOf } from './report.ts';
import { measureRequests } from './requests.ts';
import { measureSettled, measureSettledWithWebhook } from './settled.ts';
import type { Figures } from './watch.ts';

const ACTIVITIES = 20;
const MODERATE_PER_SECOND = { embedded: 100, shared: 20 };

/** What is measured on a new installation. */
type Part = { readonly name: string; readonly measure: (measurement: Measurement) => Promise<Figures> };

const options = readOptions();
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());
process.once('SIGTERM', () => interrupted.abort());
const parts = partsOf();
if (parts.length === 0) throw new Error(`--only: no part has "${options.only}" in its name`);
const directory = mkdtempSync(join(tmpdir(), 'waymark-bench-'));
const settings = { CATALOGUE_DIR: join(directory, 'catalogue') };
const ids = writeBenchCatalogue(settings.CATALOGUE_DIR, ACTIVITIES);
try {
  const results: Result[] = [];
  const whats: string[] = [];
  for (const name of options.engines) {
    if (interrupted.signal.aborted) break;
    tell(`${name}: starting`);
    await using engines = await openBenchEngines(name, {
      directory: join(directory, name),
      profileTo: options.profile,
    });
    whats.push(`${name}: ${engines.what}.`);
    tell(`${name}: ${engines.what}`);
    for (const part of parts) {
      const pairs = await pairsOf(part, engines);
      if (pairs.length > 0) results.push({ engines: name, part: part.name, pairs });
    }
  }
  await report(results, whats);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

/** The parts that `--only` includes. */
function partsOf(): readonly Part[] {
  const { only } = options;
  const named = 'requests'.includes(only);
  const requests: Part = {
    name: 'requests',
    measure: (measurement) =>
      measureRequests((key) => casesFor(key, ids, measurement.rounds), named ? '' : only, measurement),
  };
  const others: readonly Part[] = [
    { name: 'settled bookings, mail only', measure: measureSettled },
    { name: 'settled bookings, with a webhook', measure: measureSettledWithWebhook },
    { name: 'webhook deliveries', measure: measureDeliveries },
    { name: 'webhook isolation', measure: measureIsolation },
    { name: 'idle node, per minute', measure: measureIdle },
    ...histories(),
    ...options.activities.map((activities) => ({
      name: `large catalogue, ${activities} activities`,
      measure: (measurement: Measurement) =>
        measureCatalogue(activities, join(directory, `catalogue-of-${activities}`), measurement),
    })),
  ];
  const hasCase = Object.keys(casesFor('', [], 0)).some((name) => name.includes(only));
  return [...(named || hasCase ? [requests] : []), ...others.filter(({ name }) => name.includes(only))];
}

/** Only if asked for: a long history takes its time. */
function histories(): readonly Part[] {
  const { only, bookings, data } = options;
  if (only === '') return [];
  const sizes = bookings.map((size) => ({
    name: historyPart(size),
    measure: (measurement: Measurement) =>
      measureHistory({ bookings: size, directory: join(directory, `history-of-${size}`), cache: data }, measurement),
  }));
  return [...sizes, { name: 'pages of the dashboard', measure: measurePages }];
}

/** Measures a part once, or `rounds` times with both builds in turn. Stops at an interruption. */
async function pairsOf(part: Part, engines: BenchEngines): Promise<readonly Pair[]> {
  const { against, rounds } = options;
  if (against === undefined) {
    const here = await measured(part, engines, ROOT, rounds);
    return here === null ? [] : [{ here, other: null }];
  }
  const pairs: Pair[] = [];
  for (let pair = 0; pair < rounds; pair++) {
    // The first of two is measured on a machine in another state, so each build is the first in turn.
    const roots = pair % 2 === 0 ? [against, ROOT] : [ROOT, against];
    const taken = new Map<string, Figures>();
    for (const root of roots) {
      const figures = await measured(part, engines, root, 1);
      if (figures !== null) taken.set(root, figures);
    }
    const [here, other] = [taken.get(ROOT), taken.get(against)];
    if (here === undefined || other === undefined) break;
    pairs.push({ here, other });
  }
  return pairs;
}

/** @param root the checkout of the build. @returns null if it is interrupted or fails */
async function measured(
  { name, measure }: Part,
  engines: BenchEngines,
  root: string,
  rounds: number,
): Promise<Figures | null> {
  const { connections, seconds, against } = options;
  const { signal } = interrupted;
  if (signal.aborted) return null;
  const build = against === undefined ? '' : root === ROOT ? ' of this build' : ' of the other build';
  const progress = (line: string): void => tell(`${engines.name}: ${name}${build}: ${line}`);
  try {
    return await measure({
      install: (more) => engines.install(root, { ...settings, ...more }),
      connections,
      rounds,
      milliseconds: seconds * 1_000,
      moderatePerSecond: MODERATE_PER_SECOND[engines.name],
      next: bookingsOf,
      progress,
      signal,
    });
  } catch (fault) {
    // A terminal sends Ctrl-C to the servers too.
    if (signal.aborted) return null;
    progress(`failed: ${inspect(fault)}`);
    process.exitCode = 1;
    return null;
  }
}

function bookingsOf(key: string): () => Request {
  const next = casesFor(key, ids, 0)[BOOKINGS]?.(0);
  if (next === undefined) throw new Error(`the case "${BOOKINGS}" does not exist`);
  return next;
}

async function report(results: readonly Result[], whats: readonly string[]): Promise<void> {
  const { json, seconds, rounds, connections } = options;
  if (interrupted.signal.aborted) process.stdout.write('\nInterrupted: the results so far.\n');
  process.stdout.write(`\n${whats.join('\n')}\n\n${tablesOf(results)}`);
  const result = { seconds, rounds, connections, results };
  process.stdout.write(`\n${JSON.stringify(result)}\n`);
  if (json !== undefined) await Bun.write(json, `${JSON.stringify(result, null, 2)}\n`);
}

function tell(line: string): void {
  process.stderr.write(`${line}\n`);
}
