import { afterAll, beforeAll, expect, test } from 'bun:test';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import type { Program } from '../support/process.ts';
import { readiness, until } from './client.ts';
import { type Cluster, type ClusterNode, LEASE_MS, listening, startCluster } from './cluster.ts';

const SETTABLE = { BUN_OPTIONS: '--preload=./test/cluster/settable-clock.ts' };
const START_MS = 60_000;
const SEEN_MS = 10_000;
/** Delay after the end of a lease until another node may take it. */
const SKEW_MS = 2_000;
/** Maximum time until another node takes over, on a busy machine. */
const REPLACED_MS = LEASE_MS + SKEW_MS + LEASE_MS / 3 + 10_000;
const OFF =
  /^clock: the clock of this machine is 3[56]\d{5} ms ahead of MongoDB's, and 500 ms .* Synchronise the clocks/;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, BUILD_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

function setClock({ pid }: Program): void {
  process.kill(pid, 'SIGUSR2');
}

/** The leases that a node logged with a message, in order. */
function leases({ stdout }: Program, message: 'lease taken' | 'lease lost'): readonly string[] {
  return stdout.lines.flatMap((line) => {
    const { msg, lease } = line.startsWith('{') ? JSON.parse(line) : {};
    return msg === message ? [String(lease)] : [];
  });
}

function logged({ stdout }: Program, message: string): number {
  return stdout.lines.filter((line) => line.includes(`"msg":"${message}"`)).length;
}

/** The details of readyz. */
async function detailsOf(node: Pick<ClusterNode, 'url'>): Promise<string> {
  const { details = '' } = JSON.parse((await readiness(node)).text) as { readonly details?: string };
  return details;
}

test(
  'a node whose clock is wrong stops its work without a release of its leases, and works again once the clock is right',
  async () => {
    const wrong = await cluster.start('projector', SETTABLE);
    await until('it holds all leases', SEEN_MS, async () => leases(wrong.program, 'lease taken').length > 5);
    const other = await cluster.start('projector');
    await until('it is ready', SEEN_MS, async () => (await readiness(wrong)).status === 200);
    const held = leases(wrong.program, 'lease taken');

    setClock(wrong.program);
    await until('it is not ready', SEEN_MS, async () => (await readiness(wrong)).status === 503);
    const sinceMs = performance.now();
    expect(await detailsOf(wrong)).toMatch(OFF);
    expect(leases(wrong.program, 'lease lost').toSorted()).toEqual(held.toSorted());
    expect(leases(other.program, 'lease taken')).toEqual([]);
    const taken = async () => leases(other.program, 'lease taken').length === held.length;
    await until('another node has the leases', REPLACED_MS, taken);
    const tookMs = performance.now() - sinceMs;
    process.stdout.write(`another node took over from a node with a wrong clock after ${Math.round(tookMs)} ms\n`);
    // Released leases would have been taken at the next poll.
    expect(tookMs).toBeGreaterThan(SKEW_MS);
    expect(leases(other.program, 'lease taken').toSorted()).toEqual(held.toSorted());
    expect(leases(wrong.program, 'lease taken')).toEqual(held);

    setClock(wrong.program);
    await until('it is ready again', SEEN_MS, async () => (await readiness(wrong)).status === 200);
    expect([
      logged(wrong.program, 'clock is off: leased work stops'),
      logged(wrong.program, 'clock is right again'),
    ]).toEqual([1, 1]);
    await other.program.kill();
    const again = async () => leases(wrong.program, 'lease taken').length === 2 * held.length;
    await until('it has the leases again', REPLACED_MS, again);
    await wrong.program.kill();
  },
  START_MS,
);

test(
  'a node with a wrong clock logs why it waits, and starts once the clock is right',
  async () => {
    const program = cluster.begin('projector', { ...SETTABLE, TEST_CLOCK: 'ahead' });
    const [, url = ''] =
      (await program.stdout.line(
        /"engine":"leases","url":"([^"]+)".*the clock of this machine is .*"msg":"waiting for an engine"/,
      )) ?? [];
    const { status } = await readiness({ url });
    expect([status, OFF.test(await detailsOf({ url }))]).toEqual([503, true]);
    expect(leases(program, 'lease taken')).toEqual([]);
    setClock(program);
    await listening(program, 'projector');
    await until('it is ready', SEEN_MS, async () => (await readiness({ url })).status === 200);
    await program.kill();
  },
  START_MS,
);
