import { describe, expect, test } from 'bun:test';
import { onBoth, scriptedTallies } from './tally.ts';

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
