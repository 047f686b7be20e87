import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBenchServer } from './bench-server.ts';
import { writeBenchCatalogue } from './catalogue.ts';
import { type Measured, measure, type Request } from './load.ts';
import { measureSettled, type Settled } from './settled.ts';

/**
 * bun run bench [--seconds N] [--rounds N] [--json FILE] [--only TEXT] [--profile DIR]
 *
 * Every figure of a round is taken right after the others on the same server, so that a machine whose speed drifts moves
 * them together; the ratio is the median of the rounds' ratios.
 */
const CONNECTIONS = 64;
const DATES = 50;
const ACTIVITIES = 20;
const DAY_MS = 86_400_000;
const SETTLED = 'settled bookings';

const seconds = Number(option('--seconds') ?? 3);
const rounds = Number(option('--rounds') ?? 3);
const json = option('--json');

const directory = mkdtempSync(join(tmpdir(), 'waymark-bench-'));
const catalogue = join(directory, 'catalogue');
const ids = writeBenchCatalogue(catalogue, ACTIVITIES);
const profileTo = option('--profile');
const server = await startBenchServer({ DATA_DIR: join(directory, 'data'), CATALOGUE_DIR: catalogue }, profileTo);
const { port, key } = server;
const dates = Array.from({ length: DATES + rounds + 2 }, (_, ahead) =>
  new Date(Date.now() + (ahead + 2) * DAY_MS).toISOString().slice(0, 10),
);
const headers = { 'content-type': 'application/json', 'x-api-key': key };
let sent = 0;
const TRAVELLER = JSON.stringify({
  user_profile: {
    travel_type: 'couple',
    interests: ['cultural'],
    budget: 'mid',
    age_group: 'adult',
    nationality: 'DE',
  },
  location: { city: 'Bangkok', lat: 13.7563, lon: 100.5018 },
});

const cases: Record<string, (round: number) => () => Request> = {
  'bare validated route': () => posting('/bench/bare', () => booking(ids[0], dates[0])),
  'one durable append': () => posting('/bench/append', () => booking(ids[0], dates[0])),
  'two appends in a row': () => posting('/bench/append-twice', () => booking(ids[0], dates[0])),
  'execute_booking, one allotment': (round) =>
    posting('/api/b2a/execute_booking', () => booking(ids[0], dates[DATES + round])),
  'execute_booking, many allotments': () =>
    posting('/api/b2a/execute_booking', () =>
      booking(ids[sent % ACTIVITIES], dates[Math.floor(sent / ACTIVITIES) % DATES]),
    ),
  'the same with an Idempotency-Key': () =>
    posting(
      '/api/b2a/execute_booking',
      () => booking(ids[sent % ACTIVITIES], dates[Math.floor(sent / ACTIVITIES) % DATES]),
      true,
    ),
  'recommend, ten of twenty': () => posting('/api/b2a/recommend', () => TRAVELLER),
};

type Figures = Measured & { readonly cpuUs: number };
const taken: Record<string, Figures[]> = {};
try {
  for (let round = 0; round <= rounds; round++) {
    for (const [name, next] of Object.entries(cases)) {
      if (!name.includes(option('--only') ?? '')) continue;
      const milliseconds = (round === 0 ? 1 : seconds) * 1000;
      const before = cpuMs(server.pid);
      const measured = await measure({ port, connections: CONNECTIONS, milliseconds, next: next(round) });
      const figures = { ...measured, cpuUs: ((cpuMs(server.pid) - before) * 1000) / measured.requests };
      if (Object.keys(figures.refused).length > 0)
        throw new Error(`${name}: refused ${JSON.stringify(figures.refused)}`);
      process.stderr.write(
        `${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${name}: ${Math.round(figures.perSecond)}/s\n`,
      );
      if (round > 0) (taken[name] ??= []).push(figures);
    }
  }
} finally {
  await server.stop();
}
const settled = SETTLED.includes(option('--only') ?? '') ? await settle() : null;
rmSync(directory, { recursive: true, force: true });
report();

/** On a server of its own, since here mails and events are sent. */
function settle(): Promise<Settled> {
  return measureSettled({
    settings: { DATA_DIR: join(directory, 'settled'), CATALOGUE_DIR: catalogue },
    connections: CONNECTIONS,
    profileTo,
    next: (itsKey) => {
      const next = cases['execute_booking, many allotments']?.(0);
      if (next === undefined) throw new Error('there is no such case');
      return () => ({ ...next(), headers: { ...headers, 'x-api-key': itsKey } });
    },
    progress: (line) => process.stderr.write(`${line}\n`),
  });
}

function posting(path: string, body: () => string, idempotent = false): () => Request {
  return () => {
    sent++;
    return {
      method: 'POST',
      path,
      headers: idempotent ? { ...headers, 'idempotency-key': `bench-${sent}` } : headers,
      body: body(),
    };
  };
}

function booking(activity: string | undefined, date: string | undefined): string {
  return `{"activity_id":"${activity}","user_email":"guest${sent}@example.com","user_name":"Guest ${sent}","booking_date":"${date}","num_adults":1}`;
}

function report(): void {
  const baseline = taken['one durable append'] ?? [];
  const rows = Object.entries(taken).map(([name, figures]) => ({
    name,
    per_second: Math.round(median(figures.map((figure) => figure.perSecond))),
    server_cpu_us: Math.round(median(figures.map((figure) => figure.cpuUs))),
    p50_ms: Number(median(figures.map((figure) => figure.p50Ms)).toFixed(2)),
    p99_ms: Number(median(figures.map((figure) => figure.p99Ms)).toFixed(2)),
    to_one_append: Number(
      median(figures.map((figure, round) => figure.perSecond / (baseline[round]?.perSecond ?? 1))).toFixed(2),
    ),
  }));
  const result = { connections: CONNECTIONS, seconds, rounds, rows, settled };
  process.stdout.write(
    `\n${'case'.padEnd(36)}${'per s'.padStart(9)}${'CPU us'.padStart(9)}${'p50 ms'.padStart(9)}${'p99 ms'.padStart(9)}${'ratio'.padStart(8)}\n`,
  );
  for (const row of rows) {
    const cells = [row.per_second, row.server_cpu_us, row.p50_ms, row.p99_ms]
      .map((cell) => String(cell).padStart(9))
      .join('');
    process.stdout.write(`${row.name.padEnd(36)}${cells}${row.to_one_append.toFixed(2).padStart(8)}\n`);
  }
  if (settled !== null) {
    const { bookings, answeredPerSecond, settledPerSecond, threads } = settled;
    process.stdout.write(
      `\n${SETTLED}: ${bookings} in a burst, answered at ${Math.round(answeredPerSecond)}/s, settled at ${Math.round(settledPerSecond)}/s\n`,
    );
    for (const { name, cpuUs } of threads) process.stdout.write(`  ${name.padEnd(20)}${cpuUs} us of CPU a booking\n`);
  }
  process.stdout.write(`\n${JSON.stringify(result)}\n`);
  if (json !== undefined) void Bun.write(json, `${JSON.stringify(result, null, 2)}\n`);
}

/** Processor time a process has used so far, all its threads together; 0 where the system does not say. */
function cpuMs(pid: number): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return 0;
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const ticks = Number(fields[11]) + Number(fields[12]);
  return ticks * 10;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function option(name: string): string | undefined {
  const index = process.argv.indexOf(name);
  return index < 0 ? undefined : process.argv[index + 1];
}
