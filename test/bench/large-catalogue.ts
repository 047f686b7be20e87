import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { CATALOGUE_DIRECTORY } from '../../src/supply/catalogue-file.ts';
import { type BenchServer, cpuMs, startBenchServer } from './bench-server.ts';
import { measure, type Request } from './load.ts';
import { caughtUp } from './watch.ts';

/** Every activity of this city is booked. */
const BOOKED = 'Singapore';
const CONCURRENT_BOOKINGS = 16;

/** Durations, memory and processor time of a service with `activities` activities. */
export type CatalogueFigures = {
  readonly activities: number;
  /** With an empty data directory, and with the same one again. */
  readonly firstStart: Start;
  readonly secondStart: Start;
  /** Resident memory after the second start, and after the last case; 0 without `/proc`. */
  readonly startedMb: number;
  readonly measuredMb: number;
  readonly cases: readonly {
    readonly name: string;
    readonly p50Ms: number;
    readonly p99Ms: number;
    /** The server's processor time per answer. */
    readonly cpuUs: number;
  }[];
};

/** Until the service answers: elapsed time, and processor time. */
type Start = { readonly ms: number; readonly cpuMs: number };

type Options = {
  /** For the catalogue and the data. */
  readonly directory: string;
  readonly activities: number;
  /** Duration of each case. */
  readonly milliseconds: number;
  /** A directory for CPU profiles of the server; undefined for none. */
  readonly profileTo: string | undefined;
  readonly progress: (line: string) => void;
  readonly signal: AbortSignal;
};

type Entry = { readonly id: string };
type File = { readonly city: string; readonly activities: readonly Entry[] };

/** Starts a service twice on a catalogue of `activities`, and sends requests over one connection, so that none waits. */
export async function measureCatalogue(options: Options): Promise<CatalogueFigures> {
  const { directory, activities, profileTo, progress, signal } = options;
  const catalogue = join(directory, 'catalogue');
  const files = writeLargeCatalogue(catalogue, activities);
  const start = async (): Promise<Start & { readonly server: BenchServer }> => {
    const startedMs = performance.now();
    const settings = { CATALOGUE_DIR: catalogue, DATA_DIR: join(directory, 'data') };
    const server = await startBenchServer(settings, profileTo);
    return { server, ms: performance.now() - startedMs, cpuMs: cpuMs(server.pid) };
  };
  const { server: first, ...firstStart } = await start();
  await first.stop();
  progress(`${activities} activities: started in ${Math.round(firstStart.ms)} ms`);
  const { server, ...secondStart } = await start();
  try {
    const startedMb = residentMb(server.pid);
    const date = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
    await bookEach(server, files, date);
    await caughtUp(server, signal);
    const cases: CatalogueFigures['cases'][number][] = [];
    for (const [name, next] of Object.entries(requestsOf(server.key, files, date))) {
      const load = { port: server.port, connections: 1, next };
      await measure({ ...load, milliseconds: options.milliseconds / 4 });
      const before = cpuMs(server.pid);
      const { p50Ms, p99Ms, requests, refused } = await measure({ ...load, milliseconds: options.milliseconds });
      if (signal.aborted) break;
      if (Object.keys(refused).length > 0) throw new Error(`${name}: refused ${JSON.stringify(refused)}`);
      progress(`${activities} activities: ${name}: p50 ${p50Ms.toFixed(2)} ms`);
      cases.push({ name, p50Ms, p99Ms, cpuUs: ((cpuMs(server.pid) - before) * 1_000) / requests });
    }
    const measuredMb = residentMb(server.pid);
    return { activities, firstStart, secondStart, startedMb, measuredMb, cases };
  } finally {
    await server.stop();
  }
}

/** A table with a column for each size. */
export function catalogueLines(sizes: readonly CatalogueFigures[]): readonly string[] {
  const cell = (value: number, unit: string): string => `${value.toFixed(value < 10 ? 2 : 0)} ${unit}`.padStart(12);
  const row = (name: string, each: (figures: CatalogueFigures) => string): string =>
    `  ${name.padEnd(44)}${sizes.map(each).join('')}`;
  const of = (figures: CatalogueFigures, name: string) => figures.cases.find((measured) => measured.name === name);
  const names = [...new Set(sizes.flatMap(({ cases }) => cases.map(({ name }) => name)))];
  return [
    row('catalogue, activities', ({ activities }) => cell(activities, '  ')),
    row('first start', ({ firstStart }) => cell(firstStart.ms, 'ms')),
    row('CPU', ({ firstStart }) => cell(firstStart.cpuMs, 'ms')),
    row('second start', ({ secondStart }) => cell(secondStart.ms, 'ms')),
    row('CPU', ({ secondStart }) => cell(secondStart.cpuMs, 'ms')),
    row('memory, started', ({ startedMb }) => cell(startedMb, 'MB')),
    row('memory, measured', ({ measuredMb }) => cell(measuredMb, 'MB')),
    ...names.flatMap((name) => [
      row(`${name}: p50`, (figures) => cell(of(figures, name)?.p50Ms ?? 0, 'ms')),
      row('p99', (figures) => cell(of(figures, name)?.p99Ms ?? 0, 'ms')),
      row('CPU', (figures) => cell(of(figures, name)?.cpuUs ?? 0, 'us')),
    ]),
  ];
}

/** Writes a catalogue of `activities` activities: copies of the shipped ones, in all cities. */
export function writeLargeCatalogue(directory: string, activities: number): readonly File[] {
  const files = copiesOfShipped(activities);
  mkdirSync(directory, { recursive: true });
  for (const file of files) {
    const name = `${file.city.toLowerCase().replaceAll(' ', '-')}.json`;
    // With line breaks, as people write it.
    writeFileSync(join(directory, name), JSON.stringify(file, null, 2));
  }
  return files;
}

/** The shipped catalogue with its entries repeated under new ids. */
function copiesOfShipped(activities: number): readonly File[] {
  const names = readdirSync(CATALOGUE_DIRECTORY).filter((name) => name.endsWith('.json'));
  // A test validates the shipped files.
  const files = names.map((name) => JSON.parse(readFileSync(join(CATALOGUE_DIRECTORY, name), 'utf8')) as File);
  const entries: Entry[][] = files.map(() => []);
  for (let made = 0, copy = 0; made < activities; copy++) {
    for (const [index, file] of files.entries()) {
      const room = file.activities.slice(0, activities - made);
      entries[index]?.push(...room.map((entry) => (copy === 0 ? entry : { ...entry, id: `${entry.id}-${copy}` })));
      made += room.length;
    }
  }
  return files.map((file, index) => ({ ...file, activities: entries[index] ?? [] }));
}

/** Books each activity of the city that is open on the date, so that each has an allotment. */
async function bookEach({ port, key }: BenchServer, files: readonly File[], date: string): Promise<void> {
  const ids = files.filter(({ city }) => city === BOOKED).flatMap(({ activities }) => activities.map(({ id }) => id));
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  for (let begin = 0; begin < ids.length; begin += CONCURRENT_BOOKINGS) {
    await Promise.all(
      ids.slice(begin, begin + CONCURRENT_BOOKINGS).map(async (activity_id) => {
        const guest = { user_email: 'guest@example.com', user_name: 'A Guest', num_adults: 1 };
        const body = JSON.stringify({ ...guest, activity_id, booking_date: date });
        const url = `http://127.0.0.1:${port}/api/b2a/execute_booking`;
        const { status } = await fetch(url, { method: 'POST', headers, body });
        // 409: closed on that date, or exclusive to a hotel.
        if (status !== 200 && status !== 409) throw new Error(`booking ${activity_id} answered ${status}`);
      }),
    );
  }
}

/** The next request of each case. */
function requestsOf(key: string, files: readonly File[], date: string): Readonly<Record<string, () => Request>> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const cities = files.map(({ city }) => encodeURIComponent(city));
  const inventory = (query: string): Request => ({
    method: 'GET',
    path: `/api/b2a/inventory?date=${date}&${query}`,
    headers,
    body: '',
  });
  const booked = files.filter(({ city }) => city === BOOKED).flatMap(({ activities }) => activities);
  const body = (city: string): string =>
    JSON.stringify({ user_profile: { travel_type: 'couple', interests: ['cultural'] }, location: { city } });
  let sent = 0;
  return {
    'inventory of a city': () => inventory(`city=${cities[sent++ % cities.length]}`),
    'inventory of a city that was all booked': () => inventory(`city=${encodeURIComponent(BOOKED)}`),
    // The first one is open every day and not exclusive to a hotel.
    'inventory of an activity': () => inventory(`activity_id=${booked[0]?.id}`),
    'recommend in a city': () => ({
      method: 'POST',
      path: '/api/b2a/recommend',
      headers,
      body: body(files[sent++ % files.length]?.city ?? BOOKED),
    }),
  };
}

/** Resident memory of a process, current or peak; 0 without `/proc`. */
export function residentMb(pid: number, when: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  try {
    const kilobytes = new RegExp(`${when}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Math.round(Number(kilobytes ?? 0) / 1_024);
  } catch {
    return 0;
  }
}
