import { describe, expect, test } from 'bun:test';
import { type Unavailable, unavailable } from '../../../src/actors/actor.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { scriptedTallies, tallies } from './tally.ts';

const state = (total: number, ...commands: readonly string[]) => ({ total, commands });

describe('a conflict with another writer', () => {
  test('is resolved by reading the missed events and deciding again', async () => {
    using scene = scriptedTallies();
    await scene.add('a', 1);
    scene.script.calls.length = 0;
    scene.script.beforeAppend(() => scene.elsewhere('other', 5));
    expect(await scene.add('b', 2)).toMatchObject({
      kind: 'accepted',
      state: state(8, 'a', 'other', 'b'),
      revision: 2,
    });
    expect(scene.script.calls).toEqual([
      'append tally-1 at 0: 1 events',
      'read tally-1 from 1',
      'append tally-1 at 1: 1 events',
    ]);
  });

  test('may turn an acceptance into a rejection', async () => {
    using scene = scriptedTallies();
    scene.script.beforeAppend(() => scene.elsewhere('other', 9));
    expect(await scene.add('a', 2)).toStrictEqual({
      kind: 'rejected',
      rejection: { code: 'TOO_MUCH', room: 1 },
      state: state(9, 'other'),
      revision: 0,
    });
    expect(await scene.stored()).toHaveLength(1);
  });

  test('adds nothing where another node accepted the same command', async () => {
    using scene = scriptedTallies();
    scene.script.beforeAppend(() => scene.elsewhere('a', 2));
    expect(await scene.add('a', 2)).toStrictEqual({
      kind: 'accepted',
      events: [],
      state: state(2, 'a'),
      revision: 0,
      position: null,
    });
    expect(await scene.stored()).toHaveLength(1);
  });

  test('decides a whole batch again', async () => {
    using scene = scriptedTallies(10);
    scene.script.beforeAppend(() => scene.elsewhere('other', 8));
    const replies = await Promise.all([scene.add('a', 1), scene.add('b', 2), scene.add('c', 1)]);
    expect(replies).toMatchObject([
      { kind: 'accepted', state: state(9, 'other', 'a'), revision: 1 },
      { kind: 'rejected', rejection: { code: 'TOO_MUCH', room: 1 }, state: state(9, 'other', 'a') },
      { kind: 'accepted', state: state(10, 'other', 'a', 'c'), revision: 2 },
    ]);
  });

  test('gives every decision fresh event ids: those of a lost append are not reused', async () => {
    using scene = scriptedTallies();
    const offered: string[] = [];
    const append = scene.script.append.bind(scene.script);
    scene.script.append = (stream, expected, events) => {
      offered.push(...events.map(({ id }) => id));
      return append(stream, expected, events);
    };
    scene.script.beforeAppend(() => scene.elsewhere('other', 1));
    await scene.add('a', 1);
    expect([offered.length, new Set(offered).size]).toEqual([2, 2]);
  });

  test('ends at the deadline of the last caller, with nothing stored', async () => {
    using scene = scriptedTallies();
    for (let n = 0; n < 5; n++) {
      scene.script.beforeAppend(async () => {
        await scene.elsewhere(`other ${n}`, 1);
        if (n === 4) scene.clock.advance(60_000);
      });
    }
    expect(await scene.add('a', 1)).toMatchObject({ kind: 'unavailable' });
    await scene.system.drain();
    expect(scene.script.calls.filter((call) => call.startsWith('append'))).toHaveLength(5);
    expect((await scene.stored()).map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
  });

  test('is retried while a caller waits, however often it is lost', async () => {
    using scene = scriptedTallies();
    for (let n = 0; n < 100; n++) {
      scene.script.beforeAppend(async () => {
        await scene.elsewhere(`other ${n}`, 0);
        if (n === 99) scene.clock.advance(59_999);
      });
    }
    expect(await scene.add('a', 1)).toMatchObject({ kind: 'accepted', revision: 100, state: { total: 1 } });
  });

  test('drops commands past their deadline, and decides the others of the batch', async () => {
    using scene = scriptedTallies(2);
    scene.script.beforeAppend(async () => {
      await scene.elsewhere('other', 1);
      scene.clock.advance(1_000);
    });
    const { clock } = scene;
    const add = (command: string, deadlineMs: number) =>
      scene.tallies.handle('1', { command, amount: 1 }, SOME_CAUSE, deadlineMs);
    const replies = [add('short', clock.nowMs() + 1_000), add('long', clock.nowMs() + 1_001)];
    expect(await Promise.all(replies)).toMatchObject([
      { kind: 'unavailable' },
      { kind: 'accepted', state: state(2, 'other', 'long') },
    ]);
  });

  test('that ended without an append does not affect the next command', async () => {
    using scene = scriptedTallies();
    const { clock } = scene;
    const wait = (command: string) =>
      scene.tallies.handle('1', { command, amount: 1 }, SOME_CAUSE, clock.nowMs() + 1_000);
    for (let n = 0; n < 5; n++) {
      scene.script.beforeAppend(async () => {
        await scene.elsewhere(`other ${n}`, 1);
        clock.advance(200);
      });
    }
    expect(await wait('a')).toMatchObject({ kind: 'unavailable' });
    expect(await wait('b')).toMatchObject({ kind: 'accepted', revision: 5, state: { total: 6 } });
  });

  test('with an erasure answers that the stream is erased', async () => {
    using scene = scriptedTallies();
    await scene.add('a', 1);
    scene.script.beforeAppend(() => scene.store.erase('tally-1'));
    expect(await scene.add('b', 1)).toStrictEqual({ kind: 'erased' });
  });
});

function failed(message: string): Unavailable {
  return unavailable('fault', { call: 'ask of tally-1', fault: new Error(message) });
}

describe('an append whose outcome is unknown', () => {
  test('is a fault for the caller; the next command is decided after reading the stream', async () => {
    using scene = scriptedTallies();
    await scene.add('a', 1);
    scene.script.loseAppend();
    expect(await scene.add('b', 2)).toStrictEqual(failed('the append was lost'));
    scene.script.calls.length = 0;
    expect(await scene.add('b', 2)).toMatchObject({ kind: 'accepted', state: state(3, 'a', 'b'), revision: 1 });
    expect(scene.script.calls).toEqual(['read tally-1 from 1', 'append tally-1 at 0: 1 events']);
  });

  test('is resolved by a repetition: stored events are not stored twice', async () => {
    using scene = scriptedTallies();
    scene.script.loseAnswer();
    expect(await scene.add('a', 1)).toStrictEqual(failed('the answer was lost'));
    expect(await scene.add('a', 1)).toStrictEqual({
      kind: 'accepted',
      events: [],
      state: state(1, 'a'),
      revision: 0,
      position: null,
    });
    expect(await scene.stored()).toHaveLength(1);
  });

  test('fails every command of its batch, and no later one', async () => {
    using scene = scriptedTallies(2);
    scene.script.loseAppend();
    const replies = await Promise.all(['a', 'b', 'c'].map((command) => scene.add(command, 1)));
    expect(replies).toMatchObject([
      failed('the append was lost'),
      failed('the append was lost'),
      { kind: 'accepted', revision: 0 },
    ]);
  });
});

describe('a decision that appends nothing', () => {
  test('is made on state read after the command arrived, where another node may write', async () => {
    using scene = scriptedTallies();
    await scene.add('a', 9);
    scene.script.calls.length = 0;
    expect(await scene.add('b', 2)).toMatchObject({ kind: 'rejected', rejection: { code: 'TOO_MUCH', room: 1 } });
    expect(scene.script.calls).toEqual(['read tally-1 from 1']);
  });

  test('becomes an append where the newest state allows it', async () => {
    using scene = scriptedTallies();
    await scene.add('a', 9);
    await scene.elsewhere('payback', -5);
    expect(await scene.add('b', 2)).toMatchObject({
      kind: 'accepted',
      state: state(6, 'a', 'payback', 'b'),
      revision: 2,
    });
  });

  test('that is a read includes what another node wrote', async () => {
    using scene = scriptedTallies();
    await scene.add('a', 1);
    await scene.elsewhere('other', 2);
    expect(await scene.read()).toStrictEqual({ kind: 'state', state: state(3, 'a', 'other'), revision: 1 });
  });

  test('is made on the cached state where this node is the only writer', async () => {
    using scene = tallies();
    await scene.add('a', 9);
    // The store reports a single writer, so only a read would find this event.
    await scene.elsewhere('unseen', 1);
    expect(await scene.add('b', 2)).toMatchObject({ kind: 'rejected', rejection: { code: 'TOO_MUCH', room: 1 } });
  });
});
