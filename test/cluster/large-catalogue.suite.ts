import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { statSync } from 'node:fs';
import type { Role } from '../../src/config.ts';
import { residentMb, writeLargeCatalogue } from '../bench/large-catalogue.ts';
import { pause } from '../chaos/kill/real-time.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import type { Program } from '../support/process.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ADMIN, call, ready } from './client.ts';
import { type Cluster, type ClusterNode, listening, startCluster } from './cluster.ts';

/** Enough for a slow machine. */
const START_MS = 600_000;
const POLL_MS = 20;
/** Maximum time to stop a node that is listing its catalogue. */
const STOPPED_MS = 5_000;

type Loaded = { readonly activities: number; readonly commands: number; readonly listed: number };

/** Times in ms from the start of the process, memory in MB. */
export type Figures = Record<string, number>;

type Options = {
  readonly activities: number;
  readonly kills: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly progress?: (name: string, figures: Figures) => void;
};

/** Interrupts the listing of a large catalogue several times. */
export function largeCatalogue({ activities, kills, settings = {}, progress = () => {} }: Options): void {
  const directory = temporaryDirectory();
  let cluster: Cluster;
  /** Approximate size of all entries in the log. */
  let bytes = 0;

  beforeAll(async () => {
    const files = writeLargeCatalogue(directory.file('catalogue'), activities);
    for (const entry of files.flatMap((file) => file.activities)) bytes += Buffer.byteLength(JSON.stringify(entry));
    cluster = await startCluster({ CATALOGUE_DIR: directory.file('catalogue'), ...settings });
  }, BUILD_MS);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    directory.remove();
  });

  /** Resolves when a part of the catalogue, from 0 to 1, is in the log. */
  const inLog = async (part: number): Promise<void> => {
    while (statSync(cluster.events.data).size < part * bytes) await pause(POLL_MS);
  };
  const stopInTheMiddle = async (part: number): Promise<void> => {
    await using program = cluster.begin('all');
    await inLog(part);
    const askedAtMs = performance.now();
    expect(await program.terminate()).toBe(0);
    expect(performance.now() - askedAtMs).toBeLessThan(STOPPED_MS);
  };
  const measured = async (name: string, roles: Role | 'all'): Promise<ClusterNode> => {
    const startedAtMs = performance.now();
    const elapsed = (): number => Math.round(performance.now() - startedAtMs);
    const program = cluster.begin(roles);
    const node = await listening(program, roles);
    const listeningMs = elapsed();
    await ready(node, START_MS);
    const [mb, mostMb] = [residentMb(program.pid), residentMb(program.pid, 'VmHWM')];
    progress(name, { listeningMs, readyMs: elapsed(), mb, mostMb });
    return node;
  };
  /** The number of activities, and the different numbers of events that they have. */
  const eventsEach = async () => {
    const counts = new Map<string, number>();
    for (const { stream } of await cluster.log())
      if (stream.startsWith('activity-')) counts.set(stream, (counts.get(stream) ?? 0) + 1);
    return { activities: counts.size, events: [...new Set(counts.values())] };
  };
  const ONCE = { activities, events: [1] };

  describe(`given ${activities} activities and an empty log`, () => {
    test(
      `when the first starts are interrupted, once by a stop and ${kills} times by a kill, then the next one lists the rest and none twice`,
      async () => {
        if (kills > 0) await stopInTheMiddle(1 / (kills + 3));
        for (let kill = 1; kill <= kills; kill++) {
          const program = cluster.begin('all');
          await inLog((kill + 1) / (kills + 3));
          await program.kill();
        }
        const { program } = await measured(kills > 0 ? `start after ${kills} kills` : 'first start', 'all');
        const loaded = loadedBy(program);
        expect(loaded).toMatchObject({ activities });
        if (kills > 0) expect(loaded?.commands).toBeLessThan(activities / 2);
        expect(await eventsEach()).toEqual(ONCE);
        await program.terminate();
      },
      START_MS,
    );

    test(
      'when it is started again, then no command is sent',
      async () => {
        const { program } = await measured('restart', 'all');
        expect(loadedBy(program)).toMatchObject({ activities, commands: 0, listed: 0 });
        await program.terminate();
      },
      START_MS,
    );

    test(
      'when MongoDB has lost its data and API nodes start, two at once and one during a rebuild, then no activity is listed again',
      async () => {
        await cluster.documents.lose();
        await cluster.migrate();
        const roles = ['api', 'api', 'projector', 'deliverer'] as const;
        const nodes = await Promise.all(roles.map((role) => measured(`${role}, empty read models`, role)));
        const path = '/api/ops/projections/activities/rebuild';
        const [first, second] = nodes as [ClusterNode, ClusterNode];
        expect(await call(first, path, { headers: ADMIN, body: {} })).toMatchObject({ status: 200 });
        const third = await measured('api, during a rebuild', 'api');
        for (const { program } of [first, second, third])
          expect(loadedBy(program)).toMatchObject({ activities, listed: 0 });
        expect(await eventsEach()).toEqual(ONCE);
        await Promise.all([...nodes, third].map(({ program }) => program.terminate()));
      },
      START_MS,
    );
  });
}

function loadedBy({ stdout }: Program): Loaded | null {
  const line = stdout.lines.findLast((text) => text.includes('"msg":"catalogue loaded"'));
  return line === undefined ? null : (JSON.parse(line) as Loaded);
}
