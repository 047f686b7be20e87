import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { writeBenchCatalogue } from '../bench/catalogue.ts';
import { type Measured, measure, type Request } from '../bench/load.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { keyKnownTo, wish } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 60_000;
const ACTIVITIES = 20;
/** Latencies and pauses measured on a real server under load. */
const SLOW = { p50Ms: 5, p99Ms: 60, pauseMs: 1_000, pauseEveryMs: 8_000 };

export type Load = {
  readonly name: string;
  /** Each waits for its answer before the next request. */
  readonly connections: number;
  readonly activities: number;
  readonly dates: number;
  readonly nodes: number;
  readonly seconds: number;
};

/** A slow EventStoreDB is still available, so no booking may be answered 503. */
export function slowEventStore(loads: readonly Load[], seed: number): void {
  let cluster: Cluster;
  let catalogue: TemporaryDirectory;
  let ids: readonly string[];
  let nodes: ClusterNode[];
  beforeAll(async () => {
    catalogue = temporaryDirectory();
    ids = writeBenchCatalogue(catalogue.path, ACTIVITIES);
    cluster = await startCluster({ CATALOGUE_DIR: catalogue.path, MAIL_WAIT_MS: '0' });
    nodes = await Promise.all([cluster.start('all'), cluster.start('all')]);
  }, BUILD_MS + START_MS);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    catalogue?.[Symbol.dispose]();
  });

  describe(`given an event store with a median of ${SLOW.p50Ms} ms, p99 of ${SLOW.p99Ms} ms and pauses of 1 s (seed ${seed})`, () => {
    test.each([...loads])(
      '$name: no booking is answered 503',
      async (load) => {
        const loaded = nodes.slice(0, load.nodes);
        const headers = await keyKnownTo(loaded);
        const linesBefore = loaded.map(({ program }) => program.stdout.lines.length);
        await cluster.events.slow({ ...SLOW, seed });
        // Other dates than other loads, so that streams are short.
        const firstDate = 2 + loads.slice(0, loads.indexOf(load)).reduce((days, { dates }) => days + dates, 0);
        const measured = await Promise.all(loaded.map((node) => book(node, headers, load, ids, firstDate)));
        await cluster.events.mend();
        for (const each of measured) process.stdout.write(`${load.name}: ${JSON.stringify(each)}\n`);
        const causes = loaded.flatMap(({ program }, n) => program.stdout.lines.slice(linesBefore[n]).filter(is503));
        expect(causes).toEqual([]);
        expect(measured.map(({ refused }) => refused)).toEqual(loaded.map(() => ({})));
        for (const { requests } of measured) expect(requests).toBeGreaterThan(load.connections);
      },
      180_000 + Math.max(...loads.map(({ seconds }) => seconds * 1_000)),
    );
  });
}

function is503(line: string): boolean {
  return line.includes('"msg":"request answered 503"');
}

function book(
  { url }: ClusterNode,
  headers: Readonly<Record<string, string>>,
  { connections, activities, dates, nodes, seconds }: Load,
  ids: readonly string[],
  firstDate: number,
): Promise<Measured> {
  let sent = 0;
  const next = (): Request => {
    const place = sent++;
    const activity = ids[place % activities] ?? '';
    const ahead = firstDate + (Math.floor(place / activities) % dates);
    const date = new Date(Date.now() + ahead * DAY_MS).toISOString().slice(0, 10);
    const body = JSON.stringify(wish(activity, date));
    const typed = { ...headers, 'content-type': 'application/json' };
    return { method: 'POST', path: '/api/b2a/execute_booking', headers: typed, body };
  };
  const port = Number(new URL(url).port);
  return measure({ port, connections: connections / nodes, milliseconds: seconds * 1_000, next });
}
