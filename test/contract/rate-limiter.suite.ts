import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { MINUTE_MS } from '../../src/eventsourcing/durations.ts';
import type { RateLimiter } from '../../src/ports/rate-limiter.ts';
import { NaiveRateLimiter } from './rate-limiter/model.ts';
import { eachInScene, LIMITS, MIDNIGHT, NOON, SEED } from './rate-limiter/scene.ts';
import type { Reopening } from './reopening.ts';

/**
 * The contract of the port RateLimiter.
 *
 * @param open opens an empty rate limiter for one test
 */
export function rateLimiterContract(name: string, open: () => Promise<Reopening<RateLimiter>>): void {
  describe(`the rate limiter contract: ${name}`, () => {
    const scene = eachInScene(open);
    const TO_MIDNIGHT = MIDNIGHT - NOON;
    const spent = (times: number): number[] => Array.from({ length: times }, (_, n) => NOON + n * MINUTE_MS);

    test('an unused key has its full limits', async () => {
      expect(await scene.peek(NOON)).toEqual({
        minute: { limit: 3, used: 0, remaining: 3, resetMs: 0 },
        day: { limit: 8, used: 0, remaining: 8, resetMs: TO_MIDNIGHT },
      });
    });

    test('each take returns what is left, and peek takes nothing', async () => {
      const first = await scene.take(NOON);
      expect(first).toEqual({
        kind: 'taken',
        usage: {
          minute: { limit: 3, used: 1, remaining: 2, resetMs: MINUTE_MS },
          day: { limit: 8, used: 1, remaining: 7, resetMs: TO_MIDNIGHT },
        },
      });
      await scene.take(NOON + 1_000);
      const left = {
        minute: { limit: 3, used: 2, remaining: 1, resetMs: MINUTE_MS - 5_000 },
        day: { limit: 8, used: 2, remaining: 6, resetMs: TO_MIDNIGHT - 5_000 },
      };
      expect(await scene.peek(NOON + 5_000)).toEqual(left);
      expect(await scene.peek(NOON + 5_000)).toEqual(left);
    });

    test('the minute slides: each request expires after 60 s, and not before', async () => {
      expect(await scene.takeAll([NOON, NOON + 20_000, NOON + 59_999])).toEqual(['taken', 'taken', 'taken']);
      const tooEarly = await scene.take(NOON + 59_999);
      expect([tooEarly.kind, 'retryAfterMs' in tooEarly && tooEarly.retryAfterMs]).toEqual(['rate-limited', 1]);
      expect(await scene.takeAll([NOON + 60_000, NOON + 60_000, NOON + 79_999, NOON + 80_000])).toEqual([
        'taken',
        'rate-limited',
        'rate-limited',
        'taken',
      ]);
    });

    test('the day ends at midnight UTC, and not before', async () => {
      expect(new Set(await scene.takeAll(spent(8)))).toEqual(new Set(['taken']));
      const last = MIDNIGHT - 1;
      expect(await scene.take(last)).toEqual({
        kind: 'quota-exceeded',
        usage: {
          minute: { limit: 3, used: 0, remaining: 3, resetMs: 0 },
          day: { limit: 8, used: 8, remaining: 0, resetMs: 1 },
        },
        retryAfterMs: 1,
      });
      expect((await scene.take(MIDNIGHT)).usage.day).toEqual({
        limit: 8,
        used: 1,
        remaining: 7,
        resetMs: 24 * 3_600_000,
      });
    });

    test('the minute continues over midnight', async () => {
      const late = MIDNIGHT - 1_000;
      expect(await scene.takeAll([late, late, late, MIDNIGHT, MIDNIGHT + 58_999, MIDNIGHT + 59_000])).toEqual([
        'taken',
        'taken',
        'taken',
        'rate-limited',
        'rate-limited',
        'taken',
      ]);
    });

    test('a refusal takes nothing, and the minute is checked first', async () => {
      const perMinute = 10;
      const spending = Array.from({ length: 8 }, () => NOON);
      await scene.takeAll(spending, { perMinute, perDay: 8 });
      const before = await scene.peek(NOON, { perMinute, perDay: 8 });
      expect(await scene.takeAll(spending, { perMinute, perDay: 8 })).toEqual(spending.map(() => 'quota-exceeded'));
      expect(await scene.takeAll(spending, { perMinute: 8, perDay: 8 })).toEqual(spending.map(() => 'rate-limited'));
      expect(await scene.takeAll(spending, { perMinute: 8, perDay: 99 })).toEqual(spending.map(() => 'rate-limited'));
      expect(await scene.peek(NOON, { perMinute, perDay: 8 })).toEqual(before);
    });

    test('a request that counts only by minute passes a used-up day, but not a used-up minute', async () => {
      await scene.takeAll(spent(8));
      const at = NOON + 9 * MINUTE_MS;
      const kinds: string[] = [];
      for (let n = 0; n < 4; n++) kinds.push((await scene.take(at, LIMITS, 'minute alone')).kind);
      expect(kinds).toEqual(['taken', 'taken', 'taken', 'rate-limited']);
      const { minute, day } = await scene.peek(at);
      expect([minute.used, day.used]).toEqual([3, 8]);
    });

    test('of many concurrent requests, as many as the limit allows are admitted', async () => {
      const limits = { perMinute: 10, perDay: 100 };
      const takings = await Promise.all(Array.from({ length: 60 }, () => scene.take(NOON, limits)));
      const taken = takings.filter(({ kind }) => kind === 'taken');
      expect(taken.map(({ usage }) => usage.minute.remaining)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
      expect((await scene.peek(NOON, limits)).day.used).toBe(10);
    });

    test('a key in steady use gets exactly its limits', async () => {
      const limits = { perMinute: 70, perDay: 90 };
      const steady = (from: number, times: number): number[] => Array.from({ length: times }, (_, n) => from + n * 100);
      const remainders: number[] = [];
      for (const at of steady(NOON, 70)) remainders.push((await scene.take(at, limits)).usage.minute.remaining);
      expect(remainders).toEqual(Array.from({ length: 70 }, (_, n) => 69 - n));
      expect((await scene.take(NOON + 7_000, limits)).kind).toBe('rate-limited');
      await scene.reopen();
      const { minute, day } = await scene.peek(NOON + 7_000, limits);
      expect([minute.used, day.used, minute.resetMs]).toEqual([70, 70, MINUTE_MS - 7_000]);
      const later = await scene.takeAll(steady(NOON + 2 * MINUTE_MS, 21), limits);
      expect(later).toEqual([...Array.from({ length: 20 }, () => 'taken'), 'quota-exceeded']);
    });

    test('each key has its own limits', async () => {
      const others = Array.from({ length: 20 }, (_, n) => `key_other_${n}`);
      await Promise.all(others.map((key) => scene.limiter.take(key, LIMITS, NOON)));
      expect((await scene.peek(NOON)).minute.used).toBe(0);
      for (const key of others) expect((await scene.limiter.peek(key, LIMITS, NOON)).minute.used).toBe(1);
    });

    test('requests stay counted when the plan changes', async () => {
      await scene.takeAll([NOON, NOON + 1, NOON + 2], { perMinute: 5, perDay: 8 });
      const smaller = { perMinute: 1, perDay: 2 };
      const at = NOON + 10;
      expect(await scene.take(at, smaller)).toEqual({
        kind: 'rate-limited',
        usage: {
          minute: { limit: 1, used: 3, remaining: 0, resetMs: MINUTE_MS - 8 },
          day: { limit: 2, used: 3, remaining: 0, resetMs: TO_MIDNIGHT - 10 },
        },
        retryAfterMs: MINUTE_MS - 8,
      });
      expect((await scene.take(at, { perMinute: 4, perDay: 4 })).kind).toBe('taken');
    });

    test('every answered request is counted after the limiter is reopened', async () => {
      await scene.takeAll([NOON, NOON + 30_000]);
      const before = await scene.peek(NOON + 40_000);
      await scene.reopen();
      expect(await scene.peek(NOON + 40_000)).toEqual(before);
      expect(await scene.takeAll([NOON + 40_000, NOON + 59_999])).toEqual(['taken', 'rate-limited']);
      await scene.reopen();
      expect(await scene.takeAll([NOON + 59_999, NOON + 60_000])).toEqual(['rate-limited', 'taken']);
    });

    test.each([false, true])(
      'a clock that is set back neither frees a place nor bars one for long (reopened: %p)',
      async (reopened) => {
        await scene.takeAll([NOON, NOON, NOON]);
        if (reopened) await scene.reopen();
        const back = NOON - 3_600_000;
        expect(await scene.takeAll([back, back + 59_999, back + 60_000])).toEqual([
          'rate-limited',
          'rate-limited',
          'taken',
        ]);
      },
    );

    test('a clock that is set back over midnight keeps the counts of both days', async () => {
      const before = MIDNIGHT - 2 * MINUTE_MS;
      const limits = { perMinute: 10, perDay: 2 };
      const instants = [before, before, MIDNIGHT, before, MIDNIGHT, MIDNIGHT];
      expect(await scene.takeAll(instants, limits)).toEqual([
        'taken',
        'taken',
        'taken',
        'quota-exceeded',
        'taken',
        'quota-exceeded',
      ]);
    });

    const STEP = fc.record({
      passes: fc.oneof(
        fc.constantFrom(0, 0, 1, 59_999, 60_000, 60_001, 'to the last instant of the day', 'to midnight'),
        fc.integer({ min: 0, max: 25_000 }),
      ),
      key: fc.constantFrom('key_a', 'key_b'),
      limits: fc.constantFrom({ perMinute: 3, perDay: 7 }, { perMinute: 3, perDay: 7 }, { perMinute: 2, perDay: 20 }),
      counting: fc.constantFrom('minute and day', 'minute and day', 'minute alone'),
      reopens: fc.nat({ max: 7 }).map((drawn) => drawn === 7),
    });

    test(`gives the same answers as a model that counts every request (seed ${SEED})`, async () => {
      const one = fc.asyncProperty(fc.array(STEP, { maxLength: 60 }), async (steps) => {
        const opened = await open();
        let limiter = opened.store;
        const models = { key_a: new NaiveRateLimiter(), key_b: new NaiveRateLimiter() };
        let nowMs = NOON;
        try {
          for (const { passes, key, limits, counting, reopens } of steps) {
            const midnight = (Math.floor(nowMs / 86_400_000) + 1) * 86_400_000;
            if (typeof passes === 'number') nowMs += passes;
            else nowMs = passes === 'to midnight' ? midnight : midnight - 1;
            if (reopens) limiter = await opened.reopen();
            const model = models[key];
            const expected = { kind: model.take(limits, nowMs, counting), usage: model.usage(limits, nowMs) };
            const { kind, usage } = await limiter.take(key, limits, nowMs, counting);
            expect({ kind, usage }).toEqual(expected);
            expect(await limiter.peek(key, limits, nowMs)).toEqual(usage);
          }
        } finally {
          await opened.close();
        }
        for (const model of Object.values(models)) {
          expect(model.most().inMinute).toBeLessThanOrEqual(3);
          expect(model.most().onDay).toBeLessThanOrEqual(20);
        }
      });
      await fc.assert(one, { seed: SEED, numRuns: 60 });
    });
  });
}
