import { describe, expect, test } from 'bun:test';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import { Tail } from '../../../src/runtime/tail.ts';
import { seededRandom } from '../../chaos/kill/random.ts';
import { type Reader, SHARED, scene, turns } from './follower-scene.ts';

/** FOLLOWER_SEED in the environment repeats a run. */
const SEED = Number(process.env['FOLLOWER_SEED'] ?? 20_261_123);
const CATEGORIES = ['a', 'b', 'c', 'd'] as const;

describe('readers that have caught up', () => {
  test('share one subscription to their categories, and each event is decoded once', async () => {
    await using at = scene();
    const readers = Array.from({ length: 25 }, (_, n) => at.read(n % 2 === 0 ? ['a', 'b'] : ['b', 'c']));
    await at.joined();
    at.decoded.length = 0;
    const position = await at.append('a', 'b', 'c', 'd', 'b');
    for (const { progress } of readers) await progress.reached(position);
    expect(at.store.subscribers).toEqual([SHARED]);
    expect(at.store.calls.findLast((call) => call.startsWith('subscribe'))).toBe(`subscribe ${SHARED} to a b c`);
    expect(at.decoded.toSorted()).toEqual(at.idsOf(['a', 'b', 'c']).toSorted());
    for (const [n, { applied }] of readers.entries())
      expect(applied).toEqual(at.idsOf(n % 2 === 0 ? ['a', 'b'] : ['b', 'c']));
  });

  test('are not woken for events of other categories, and their position still passes them', async () => {
    await using at = scene();
    const [quiet, busy] = [at.read(['a']), at.read(['b'])];
    await at.joined();
    await quiet.progress.reached(await at.append('a'));
    const before = quiet.batches.length;
    const position = await at.append('b', 'b', 'b');
    expect(await quiet.progress.reached(position, 10_000)).toBe(true);
    expect(await at.follower.waitFor(position, 10_000)).toBe(true);
    expect(await busy.progress.reached(position, 10_000)).toBe(true);
    expect(quiet.batches).toHaveLength(before);
    expect(quiet.progress.position).toBe(at.follower.position());
  });

  test('have a position before an event that they have not applied', async () => {
    await using at = scene();
    const reader = at.read(['a']);
    at.read(['b']);
    const before = await at.append('b');
    await at.joined();
    await reader.progress.reached(before);
    const held = Promise.withResolvers<void>();
    reader.waitsFor = held.promise;
    const [position, after] = [await at.append('a'), await at.append('b', 'b')];
    await at.follower.waitFor(after);
    expect(reader.progress.position < position).toBe(true);
    expect(await reader.progress.reached(position, 1)).toBe(false);
    held.resolve();
    expect(await reader.progress.reached(after, 10_000)).toBe(true);
  });

  test('pass a position that a read of their present categories has reached', async () => {
    await using at = scene();
    const reader = at.read(['a']);
    const before = await at.append('a');
    await reader.progress.reached(before);
    await at.joined();
    const categories = at.follower.categories();
    const position = (before + 7) as Position;
    at.follower.passed(position, [...categories]);
    expect(at.follower.position()).toBe(before);
    at.follower.passed(position, categories);
    at.follower.passed(before, categories);
    expect(at.follower.position()).toBe(position);
    expect(await reader.progress.reached(position, 10_000)).toBe(true);
  });

  test('have other categories once a reader asks for another one', async () => {
    await using at = scene();
    at.read(['a']);
    await at.joined();
    const categories = at.follower.categories();
    at.read(['a']);
    await at.joined();
    expect(at.follower.categories()).toBe(categories);
    at.read(['a', 'b']);
    await at.joined();
    expect(at.follower.categories()).not.toBe(categories);
    expect(at.follower.categories()).toEqual(['a', 'b']);
  });

  test('store a later position without events at intervals, if they want to', async () => {
    await using at = scene();
    const reader = at.read(['a'], { quietMs: 1 });
    at.read(['b']);
    await at.joined();
    const position = await at.append('b');
    while (reader.batches.at(-1)?.upTo !== position) await new Promise(setImmediate);
    expect(reader.batches.at(-1)).toMatchObject({ events: [], upTo: position, caughtUp: true });
  });
});

describe('a slow reader', () => {
  test('delays no other, reads by itself once the tail has dropped its events, and joins again', async () => {
    await using at = scene(new Tail({ maxEvents: 8 }));
    const [slow, fast] = [at.read(['a']), at.read(['a', 'b'])];
    await at.joined();
    const held = Promise.withResolvers<void>();
    slow.waitsFor = held.promise;
    let position = START;
    for (let n = 0; n < 30; n++) {
      position = await at.append('a', 'b');
      await fast.progress.reached(position);
    }
    expect(slow.applied).toEqual([]);
    held.resolve();
    await slow.progress.reached(position);
    await at.joined();
    expect(slow.applied).toEqual(at.idsOf(['a']));
    expect(fast.applied).toEqual(at.idsOf(['a', 'b']));
    expect(at.store.calls.filter((call) => call === 'subscribe reader 0 to a')).toHaveLength(2);
    expect(at.store.calls.filter((call) => call === 'subscribe reader 1 to a b')).toHaveLength(1);
  });

  test('does not make the tail grow', async () => {
    const tail = new Tail({ maxEvents: 100, maxBytes: 20_000 });
    await using at = scene(tail);
    const slow = at.read(['a']);
    await at.joined();
    const held = Promise.withResolvers<void>();
    slow.waitsFor = held.promise;
    for (let n = 0; n < 50; n++) {
      const position = await at.append('a', 'a', 'a');
      await at.follower.waitFor(position);
      expect(tail.size.events).toBeLessThanOrEqual(100);
      expect(tail.size.bytes).toBeLessThanOrEqual(20_000);
    }
    // 100 characters of text and the envelope, so fewer than 50 fit.
    expect(tail.size.events).toBeLessThan(50);
    expect(tail.size.events).toBeGreaterThan(10);
    held.resolve();
  });
});

describe('a category that no reader had so far', () => {
  test('is added to the subscription without a gap or a repetition for any reader', async () => {
    await using at = scene();
    const first = at.read(['a']);
    await at.append('a', 'b');
    await at.joined();
    const appending = at.append(...Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? 'a' : 'b')));
    const second = at.read(['b']);
    const position = await appending;
    await Promise.all([first.progress.reached(position), second.progress.reached(position)]);
    await at.joined();
    const last = await at.append('a', 'b');
    await Promise.all([first.progress.reached(last), second.progress.reached(last)]);
    expect(first.applied).toEqual(at.idsOf(['a']));
    expect(second.applied).toEqual(at.idsOf(['b']));
    expect(at.store.calls.findLast((call) => call.startsWith('subscribe'))).toBe(`subscribe ${SHARED} to a b`);
  });

  test('is complete only after the follower’s position: a reader that is not that far reads by itself once more', async () => {
    await using at = scene();
    const first = at.read(['a']);
    await at.joined();
    const [second, held] = [at.read(['b']), Promise.withResolvers<void>()];
    second.waitsFor = held.promise;
    await turns(5);
    const position = await at.append('b', 'a');
    await first.progress.reached(position);
    held.resolve();
    await second.progress.reached(position);
    expect(second.applied).toEqual(at.idsOf(['b']));
  });

  test('is not skipped by a batch that the narrower subscription has read already', async () => {
    await using at = scene();
    const first = at.read(['a']);
    await at.joined();
    const [second, held, read] = [at.read(['b']), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    second.waitsFor = held.promise;
    await turns(5);
    at.store.beforeBatch = read.promise;
    const { batches } = at.store;
    const position = await at.append('b', 'a');
    while (at.store.batches === batches) await turns(1);
    held.resolve();
    await turns(5);
    read.resolve();
    await Promise.all([first, second].map(({ progress }) => progress.reached(position)));
    expect([first.applied, second.applied]).toEqual([at.idsOf(['a']), at.idsOf(['b'])]);
  });
});

describe('the shared subscription', () => {
  test('is opened again after a fault, once for all readers, which is logged and listed', async () => {
    await using at = scene();
    const readers = [at.read(['a']), at.read(['b']), at.read(['a', 'b'])];
    await at.append('a', 'b');
    await at.joined();
    const before = at.store.calls.length;
    at.store.breakSubscriptions(new Error('connection lost'));
    while (at.unknownEvents.stoppedReaders().size === 0) await new Promise(setImmediate);
    expect([...at.unknownEvents.stoppedReaders()]).toEqual([[SHARED, 'connection lost']]);
    const position = await at.append('a', 'b');
    for (const { progress } of readers) await progress.reached(position);
    expect(at.store.calls.slice(before).filter((call) => call.startsWith('subscribe'))).toEqual([
      `subscribe ${SHARED} to a b`,
    ]);
    expect(readers.map(({ applied }) => applied)).toEqual([['a'], ['b'], ['a', 'b']].map(at.idsOf));
    expect(at.unknownEvents.stoppedReaders().size).toBe(0);
    expect(at.log.lines.map(({ happening }) => happening)).toEqual([
      'reader of the log stopped by a fault',
      'reader of the log works again',
    ]);
  });

  test('that died without a fault is replaced by `reopen`, at once', async () => {
    await using at = scene();
    const reader = at.read(['a']);
    await at.append('a');
    await at.joined();
    at.store.silenceSubscriptions();
    const position = await at.append('a');
    expect(await at.follower.waitFor(position, 5)).toBe(false);
    at.follower.reopen();
    expect(await reader.progress.reached(position, 10_000)).toBe(true);
    expect(at.store.subscribers).toEqual([SHARED]);
    expect(reader.applied).toEqual(at.idsOf(['a']));
  });
});

describe('an event that a reader cannot apply', () => {
  test('is named in the log, once, after the reader has applied those before it; no other reader waits', async () => {
    await using at = scene();
    const [reader, other] = [at.read(['a']), at.read(['a'])];
    await at.joined();
    const held = Promise.withResolvers<void>();
    reader.waitsFor = held.promise;
    const position = await at.append('a', 'a', 'a', 'a');
    const damaged = at.idsOf(['a'])[2];
    let refusing = true;
    reader.check = ({ events }) => {
      if (refusing && events.some(({ id }) => id === damaged)) throw new TypeError('no such field');
    };
    held.resolve();
    while (at.log.lines.length === 0) await new Promise(setImmediate);
    expect(reader.applied).toEqual(at.idsOf(['a']).slice(0, 2));
    expect(await other.progress.reached(position, 10_000)).toBe(true);
    refusing = false;
    expect(await reader.progress.reached(position, 10_000)).toBe(true);
    expect(reader.applied).toEqual(at.idsOf(['a']));
    expect(at.log.lines).toMatchObject([
      {
        happening: 'reader of the log stopped by a fault',
        facts: { reader: 'reader 0', event: { stream: 'a-2', revision: 0, type: 'Happened' } },
      },
      { happening: 'reader of the log works again', facts: { reader: 'reader 0' } },
    ]);
  });
});

describe('a reader with an end', () => {
  test('applies nothing after it, and never joins', async () => {
    await using at = scene();
    const until = await at.append('a', 'b', 'a');
    await at.append('a', 'a');
    const reader = at.read(['a'], { until });
    await reader.ended;
    expect(reader.applied).toEqual(at.idsOf(['a']).slice(0, 2));
    expect(reader.progress.position).toBe(until);
    expect(at.store.calls.filter((call) => call.startsWith('subscribe'))).toEqual(['subscribe reader 0 to a']);
  });
});

describe('in random interleavings of appends, readers, pauses and reopened subscriptions', () => {
  test.each(Array.from({ length: 6 }, (_, index) => SEED + index))(
    'each reader applies its events once and in order: seed %i',
    async (seed) => {
      await using at = scene(new Tail({ maxEvents: 12 }));
      const random = seededRandom(seed);
      const readers: { readonly reader: Reader; readonly categories: readonly string[] }[] = [];
      let position = START;
      for (let step = 0; step < 150; step++) {
        const chance = random.whole(1, 20);
        const some = readers[random.whole(0, 11)]?.reader;
        if (chance <= 10) position = await at.append(random.pick(CATEGORIES), random.pick(CATEGORIES));
        else if (chance <= 12 && readers.length < 12) {
          const categories = [random.pick(CATEGORIES), ...CATEGORIES.filter(() => random.percent(30))];
          const pace = { maxBatch: random.whole(1, 5), lingerMs: random.whole(0, 2) };
          readers.push({ categories, reader: at.read([...new Set(categories)], pace) });
        } else if (chance <= 16 && some !== undefined) some.waitsFor = turns(random.whole(0, 30));
        else if (chance === 17) at.follower.reopen();
        else await turns(chance);
      }
      for (const { reader } of readers) expect(await reader.progress.reached(position, 20_000)).toBe(true);
      await at.joined();
      for (const { reader, categories } of readers) expect(reader.applied).toEqual(at.idsOf(categories));
      expect(readers.length).toBeGreaterThan(3);
    },
  );
});
