import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { USAGE } from '../../../src/adapters/mongodb/collection-names.ts';
import type { Database } from '../../../src/adapters/mongodb/database.ts';
import { openRateLimiter } from '../../../src/adapters/mongodb/rate-limiter.ts';
import { MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import type { RateLimiter } from '../../../src/ports/rate-limiter.ts';
import { faultOf } from '../../support/fault.ts';
import { KEY, LIMITS, MIDNIGHT, NOON } from '../rate-limiter/scene.ts';
import { rateLimiterContract } from '../rate-limiter.suite.ts';
import { reopening } from '../reopening.ts';
import { mongoServers, type TestDatabase } from './servers.ts';

for (const server of mongoServers()) {
  rateLimiterContract(server.name, async () => {
    const database = server.empty();
    const open = async () => openRateLimiter(await database.open());
    return reopening(await open(), open, () => database.remove());
  });

  describe(`rate limiters of several nodes: ${server.name}`, () => {
    let database: TestDatabase;
    let watching: Database;
    let nodes: readonly RateLimiter[];

    beforeEach(async () => {
      database = server.empty();
      watching = await database.open();
      nodes = await Promise.all([1, 2, 3].map(async () => openRateLimiter(await database.open())));
    });
    afterEach(() => database.remove());

    const node = (n: number): RateLimiter => {
      const limiter = nodes[n % nodes.length];
      if (limiter === undefined) throw new Error('there is no node');
      return limiter;
    };

    test('admit together exactly the limits of a key', async () => {
      const limits = { perMinute: 40, perDay: 100 };
      const takings = await Promise.all(Array.from({ length: 90 }, (_, n) => node(n).take(KEY, limits, NOON)));
      const left = takings.filter(({ kind }) => kind === 'taken').map(({ usage }) => usage.minute.remaining);
      expect(left.toSorted((a, b) => b - a)).toEqual(Array.from({ length: 40 }, (_, n) => 39 - n));
      for (const n of nodes.keys()) expect((await node(n).peek(KEY, limits, NOON)).day.used).toBe(40);
    });

    test('admit exactly the limits of each of many keys that all nodes count at once', async () => {
      const limits = { perMinute: 4, perDay: 100 };
      const keys = Array.from({ length: 60 }, (_, n) => `key-${n}`);
      for (const minutes of [0, 2]) {
        const asked = keys.flatMap((key) => Array.from({ length: 6 }, (_, n) => ({ key, of: node(n) })));
        const atMs = NOON + minutes * MINUTE_MS;
        const takings = await Promise.all(asked.map(({ key, of }) => of.take(key, limits, atMs)));
        for (const key of keys) {
          const taken = takings.filter(({ kind }, index) => kind === 'taken' && asked[index]?.key === key);
          expect([key, taken.length]).toEqual([key, 4]);
        }
        const used = await Promise.all(keys.map(async (key) => (await node(0).peek(key, limits, atMs)).day.used));
        expect(new Set(used)).toEqual(new Set([minutes === 0 ? 4 : 8]));
      }
    });

    test('count a request again that another node overtook, beside one of another key that it did not', async () => {
      const limits = { perMinute: 9, perDay: 100 };
      const keys = ['overtaken', 'alone'];
      for (const key of keys) await node(0).take(key, limits, NOON);
      await node(1).take('overtaken', limits, NOON);
      await Promise.all(keys.map((key) => node(0).take(key, limits, NOON)));
      const used = keys.map(async (key) => (await node(2).peek(key, limits, NOON)).day.used);
      expect(await Promise.all(used)).toEqual([3, 2]);
    });

    test('admit requests from quota leases too, and return the unused part when they are closed', async () => {
      const limits = { perMinute: 300, perDay: 10_000 };
      const taken = async (of: RateLimiter, times: number): Promise<number> => {
        let count = 0;
        for (let n = 0; n < times; n++) if ((await of.take(KEY, limits, NOON)).kind === 'taken') count++;
        return count;
      };
      expect(await Promise.all(nodes.map((each) => taken(each, 30)))).toEqual([30, 30, 30]);
      await Promise.all([node(0).close(), node(1).close()]);
      expect((await node(2).peek(KEY, limits, NOON)).minute).toMatchObject({ used: 90, remaining: 210 });
      expect(await taken(node(2), 215)).toBe(210);
    });

    test('the lease of a dead node counts as used, and requests wait for it only briefly', async () => {
      const limits = { perMinute: 70, perDay: 900 };
      for (let n = 0; n < 3; n++) await node(0).take(KEY, limits, NOON);
      await database.close();
      const after = openRateLimiter(await database.open());
      expect((await after.peek(KEY, limits, NOON)).day.used).toBe(4);
      let taken = 3;
      while ((await after.take(KEY, limits, NOON)).kind === 'taken') taken++;
      expect(taken).toBe(69);
      await after.close();
    });

    test('see requests of other nodes at once, also with an older cache', async () => {
      const kinds: string[] = [];
      for (let n = 0; n < 5; n++) kinds.push((await node(n).take(KEY, LIMITS, NOON)).kind);
      expect(kinds).toEqual(['taken', 'taken', 'taken', 'rate-limited', 'rate-limited']);
    });

    test('base refusals on a fresh read, not on their cache', async () => {
      for (let n = 0; n < 3; n++) await node(0).take(KEY, LIMITS, NOON);
      await node(1).take(KEY, { perMinute: 5, perDay: 8 }, NOON + 1_000);
      const refused = await node(0).take(KEY, LIMITS, NOON + 2_000);
      expect(refused).toMatchObject({ kind: 'rate-limited', usage: { minute: { used: 4 }, day: { used: 4 } } });
    });

    test('a node whose clock is behind by less than the skew does not shorten the minute', async () => {
      const ahead = NOON + 4_000;
      for (let n = 0; n < 3; n++) await node(0).take(KEY, LIMITS, ahead);
      expect((await node(1).take(KEY, LIMITS, NOON)).kind).toBe('rate-limited');
      await node(1).peek(KEY, LIMITS, NOON);
      expect((await node(0).take(KEY, LIMITS, ahead + MINUTE_MS - 1)).kind).toBe('rate-limited');
      expect((await node(0).take(KEY, LIMITS, ahead + MINUTE_MS)).kind).toBe('taken');
      expect((await node(1).take(KEY, LIMITS, NOON + MINUTE_MS)).kind).toBe('taken');
      const kept = await watching.db.collection(USAGE).findOne({});
      expect(kept?.['recent']).toEqual([ahead + MINUTE_MS, ahead + MINUTE_MS]);
    });

    test('a deleted and recreated key is not confused with its cached usage', async () => {
      await node(0).take(KEY, LIMITS, NOON);
      await watching.db.collection(USAGE).deleteMany({});
      for (let n = 0; n < 3; n++) await node(1).take(KEY, LIMITS, NOON);
      expect((await node(0).take(KEY, LIMITS, NOON)).kind).toBe('rate-limited');
    });

    test('keys that were not used since the day before yesterday are deleted', async () => {
      await node(0).take('key_long_ago', LIMITS, NOON);
      await node(0).take('key_yesterday', LIMITS, MIDNIGHT);
      await node(0).take('key_today', LIMITS, MIDNIGHT + 86_400_000);
      const keys = async (): Promise<unknown[]> =>
        (await watching.db.collection(USAGE).find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);
      let seen = await keys();
      // The deletion runs in the background.
      while (seen.length > 2) seen = await keys();
      expect(seen.map(String)).toEqual(['key_today', 'key_yesterday']);
    });

    test('answer pending requests at close, and reject later ones', async () => {
      const last = node(0).take(KEY, LIMITS, NOON);
      await node(0).close();
      await node(0).close();
      expect((await last).kind).toBe('taken');
      const closed = new Error('the rate limiter is closed');
      expect(await faultOf(() => node(0).take(KEY, LIMITS, NOON))).toEqual(closed);
      expect(await faultOf(() => node(0).peek(KEY, LIMITS, NOON))).toEqual(closed);
    });
  });
}
