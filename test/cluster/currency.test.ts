import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { VENUE } from '../chaos/kill/catalogue.ts';
import { pause } from '../chaos/kill/real-time.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ADMIN, call, type Headers, keyKnownTo, ready, until } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 60_000;
/** Promised: a deactivation holds on every node after this time. */
const HOLDS_MS = 1_000;
/** Long enough for the subscription to be replaced, on a busy machine too. */
const REPLACED_MS = 20_000;
const NOW = Date.parse('2026-11-21T03:00:00Z');

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

type Asked = { readonly beganMs: number; readonly answer: string };

/** Asks without a pause while `during` runs, and until an answer is one of those. @returns every answer */
async function askWhile(ask: () => Promise<string>, during: () => Promise<void>, last: string): Promise<Asked[]> {
  const asked: Asked[] = [];
  const done = during();
  const ends = performance.now() + REPLACED_MS;
  while (asked.at(-1)?.answer !== last && performance.now() < ends) {
    const beganMs = performance.now();
    asked.push({ beganMs, answer: await ask() });
  }
  await done;
  return asked;
}

describe('a node whose subscription died without a sign', () => {
  let writer: ClusterNode;
  let muted: ClusterNode;
  beforeAll(async () => {
    writer = await cluster.start('api');
    // The last to subscribe.
    muted = await cluster.start('api');
  }, START_MS);
  afterAll(async () => {
    await Promise.all([writer?.program.kill(), muted?.program.kill()]);
  });

  const health = (headers: Headers) => async (): Promise<string> => {
    const { status, code } = await call(muted, '/api/health', { headers });
    return `${status} ${code}`;
  };

  /** Mutes the subscription, and ends access by a request to the other node, while the muted one is asked. */
  async function endAccess(ask: () => Promise<string>, path: string, refused: string): Promise<Asked[]> {
    let acknowledgedMs = Number.POSITIVE_INFINITY;
    expect(await ask()).not.toBe(refused);
    await cluster.events.mute();
    const asked = await askWhile(
      ask,
      async () => {
        const ended = await fetch(`${writer.url}${path}`, {
          method: path.includes('/devices/') ? 'DELETE' : 'POST',
          headers: ADMIN,
        });
        acknowledgedMs = performance.now();
        expect(ended.status).toBe(200);
      },
      refused,
    );
    return asked.filter(({ beganMs }) => beganMs >= acknowledgedMs + HOLDS_MS || asked.at(-1)?.beganMs === beganMs);
  }

  test(
    'refuses a deactivated key within a second, and serves the other keys once it has another subscription',
    async () => {
      const [deactivated, other] = [await keyKnownTo([writer, muted]), await keyKnownTo([writer, muted])];
      const { data } = await call<{ id: string }>(writer, '/api/keys/self', { headers: deactivated });
      const late = await endAccess(health(deactivated), `/api/keys/${data.id}/deactivate`, '403 KEY_INACTIVE');
      expect(late.map(({ answer }) => answer).filter((answer) => answer !== '503 SERVICE_UNAVAILABLE')).toEqual([
        '403 KEY_INACTIVE',
      ]);
      expect(muted.program.stdout.text).toContain('"msg":"subscription to the event store is silent: it is replaced"');
      expect(await health(other)()).toBe('200 ');
      // The new subscription delivers.
      await keyKnownTo([writer, muted]);
    },
    START_MS,
  );

  test(
    'refuses a removed gate device within a second',
    async () => {
      const devices = `/api/venues/${VENUE}/devices`;
      const made = await call<{ device_id: string; device_key: string }>(writer, devices, {
        headers: ADMIN,
        body: { name: 'Gate' },
      });
      const sent = { headers: { 'x-device-key': made.data.device_key }, body: { code: 'nothing' } };
      const verify = async (): Promise<string> => {
        const { status, code } = await call(muted, '/api/venue/verify', sent);
        return `${status} ${code}`;
      };
      await until('the device is known', REPLACED_MS, async () => (await verify()) === '404 VOUCHER_NOT_FOUND');
      const late = await endAccess(verify, `${devices}/${made.data.device_id}`, '401 INVALID_DEVICE_KEY');
      expect(late.map(({ answer }) => answer).filter((answer) => answer !== '503 SERVICE_UNAVAILABLE')).toEqual([
        '401 INVALID_DEVICE_KEY',
      ]);
    },
    START_MS,
  );

  test(
    'refuses a revoked operator within a second',
    async () => {
      const made = await call<{ id: string; token: string }>(writer, '/api/operators', {
        headers: ADMIN,
        body: { name: 'Mai', role: 'support' },
      });
      const read = async (): Promise<string> => {
        const headers = { authorization: `Bearer ${made.data.token}` };
        const { status, code } = await call(muted, '/api/ops/streams/voucherkey-ring', { headers });
        return `${status} ${code}`;
      };
      await until('the operator is known', REPLACED_MS, async () => (await read()) === '200 ');
      const late = await endAccess(read, `/api/operators/${made.data.id}/revoke`, '401 INVALID_TOKEN');
      expect(late.map(({ answer }) => answer).filter((answer) => answer !== '503 SERVICE_UNAVAILABLE')).toEqual([
        '401 INVALID_TOKEN',
      ]);
    },
    START_MS,
  );
});

test(
  'an idle node reads the log at most six times a minute',
  async () => {
    using directory = temporaryDirectory();
    const path = directory.file('time');
    let nowMs = NOW;
    writeFileSync(path, String(nowMs));
    // The clock moves faster than a lease could be renewed.
    const settings = { WAYMARK_TEST_CLOCK: path, LEASE_TTL_MS: '300000' };
    const node = await cluster.start('all', settings);
    await ready(node);
    /** Moves the time on by seconds. The node looks at the file, then answers. */
    const pass = async (seconds: number): Promise<void> => {
      for (let second = 0; second < seconds; second++) {
        nowMs += 1_000;
        writeFileSync(path, String(nowMs));
        for (let turn = 0; turn < 3; turn++) await call(node, '/livez');
      }
      // In real time, reads within 500 ms of each other are one.
      await pause(600);
    };
    // What follows from the start.
    await pass(30);
    const before = await cluster.events.calls();
    for (let part = 0; part < 6; part++) await pass(10);
    const after = await cluster.events.calls();
    const reads = difference(before.counts.reads, after.counts.reads);
    process.stdout.write(`reads in an idle minute: ${JSON.stringify(reads)}\n`);
    expect(Object.keys(reads)).toEqual(['$all']);
    expect(reads['$all']).toBeWithin(4, 7);
  },
  START_MS,
);

type Counts = Readonly<Record<string, number>>;

function difference(before: Counts, after: Counts): Counts {
  return Object.fromEntries(
    Object.entries(after).flatMap(([category, count]) => {
      const more = count - (before[category] ?? 0);
      return more > 0 ? [[category, more]] : [];
    }),
  );
}
