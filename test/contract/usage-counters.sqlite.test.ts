import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { openUsageCounters } from '../../src/adapters/sqlite/usage-counters.ts';
import type { UsageCounters } from '../../src/ports/usage-counters.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { KEY, LIMITS, MIDNIGHT, NOON } from './usage-counters/scene.ts';
import { usageCountersContract } from './usage-counters.suite.ts';

usageCountersContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  let counters = openUsageCounters(directory.file('usage.db'));
  return {
    counters,
    async reopen() {
      await counters.close();
      counters = openUsageCounters(directory.file('usage.db'));
      return counters;
    },
    async close() {
      await counters.close();
      directory.remove();
    },
  };
});

describe('the embedded usage counters', () => {
  let directory: TemporaryDirectory;
  let counters: UsageCounters;
  /** As another tool opens it. */
  let foreign: Database;

  beforeEach(() => {
    directory = temporaryDirectory();
    counters = openUsageCounters(directory.file('usage.db'));
    foreign = new Database(directory.file('usage.db'));
  });
  afterEach(async () => {
    foreign.close();
    await counters.close();
    directory.remove();
  });

  const keys = (): unknown[] => foreign.query('SELECT key FROM usage ORDER BY key').values().flat();
  const kindOf = (taking: Promise<{ readonly kind: string }>): Promise<string> =>
    taking.then(
      ({ kind }) => kind,
      (fault: unknown) => String(fault),
    );

  test('write a request before it is answered', async () => {
    await counters.take(KEY, LIMITS, NOON);
    expect(keys()).toEqual([KEY]);
  });

  test('write nothing for a look, and nothing for a refusal', async () => {
    await counters.peek('key_looked_at', LIMITS, NOON);
    const none = { perMinute: 0, perDay: 0 };
    expect((await counters.take('key_refused', none, NOON)).kind).toBe('rate-limited');
    expect(keys()).toEqual([]);
  });

  test('have taken nothing where it could not be written, and go on when it can', async () => {
    await counters.take(KEY, LIMITS, NOON);
    foreign.run('ALTER TABLE usage RENAME TO elsewhere');
    const failed = await Promise.all([
      kindOf(counters.take(KEY, LIMITS, NOON)),
      kindOf(counters.take(KEY, LIMITS, NOON)),
    ]);
    expect(failed).toEqual(['SQLiteError: no such table: usage', 'SQLiteError: no such table: usage']);
    foreign.run('ALTER TABLE elsewhere RENAME TO usage');
    expect((await counters.peek(KEY, LIMITS, NOON)).day.used).toBe(1);
    expect((await counters.take(KEY, LIMITS, NOON)).usage.minute.remaining).toBe(1);
  });

  test('delete the rows of keys that were not used since the day before yesterday', async () => {
    await counters.take('key_long_ago', LIMITS, NOON);
    await counters.take('key_yesterday', LIMITS, MIDNIGHT);
    await counters.take('key_today', LIMITS, MIDNIGHT + 86_400_000);
    expect(keys()).toEqual(['key_today', 'key_yesterday']);
  });

  test('know more keys than they keep in memory, those too that are being written when room is made', async () => {
    const many = Array.from({ length: 10_000 }, (_, n) => `key_${n}`);
    await Promise.all(many.map((key) => counters.take(key, LIMITS, NOON)));
    const keysOfOneTurn = ['key_0', 'key_one_too_many', 'key_0'];
    const turn = await Promise.all(keysOfOneTurn.map((key) => counters.take(key, LIMITS, NOON)));
    expect(turn.map(({ usage }) => usage.minute.used)).toEqual([2, 1, 3]);
    await counters.take('key_that_makes_room', LIMITS, NOON);
    const left = await Promise.all(many.map((key) => counters.peek(key, LIMITS, NOON)));
    expect(left.map(({ minute }) => minute.used)).toEqual(many.map((key) => (key === 'key_0' ? 3 : 1)));
  });

  test('refuse everything once they are closed, and may be closed again', async () => {
    const written = counters.take(KEY, LIMITS, NOON);
    await counters.close();
    await counters.close();
    expect((await written).kind).toBe('taken');
    const closed = 'Error: the usage counters are closed';
    expect(await kindOf(counters.take(KEY, LIMITS, NOON))).toBe(closed);
    expect(await kindOf(counters.peek(KEY, LIMITS, NOON).then(() => ({ kind: 'answered' })))).toBe(closed);
    expect(keys()).toEqual([KEY]);
  });
});

test('a process that is killed right after an answer has forgotten no request that it answered', async () => {
  using directory = temporaryDirectory();
  const program = join(import.meta.dir, 'usage-counters', 'other-process.ts');
  const child = Bun.spawn([process.execPath, program, directory.file('usage.db')], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  let said = '';
  const decoder = new TextDecoder();
  for await (const chunk of child.stdout) {
    said += decoder.decode(chunk, { stream: true });
    // Once the first twenty are answered; what it says until the signal arrives is read to its end.
    if (said.includes('\n20\n')) child.kill('SIGKILL');
  }
  await child.exited;
  const answered = Number(said.trimEnd().split('\n').at(-1));
  expect(answered).toBeGreaterThanOrEqual(20);
  const counters = openUsageCounters(directory.file('usage.db'));
  const { minute, day } = await counters.peek(KEY, { perMinute: 1e6, perDay: 1e6 }, NOON);
  await counters.close();
  expect(day.used).toBeGreaterThanOrEqual(answered);
  expect(minute.used).toBe(day.used);
});
