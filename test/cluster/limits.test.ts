import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { call, keyKnownTo } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 60_000;
const TEST_MS = 120_000;
const NOON = Date.parse('2026-11-21T12:00:00Z');
const MIDNIGHT = Date.parse('2026-11-22T00:00:00Z');

let cluster: Cluster;
let directory: TemporaryDirectory;
let apis: ClusterNode[];
let nowMs = NOON;

beforeAll(async () => {
  directory = temporaryDirectory();
  setTime(NOON);
  cluster = await startCluster();
  apis = await Promise.all([startApi(), startApi(), startApi()]);
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
  directory?.remove();
});

/** Sets the clock of all nodes, which otherwise stands still. */
function setTime(atMs: number): void {
  nowMs = atMs;
  // Not replaced by a rename: the nodes watch this file.
  writeFileSync(directory.file('now'), new Date(atMs).toISOString());
}

function startApi(): Promise<ClusterNode> {
  return cluster.start('api', { WAYMARK_TEST_CLOCK: directory.file('now') });
}

/** Sends cheap requests that count, concurrently, to the nodes in turn. @returns the number of answers by code */
async function ask(headers: Readonly<Record<string, string>>, times: number): Promise<Record<string, number>> {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, n) => {
      const node = apis[n % apis.length];
      if (node === undefined) throw new Error('there is no node');
      return call(node, '/api/b2a/bookings/bk_none', { headers });
    }),
  );
  const codes: Record<string, number> = {};
  for (const { code } of answers) codes[code] = (codes[code] ?? 0) + 1;
  return codes;
}

describe('three API nodes together', () => {
  test.each([
    ['free', 10],
    ['basic', 60],
    ['premium', 300],
  ])(
    'admit a key of the plan %s %d times in any 60 seconds',
    async (plan, perMinute) => {
      const headers = await keyKnownTo(apis, { plan });
      const start = nowMs;
      const first = Math.floor(perMinute / 3);
      expect(await ask(headers, first)).toEqual({ BOOKING_NOT_FOUND: first });
      setTime(start + 30_000);
      expect(await ask(headers, perMinute)).toEqual({
        BOOKING_NOT_FOUND: perMinute - first,
        RATE_LIMITED: first,
      });
      setTime(start + 59_999);
      expect(await ask(headers, 3)).toEqual({ RATE_LIMITED: 3 });
      setTime(start + 60_000);
      expect(await ask(headers, first + 1)).toEqual({ BOOKING_NOT_FOUND: first, RATE_LIMITED: 1 });
    },
    TEST_MS,
  );

  test(
    'admit a free key 100 times a day, also after one of them was killed, and again from midnight',
    async () => {
      const headers = await keyKnownTo(apis, { plan: 'free' });
      setTime(MIDNIGHT - 11 * 60_000);
      for (let minute = 0; minute < 10; minute++) {
        if (minute === 5) {
          await apis[1]?.program.kill();
          apis[1] = await startApi();
        }
        expect(await ask(headers, 10)).toEqual({ BOOKING_NOT_FOUND: 10 });
        setTime(nowMs + 60_000);
      }
      expect(await ask(headers, 3)).toEqual({ QUOTA_EXCEEDED: 3 });
      setTime(MIDNIGHT - 1);
      expect(await ask(headers, 3)).toEqual({ QUOTA_EXCEEDED: 3 });
      setTime(MIDNIGHT);
      expect(await ask(headers, 11)).toEqual({ BOOKING_NOT_FOUND: 10, RATE_LIMITED: 1 });
    },
    TEST_MS,
  );

  test(
    'report all requests of a key today',
    async () => {
      const headers = await keyKnownTo(apis, { plan: 'premium' });
      await ask(headers, 30);
      type Own = { use: { today: { by_endpoint: Record<string, { refused: number }> } } };
      const stored = async (node: ClusterNode): Promise<number> => {
        // The other nodes store their counts every two seconds of their clock.
        setTime(nowMs + 2_000);
        const { data } = await call<Own>(node, '/api/keys/self', { headers });
        return data.use.today.by_endpoint['get_booking']?.refused ?? 0;
      };
      for (const node of apis) {
        let seen = await stored(node);
        while (seen < 30) seen = await stored(node);
        expect(seen).toBe(30);
      }
    },
    TEST_MS,
  );
});
