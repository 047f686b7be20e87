import { cpSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { pause } from '../chaos/kill/real-time.ts';
import { type BenchServer, cpuMs, type Installation, type Measurement } from './bench-server.ts';
import { writeBenchCatalogue } from './catalogue.ts';
import { residentMb } from './large-catalogue.ts';
import { measure, type Request } from './load.ts';
import { caughtUp, type Figures } from './watch.ts';

/** As many as in the report of 60,000 bookings that this part repeats. */
const ACTIVITIES = 100;
/** The loads book dates behind those of the history, so that no size of a history has more of them. */
const FIRST_DATE_DAYS = 100;
const DATES = 50;
/** Bookings times days of a report: a denser history is asked for fewer days, down to one. */
const REPORTED = 1_000_000;
const PROJECTION = 'bookings';
const LOOK_MS = 200;

export type HistoryOptions = {
  readonly bookings: number;
  /** For the catalogue. */
  readonly directory: string;
  /** Keeps generated histories here for the next run; undefined: they are not kept. */
  readonly cache: string | undefined;
};

type Generated = { readonly events: number; readonly keys: readonly { readonly value: string }[] };

/** Generates a history, starts a service on it twice, sends requests and rebuilds a projection. */
export async function measureHistory(options: HistoryOptions, measurement: Measurement): Promise<Figures> {
  const { progress, signal } = measurement;
  const catalogue = join(options.directory, 'catalogue');
  const ids = writeBenchCatalogue(catalogue, ACTIVITIES);
  await using installation = await measurement.install({ CATALOGUE_DIR: catalogue });
  const figures: Record<string, number> = {};
  const generated = await historyIn(installation, options, measurement, figures);
  const { events } = generated;
  figures['events'] = events;
  if (installation.engines === 'embedded') {
    figures['events.db MB'] = statSync(join(installation.dataDirectory, 'events.db')).size / 1e6;
    const read = JSON.parse(await installation.run(['test/bench/read-history.ts', PROJECTION], progress));
    figures['bare reading and decoding: events per s'] = perSecond(read.events, read.ms);
    figures['bare reading and decoding: CPU us per event'] = (read.cpuMs * 1_000) / read.events;
    progress(`bare reading and decoding: ${JSON.stringify(read)}`);
  }
  const filling = performance.now();
  await (await started('first', installation, figures, measurement))[Symbol.asyncDispose]();
  figures['first start: events per s'] = perSecond(events, performance.now() - filling);
  figures['first start: CPU us per event'] = ((figures['first start: CPU ms'] ?? 0) * 1_000) / events;
  await using server = await started('second', installation, figures, measurement);
  figures['memory MB, started'] = residentMb(server.pid);
  if (installation.engines === 'embedded')
    await measureLoads(server, generated, { bookings: options.bookings, ids }, figures, measurement);
  signal.throwIfAborted();
  figures['memory MB, measured'] = residentMb(server.pid);
  // Last: the replaced build is dropped some seconds later, which would disturb the loads.
  await measureRebuild(server, figures, measurement);
  return figures;
}

/** Generates the history, or copies the one that an earlier run kept. */
async function historyIn(
  installation: Installation,
  { bookings, cache }: HistoryOptions,
  { progress }: Measurement,
  figures: Record<string, number>,
): Promise<Generated> {
  // A stream prefix cannot be copied.
  const kept = cache === undefined || installation.engines === 'shared' ? null : join(cache, `history-of-${bookings}`);
  const about = Bun.file(join(kept ?? installation.dataDirectory, 'generated.json'));
  if (kept !== null && (await about.exists())) {
    progress(`copies ${kept}`);
    cpSync(kept, installation.dataDirectory, { recursive: true });
    return about.json();
  }
  const startedMs = performance.now();
  const command = ['src/main.ts', 'generate', '--json', '--bookings', String(bookings)];
  const generated: Generated = JSON.parse(await installation.run(command, progress));
  figures['generate: bookings per s'] = perSecond(bookings, performance.now() - startedMs);
  if (kept !== null) {
    mkdirSync(kept, { recursive: true });
    cpSync(installation.dataDirectory, kept, { recursive: true });
    await Bun.write(about, JSON.stringify(generated));
  }
  return generated;
}

/** Starts the service and waits until every projection has caught up. */
async function started(
  which: string,
  installation: Installation,
  figures: Record<string, number>,
  { progress, signal }: Measurement,
): Promise<BenchServer> {
  const startedMs = performance.now();
  const server = await installation.start();
  await caughtUp(server, signal);
  figures[`${which} start: ms`] = performance.now() - startedMs;
  figures[`${which} start: CPU ms`] = cpuMs(server.pid);
  figures[`${which} start: peak memory MB`] = residentMb(server.pid, 'VmHWM');
  progress(`${which} start: ${Math.round(performance.now() - startedMs)} ms`);
  return server;
}

async function measureRebuild(
  { pid, port, adminToken }: BenchServer,
  figures: Record<string, number>,
  { progress, signal }: Measurement,
): Promise<void> {
  const headers = { authorization: `Bearer ${adminToken}` };
  const url = `http://127.0.0.1:${port}/api/ops/projections`;
  const [startedMs, before] = [performance.now(), cpuMs(pid)];
  const answer = await fetch(`${url}/${PROJECTION}/rebuild`, { method: 'POST', headers, signal });
  if (!answer.ok) throw new Error(`the rebuild was refused: ${answer.status} ${await answer.text()}`);
  for (;;) {
    // The service's answer.
    const { data } = (await (await fetch(url, { headers, signal })).json()) as {
      data: { items: readonly Projection[] };
    };
    const status = data.items.find(({ name }) => name === PROJECTION);
    if (status?.rebuild === null) {
      if (status.last_rebuild?.kind !== 'rebuilt') throw new Error(`no rebuild: ${JSON.stringify(status)}`);
      const { events } = status.last_rebuild;
      if (events === 0) throw new Error('the rebuild was interrupted and resumed, so its events were not counted');
      const rate = perSecond(events, performance.now() - startedMs);
      figures[`rebuild of ${PROJECTION}: events per s`] = rate;
      figures[`rebuild of ${PROJECTION}: CPU us per event`] = ((cpuMs(pid) - before) * 1_000) / events;
      const bare = figures['bare reading and decoding: events per s'];
      if (bare !== undefined) figures['rebuild, ratio to bare reading and decoding'] = rate / bare;
      progress(`rebuild: ${Math.round(rate)} events per s`);
      return;
    }
    await pause(LOOK_MS);
  }
}

type Projection = {
  readonly name: string;
  readonly rebuild: object | null;
  readonly last_rebuild: { readonly kind: string; readonly events: number } | null;
};

async function measureLoads(
  server: BenchServer,
  { keys }: Generated,
  { bookings, ids }: { readonly bookings: number; readonly ids: readonly string[] },
  figures: Record<string, number>,
  { connections, milliseconds, progress, signal }: Measurement,
): Promise<void> {
  const { port, pid } = server;
  const cases = requestsOf(server, { bookings, agentKey: keys[0]?.value ?? '', ids });
  for (const [name, next] of Object.entries(cases)) {
    // One connection: no request waits for another one.
    await measure({ port, connections: 1, next, milliseconds: milliseconds / 4 });
    const before = cpuMs(pid);
    const { p50Ms, p99Ms, requests, refused } = await measure({ port, connections: 1, next, milliseconds });
    signal.throwIfAborted();
    if (Object.keys(refused).length > 0) throw new Error(`${name}: refused ${JSON.stringify(refused)}`);
    figures[`${name}: p50 ms`] = p50Ms;
    figures[`${name}: p99 ms`] = p99Ms;
    // Unlike the latency, it does not depend on what else runs on the machine.
    figures[`${name}: CPU us`] = ((cpuMs(pid) - before) * 1_000) / requests;
    progress(`${name}: p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`);
  }
  const before = cpuMs(pid);
  const booked = await measure({ port, connections, next: cases.book, milliseconds: milliseconds * 2 });
  figures['bookings per s'] = booked.perSecond;
  await caughtUp(server, signal);
  figures['CPU us per booking'] = ((cpuMs(pid) - before) * 1_000) / booked.requests;
  progress(`${Math.round(booked.perSecond)} bookings per s`);
}

type Asked = { readonly bookings: number; readonly agentKey: string; readonly ids: readonly string[] };

function requestsOf({ key, adminToken }: BenchServer, { bookings, agentKey, ids }: Asked) {
  const reportDays = Math.max(1, Math.round(REPORTED / bookings));
  const date = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
  const dates = Array.from({ length: DATES }, (_, index) => date(FIRST_DATE_DAYS + index));
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  const traveller = { user_profile: { travel_type: 'couple', interests: ['cultural'] }, location: { city: 'Bangkok' } };
  let sent = 0;
  const get = (path: string, more: Readonly<Record<string, string>> = headers): Request => ({
    method: 'GET',
    path,
    headers: more,
    body: '',
  });
  const post = (path: string, body: object): Request => ({ method: 'POST', path, headers, body: JSON.stringify(body) });
  return {
    book: () =>
      post('/api/b2a/execute_booking', {
        activity_id: ids[sent++ % ids.length],
        booking_date: dates[Math.floor(sent / ids.length) % DATES],
        user_email: `guest-${sent}@example.com`,
        user_name: `Guest ${sent}`,
        num_adults: 1,
      }),
    recommend: () => post('/api/b2a/recommend', traveller),
    // The requests above have booked every activity on these dates, so an answer costs the same work for every size.
    inventory: () => get(`/api/b2a/inventory?city=Bangkok&date=${dates[sent++ % 14]}`),
    'list of 50 bookings': () => get('/api/b2a/bookings?limit=50', { ...headers, 'x-api-key': agentKey }),
    'report of about as many visits': () =>
      get(`/api/analytics/visits?group_by=day&from=${date(-reportDays)}&to=${date(-1)}`, {
        authorization: `Bearer ${adminToken}`,
      }),
  };
}

function perSecond(count: number, ms: number): number {
  return (count * 1_000) / ms;
}
