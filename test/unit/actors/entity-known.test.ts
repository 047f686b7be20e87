import { describe, expect, test } from 'bun:test';
import { onBoth, scriptedTallies, tallies } from './tally.ts';

const state = (total: number, ...commands: readonly string[]) => ({ total, commands });

describe('a command with the state of the stream at a revision', () => {
  const known = { state: state(4, 'before'), revision: 0 };

  test(
    'is appended at that revision, and returns the state after it',
    onBoth(async (scene) => {
      await scene.elsewhere('before', 4);
      expect(await scene.add('a', 1, { known })).toMatchObject({
        kind: 'accepted',
        state: state(5, 'before', 'a'),
        revision: 1,
      });
      expect((await scene.stored()).map(({ revision }) => revision)).toEqual([0, 1]);
    }),
  );

  test(
    'is decided again on the newest state if another writer appended after that revision',
    onBoth(async (scene) => {
      await scene.elsewhere('before', 4);
      await scene.elsewhere('other', 5);
      expect(await scene.add('a', 2, { known })).toMatchObject({ kind: 'rejected', rejection: { room: 1 } });
      expect(await scene.add('b', 1, { known })).toMatchObject({
        kind: 'accepted',
        state: state(10, 'before', 'other', 'b'),
        revision: 2,
      });
      expect(await scene.stored()).toHaveLength(3);
    }),
  );

  test(
    'that was accepted after that revision adds nothing',
    onBoth(async (scene) => {
      await scene.elsewhere('before', 4);
      await scene.elsewhere('a', 1);
      expect(await scene.add('a', 1, { known })).toMatchObject({ kind: 'accepted', events: [], revision: 1 });
    }),
  );

  test(
    'that would be rejected on it is decided on the stored state',
    onBoth(async (scene) => {
      await scene.elsewhere('before', 4);
      await scene.elsewhere('payback', -4);
      expect(await scene.add('a', 8, { known })).toMatchObject({ kind: 'accepted', state: { total: 8 }, revision: 2 });
    }),
  );

  test(
    'to a stream erased meanwhile is answered as erased',
    onBoth(async (scene) => {
      await scene.elsewhere('before', 4);
      await scene.store.erase('tally-1');
      expect(await scene.add('a', 1, { known })).toStrictEqual({ kind: 'erased' });
    }),
  );

  test('is decided by an actor in memory on its own, newer state', async () => {
    using scene = scriptedTallies();
    await scene.elsewhere('before', 4);
    await scene.add('other', 2);
    scene.script.calls.length = 0;
    expect(await scene.add('a', 1, { known })).toMatchObject({ kind: 'accepted', state: { total: 7 }, revision: 2 });
    expect(scene.script.calls).toEqual(['append tally-1 at 1: 1 events']);
  });

  test('is one append', async () => {
    using scene = scriptedTallies();
    await scene.elsewhere('before', 4);
    await scene.add('a', 1, { known });
    expect(scene.script.calls).toEqual(['append tally-1 at 0: 1 events']);
  });

  test('is stored once if the answer to its append was lost', async () => {
    using scene = scriptedTallies();
    await scene.elsewhere('before', 4);
    scene.script.loseAnswer();
    expect(await scene.add('a', 1, { known })).toMatchObject({ kind: 'accepted', events: [], revision: 1 });
    expect(await scene.stored()).toHaveLength(2);
  });

  test('is decided on the stored state if its append was lost', async () => {
    using scene = scriptedTallies();
    await scene.elsewhere('before', 4);
    scene.script.loseAppend();
    scene.script.beforeAppend(() => scene.elsewhere('other', 5));
    expect(await scene.add('a', 2, { known })).toMatchObject({ kind: 'rejected', rejection: { room: 1 } });
    expect(await scene.stored()).toHaveLength(2);
  });

  test('makes an actor whose own append is answered after it read the stream again', async () => {
    using scene = scriptedTallies(1, true);
    await scene.elsewhere('before', 4);
    const [stored, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    scene.script.beforeAppend(() => stored.promise);
    scene.script.afterAppend(() => {
      stored.resolve();
      return answered.promise;
    });
    const second = scene.add('b', 1, { known: { state: state(5, 'before', 'a'), revision: 1 } });
    const first = scene.add('a', 1);
    expect(await second).toMatchObject({ kind: 'accepted', revision: 2 });
    answered.resolve();
    expect(await first).toMatchObject({ kind: 'accepted', revision: 1 });
    expect(await scene.read()).toMatchObject({ state: state(6, 'before', 'a', 'b'), revision: 2 });
  });

  test(
    'makes an actor that was started during its append read the stream again',
    onBoth(async (scene) => {
      await scene.elsewhere('before', 4);
      const [added] = await Promise.all([scene.add('a', 1, { known }), scene.read()]);
      expect(added).toMatchObject({ kind: 'accepted', revision: 1 });
      expect(await scene.read()).toStrictEqual({ kind: 'state', state: state(5, 'before', 'a'), revision: 1 });
      expect(await scene.add('b', 6)).toMatchObject({ kind: 'rejected', rejection: { room: 5 } });
    }),
  );
});

test('an actor whose read began before a direct append, and ended after it, reads the stream again', async () => {
  using scene = scriptedTallies(1, true);
  await scene.elsewhere('before', 4);
  const reading = Promise.withResolvers<void>();
  scene.script.beforeAppend(() => reading.promise);
  const adding = scene.add('a', 1, { known: { state: state(4, 'before'), revision: 0 } });
  scene.script.afterRead(async () => {
    reading.resolve();
    await adding;
  });
  expect(await scene.read()).toStrictEqual({ kind: 'state', state: state(5, 'before', 'a'), revision: 1 });
});

describe('a command for a new stream, of a kind whose commands share appends,', () => {
  const known = 'no-stream';

  test('spares its actor the first read, and shares the append', async () => {
    using scene = scriptedTallies(10);
    const replies = await Promise.all(['a', 'b', 'c'].map((command) => scene.add(command, 1, { known })));
    expect(replies).toMatchObject([{ revision: 0 }, { revision: 1 }, { revision: 2, state: state(3, 'a', 'b', 'c') }]);
    expect(await scene.add('d', 1)).toMatchObject({ kind: 'accepted', revision: 3 });
    expect(scene.script.calls).toEqual(['append tally-1 at -1: 3 events', 'append tally-1 at 2: 1 events']);
  });

  test('is decided again if the stream exists', async () => {
    using scene = scriptedTallies(10);
    await scene.elsewhere('before', 4);
    expect(await scene.add('a', 1, { known })).toMatchObject({ state: state(5, 'before', 'a'), revision: 1 });
    expect(scene.script.calls).toEqual([
      'append tally-1 at -1: 1 events',
      'read tally-1 from 0',
      'append tally-1 at 0: 1 events',
    ]);
  });

  test(
    'is rejected only after a read',
    onBoth(async (scene) => {
      await scene.elsewhere('payback', -5);
      expect(await scene.add('a', 12, { known })).toMatchObject({ kind: 'accepted', revision: 1 });
      expect(await scene.add('b', 12, { known })).toMatchObject({ kind: 'rejected', rejection: { room: 3 } });
    }, 10),
  );

  test(
    'that was accepted before adds nothing, nor does one after an erasure',
    onBoth(async (scene) => {
      await scene.elsewhere('a', 1);
      expect(await scene.add('a', 1, { known })).toMatchObject({ kind: 'accepted', events: [], revision: 0 });
      using other = tallies(10);
      await other.elsewhere('a', 1);
      await other.store.erase('tally-1');
      expect(await other.add('a', 1, { known })).toStrictEqual({ kind: 'erased' });
    }, 10),
  );

  test('is stored once if the answer to its append was lost', async () => {
    using scene = scriptedTallies(10);
    scene.script.loseAnswer();
    expect(await scene.add('a', 1, { known })).toMatchObject({ kind: 'unavailable', reason: 'fault' });
    scene.script.calls.length = 0;
    expect(await scene.add('a', 1, { known })).toMatchObject({ kind: 'accepted', events: [], revision: 0 });
    expect(scene.script.calls).toEqual(['read tally-1 from 0']);
  });
});
