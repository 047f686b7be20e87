import { describe, expect, test } from 'bun:test';
import { unavailable } from '../../../src/actors/actor.ts';
import { onBoth, scriptedTallies } from './tally.ts';

const state = (total: number, ...commands: readonly string[]) => ({ total, commands });

describe('a command for a stream that should not exist', () => {
  test('is appended without a read before it', async () => {
    using scene = scriptedTallies();
    expect(await scene.add('a', 1, { known: 'no-stream' })).toMatchObject({
      kind: 'accepted',
      state: state(1, 'a'),
      revision: 0,
    });
    expect(scene.script.calls).toEqual(['append tally-1 at -1: 1 events']);
  });

  test(
    'conflicts if the stream exists, and is decided again on its state',
    onBoth(async (scene) => {
      await scene.elsewhere('before', 4);
      expect(await scene.add('a', 1, { known: 'no-stream' })).toMatchObject({
        kind: 'accepted',
        state: state(5, 'before', 'a'),
        revision: 1,
      });
    }),
  );

  test(
    'that was accepted before adds nothing',
    onBoth(async (scene) => {
      await scene.elsewhere('a', 1);
      expect(await scene.add('a', 1, { known: 'no-stream' })).toMatchObject({
        kind: 'accepted',
        events: [],
        revision: 0,
      });
    }),
  );

  test(
    'that the initial state would reject is decided on the stored state',
    onBoth(async (scene) => {
      await scene.elsewhere('payback', -5);
      expect(await scene.add('a', 12, { known: 'no-stream' })).toMatchObject({ kind: 'accepted', revision: 1 });
    }),
  );

  test(
    'that is rejected leaves the stored state in the cache',
    onBoth(async (scene) => {
      await scene.elsewhere('before', 4);
      expect(await scene.add('a', 12, { known: 'no-stream' })).toMatchObject({
        kind: 'rejected',
        state: state(4, 'before'),
      });
      expect(await scene.read()).toStrictEqual({ kind: 'state', state: state(4, 'before'), revision: 0 });
    }),
  );

  test(
    'to an erased stream is answered as erased',
    onBoth(async (scene) => {
      await scene.store.erase('tally-1');
      expect(await scene.add('a', 1, { known: 'no-stream' })).toStrictEqual({ kind: 'erased' });
    }),
  );

  test(
    'is visible to reads after it, also if a read runs concurrently',
    onBoth(async (scene) => {
      await Promise.all([scene.add('a', 1, { known: 'no-stream' }), scene.read()]);
      expect(await scene.read()).toStrictEqual({ kind: 'state', state: state(1, 'a'), revision: 0 });
    }),
  );

  test(
    'and concurrent commands without a known state each append once',
    onBoth(async (scene) => {
      await scene.elsewhere('before', 4);
      const replies = await Promise.all([
        scene.add('a', 1, { known: 'no-stream' }),
        scene.add('b', 2),
        scene.add('c', 1, { known: 'no-stream' }),
      ]);
      expect(replies.map((reply) => reply.kind)).toEqual(['accepted', 'accepted', 'accepted']);
      const revisions = replies.map((reply) => ('revision' in reply ? reply.revision : -1));
      expect(new Set(revisions)).toEqual(new Set([1, 2, 3]));
      expect(await scene.read()).toMatchObject({ kind: 'state', state: { total: 8 }, revision: 3 });
    }),
  );
});

test('an actor that reads the stream while a command for a new stream is appended misses no event', async () => {
  using scene = scriptedTallies();
  const [stored, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [reading, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  scene.script.afterAppend(() => {
    stored.resolve();
    return answered.promise;
  });
  const first = scene.add('a', 1, { known: 'no-stream' });
  await stored.promise;
  const seen = { kind: 'state', state: state(1, 'a'), revision: 0 } as const;
  expect(await scene.read()).toStrictEqual(seen);
  scene.script.afterRead(() => {
    reading.resolve();
    return read.promise;
  });
  const again = scene.read();
  await reading.promise;
  answered.resolve();
  expect(await first).toMatchObject({ kind: 'accepted', revision: 0 });
  read.resolve();
  expect(await again).toStrictEqual(seen);
});

describe('a command for a new stream whose append got no answer', () => {
  test('is decided again only after reading the stream', async () => {
    using scene = scriptedTallies();
    scene.script.loseAppend();
    await scene.add('a', 1, { known: 'no-stream' });
    await scene.add('a', 1, { known: 'no-stream' });
    expect(scene.script.calls.slice(0, 2)).toEqual(['append tally-1 at -1: 1 events', 'read tally-1 from 0']);
    expect((await scene.stored()).map(({ data }) => data)).toEqual([{ command: 'a', amount: 1 }]);
  });

  test('is not stored twice if the append succeeded', async () => {
    using scene = scriptedTallies();
    scene.script.loseAnswer();
    await scene.add('a', 1, { known: 'no-stream' });
    expect(await scene.add('a', 1, { known: 'no-stream' })).toMatchObject({
      kind: 'accepted',
      events: [],
      revision: 0,
    });
    expect(await scene.stored()).toHaveLength(1);
  });
});

describe('a command for a new stream, like any other,', () => {
  test('is not handled at its deadline', async () => {
    using scene = scriptedTallies();
    scene.clock.advance(60_000);
    expect(await scene.add('a', 1, { known: 'no-stream' })).toStrictEqual(
      unavailable('deadline', { call: 'first command to tally-1', deadline: { name: 'ask', ms: 0 }, tookMs: 0 }),
    );
    expect(scene.script.calls).toEqual([]);
  });

  test('is answered at the sweep after its deadline, though the store never answers', async () => {
    using scene = scriptedTallies();
    const started = Promise.withResolvers<void>();
    scene.script.beforeAppend(() => {
      started.resolve();
      return new Promise<never>(() => {});
    });
    const reply = scene.add('a', 1, { known: 'no-stream' });
    await started.promise;
    scene.clock.advance(60_000);
    expect(await reply).toStrictEqual(
      unavailable('deadline', {
        call: 'first command to tally-1',
        deadline: { name: 'ask', ms: 60_000 },
        tookMs: 60_000,
      }),
    );
  });

  test('is refused once the system drains', async () => {
    using scene = scriptedTallies();
    await scene.system.drain();
    expect(await scene.add('a', 1, { known: 'no-stream' })).toStrictEqual(
      unavailable('stopping', { call: 'first command to tally-1' }),
    );
    expect(scene.script.calls).toEqual([]);
  });

  test('accepted before the drain is awaited by it', async () => {
    using scene = scriptedTallies();
    const [started, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    scene.script.beforeAppend(() => {
      started.resolve();
      return held.promise;
    });
    const happened: string[] = [];
    const reply = scene.add('a', 1, { known: 'no-stream' }).then(() => happened.push('answered'));
    await started.promise;
    const drained = scene.system.drain().then(() => happened.push('drained'));
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(happened).toEqual([]);
    held.resolve();
    await Promise.all([reply, drained]);
    expect(happened).toEqual(['answered', 'drained']);
  });
});
