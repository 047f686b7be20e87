import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { CATALOGUE_DIRECTORY } from '../../src/supply/catalogue-file.ts';
import { type BenchServer, cpuMs, type Measurement } from './bench-server.ts';
import { measure, type Request } from './load.ts';
import { caughtUp, type Figures } from './watch.ts';

/** Every activity of this city is booked. */
const BOOKED = 'Singapore';
const CONCURRENT_BOOKINGS = 16;
/** Rankings before the measured ones: about 200 of each city, after which the start's memory is given back. */
const WARMING = 3_200;
const RECOMMEND = 'recommend in a city';
/** Connections of the loads. With one, no request waits for another. */
const CONNECTIONS = [1, 16];

type Entry = { readonly id: string };
type File = { readonly city: string; readonly activities: readonly Entry[] };

/** Starts a service twice on a catalogue of `activities`, and sends requests over one connection and over several. */
export async function measureCatalogue(
  activities: number,
  /** For the catalogue. */
  directory: string,
  { install, milliseconds, progress, signal }: Measurement,
): Promise<Figures> {
  const files = writeLargeCatalogue(directory, activities);
  await using installation = await install({ CATALOGUE_DIR: directory });
  const figures: Record<string, number> = {};
  const start = async (which: string): Promise<BenchServer> => {
    const startedMs = performance.now();
    const server = await installation.start();
    figures[`${which} start: ms`] = performance.now() - startedMs;
    figures[`${which} start: CPU ms`] = cpuMs(server.pid);
    progress(`${which} start`);
    return server;
  };
  await (await start('first'))[Symbol.asyncDispose]();
  await using server = await start('second');
  figures['memory MB, started'] = residentMb(server.pid);
  const date = new Date(Date.now() + 2 * DAY_MS).toISOString().slice(0, 10);
  await bookEach(server, files, date);
  await caughtUp(server, signal);
  for (const [asked, next] of Object.entries(requestsOf(server.key, files, date))) {
    for (const connections of CONNECTIONS) {
      const name = connections === 1 ? asked : `${asked}, ${connections} connections`;
      const load = { port: server.port, connections, next };
      const warming = asked === RECOMMEND && connections === 1 ? WARMING : 1;
      for (let warmed = 0; warmed < warming; ) {
        warmed += (await measure({ ...load, milliseconds: milliseconds / 4 })).requests;
        signal.throwIfAborted();
      }
      const before = cpuMs(server.pid);
      const { p50Ms, p99Ms, requests, refused } = await measure({ ...load, milliseconds });
      signal.throwIfAborted();
      if (Object.keys(refused).length > 0) throw new Error(`${name}: refused ${JSON.stringify(refused)}`);
      progress(`${name}: p50 ${p50Ms.toFixed(2)} ms`);
      figures[`${name}: p50 ms`] = p50Ms;
      figures[`${name}: p99 ms`] = p99Ms;
      figures[`${name}: CPU us`] = ((cpuMs(server.pid) - before) * 1_000) / requests;
    }
  }
  figures['memory MB, measured'] = residentMb(server.pid);
  return figures;
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
        const guest = { user_email: `${activity_id}@example.com`, user_name: 'A Guest', num_adults: 1 };
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
    [RECOMMEND]: () => ({
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
