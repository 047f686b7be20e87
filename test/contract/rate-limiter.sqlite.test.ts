import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openRateLimiter } from '../../src/adapters/sqlite/rate-limiter.ts';
import type { RateLimiter } from '../../src/ports/rate-limiter.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { KEY, LIMITS, MIDNIGHT, NOON } from './rate-limiter/scene.ts';
import { rateLimiterContract } from './rate-limiter.suite.ts';
import { reopening } from './reopening.ts';

rateLimiterContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  const open = () => openRateLimiter(directory.file('usage.db'));
  return reopening(open(), open, () => directory.remove());
});

describe('the embedded rate limiter', () => {
  let directory: TemporaryDirectory;
  let limiter: RateLimiter;
  /** A connection of another tool. */
  let foreign: Database;

  beforeEach(() => {
    directory = temporaryDirectory();
    limiter = openRateLimiter(directory.file('usage.db'));
    foreign = new Database(directory.file('usage.db'));
  });
  afterEach(async () => {
    foreign.close();
    await limiter.close();
    directory.remove();
  });

  const keys = (): unknown[] => foreign.query('SELECT key FROM usage ORDER BY key').values().flat();
  const kindOf = (taking: Promise<{ readonly kind: string }>): Promise<string> =>
    taking.then(
      ({ kind }) => kind,
      (fault: unknown) => String(fault),
    );

  test('writes a request before it answers', async () => {
    await limiter.take(KEY, LIMITS, NOON);
    expect(keys()).toEqual([KEY]);
  });

  test('writes nothing for a peek or a refusal', async () => {
    await limiter.peek('key_looked_at', LIMITS, NOON);
    const none = { perMinute: 0, perDay: 0 };
    expect((await limiter.take('key_refused', none, NOON)).kind).toBe('rate-limited');
    expect(keys()).toEqual([]);
  });

  test('counts nothing when the write fails, and continues when it succeeds', async () => {
    await limiter.take(KEY, LIMITS, NOON);
    foreign.run('ALTER TABLE usage RENAME TO elsewhere');
    const failed = await Promise.all([
      kindOf(limiter.take(KEY, LIMITS, NOON)),
      kindOf(limiter.take(KEY, LIMITS, NOON)),
    ]);
    expect(failed).toEqual(['SQLiteError: no such table: usage', 'SQLiteError: no such table: usage']);
    foreign.run('ALTER TABLE elsewhere RENAME TO usage');
    expect((await limiter.peek(KEY, LIMITS, NOON)).day.used).toBe(1);
    expect((await limiter.take(KEY, LIMITS, NOON)).usage.minute.remaining).toBe(1);
  });

  test('deletes the rows of keys that were not used since the day before yesterday', async () => {
    await limiter.take('key_long_ago', LIMITS, NOON);
    await limiter.take('key_yesterday', LIMITS, MIDNIGHT);
    await limiter.take('key_today', LIMITS, MIDNIGHT + 86_400_000);
    expect(keys()).toEqual(['key_today', 'key_yesterday']);
  });

  test('counts more keys than it caches, also while some are being written', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `key_${n}`);
    await Promise.all(many.map((key) => limiter.take(key, LIMITS, NOON)));
    const keysOfOneTurn = ['key_0', 'key_one_too_many', 'key_0'];
    const turn = await Promise.all(keysOfOneTurn.map((key) => limiter.take(key, LIMITS, NOON)));
    expect(turn.map(({ usage }) => usage.minute.used)).toEqual([2, 1, 3]);
    await limiter.take('key_that_makes_room', LIMITS, NOON);
    const left = await Promise.all(many.map((key) => limiter.peek(key, LIMITS, NOON)));
    expect(left.map(({ minute }) => minute.used)).toEqual(many.map((key) => (key === 'key_0' ? 3 : 1)));
  });

  test('refuses every call after close; close may be repeated', async () => {
    const written = limiter.take(KEY, LIMITS, NOON);
    await limiter.close();
    await limiter.close();
    expect((await written).kind).toBe('taken');
    const closed = 'Error: the rate limiter is closed';
    expect(await kindOf(limiter.take(KEY, LIMITS, NOON))).toBe(closed);
    expect(await kindOf(limiter.peek(KEY, LIMITS, NOON).then(() => ({ kind: 'answered' })))).toBe(closed);
    expect(keys()).toEqual([KEY]);
  });
});

test('a process killed right after an answer has stored every answered request', async () => {
  using directory = temporaryDirectory();
  const program = join(import.meta.dir, 'rate-limiter', 'other-process.ts');
  const child = Bun.spawn([process.execPath, program, directory.file('usage.db')], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let said = '';
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    said += decoder.decode(chunk, { stream: true });
    // After twenty answers. The output is read to its end, up to the arrival of the signal.
    if (said.includes('\n20\n')) child.kill('SIGKILL');
  }
  await child.exited;
  const answered = Number(said.trimEnd().split('\n').at(-1));
  expect(answered).toBeGreaterThanOrEqual(20);
  const limiter = openRateLimiter(directory.file('usage.db'));
  const { minute, day } = await limiter.peek(KEY, { perMinute: 1e6, perDay: 1e6 }, NOON);
  await limiter.close();
  expect(day.used).toBeGreaterThanOrEqual(answered);
  expect(minute.used).toBe(day.used);
});
