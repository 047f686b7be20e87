import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { scene } from './scripted-behavior.ts';

describe('an actor that gets no message', () => {
  test('stays before the idle time, and is passivated after twice the idle time', async () => {
    const { ask, pool, resident, clock, swept, end } = scene({ idleMs: 1_000 });
    await ask('a', 'one');
    await swept();
    clock.advance(999);
    await swept();
    expect([pool.size, resident('a')]).toEqual([1, true]);
    clock.advance(1);
    await swept();
    clock.advance(1_000);
    await swept();
    expect([pool.size, resident('a')]).toEqual([0, false]);
    await end();
  });

  test('is started again by the next message', async () => {
    const { ask, clock, swept, starts, behavior, end } = scene({ idleMs: 1_000 });
    await ask('a', 'one');
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      await swept();
      clock.advance(1_000);
    }
    await swept();
    expect(await ask('a', 'two')).toBe('two done');
    expect([starts('a'), behavior('a').batches]).toEqual([2, [['two']]]);
    await end();
  });

  test('is passivated, while one with a recent message stays', async () => {
    const { ask, pool, resident, starts, clock, swept, end } = scene({ idleMs: 1_000 });
    await Promise.all([ask('a', 'one'), ask('b', 'one'), ask('c', 'one')]);
    await swept();
    clock.advance(1_000);
    await swept();
    clock.advance(500);
    await ask('a', 'two');
    expect(pool.size).toBe(3);
    await swept();
    clock.advance(500);
    await swept();
    expect(['a', 'b', 'c'].map(resident)).toEqual([true, false, false]);
    await ask('a', 'three');
    expect(starts('a')).toBe(1);
    await end();
  });

  test('stays for as long as it is busy', async () => {
    const { ask, clock, behavior, starts, swept, end } = scene({ idleMs: 1_000 });
    const held = ask('a', 'hold');
    await behavior('a').holding();
    for (let sweeps = 0; sweeps < 5; sweeps++) {
      clock.advance(1_000);
      await swept();
    }
    const behind = ask('a', 'behind');
    behavior('a').release();
    expect(await Promise.all([held, behind])).toEqual(['hold done', 'behind done']);
    expect(starts('a')).toBe(1);
    await end();
  });

  test('does not keep others in memory by being busy', async () => {
    const { ask, resident, clock, behavior, swept, end } = scene({ idleMs: 1_000 });
    const held = ask('a', 'hold');
    await behavior('a').holding();
    await ask('b', 'one');
    for (let sweeps = 0; sweeps < 2; sweeps++) {
      await swept();
      clock.advance(1_000);
    }
    await swept();
    expect(['a', 'b'].map(resident)).toEqual([true, false]);
    behavior('a').release();
    expect(await held).toBe('hold done');
    await end();
  });
});

describe('more actors than may be resident', () => {
  test('are passivated while idle', async () => {
    const { ask, pool, resident, swept, end } = scene({ resident: 4 });
    for (let n = 0; n < 12; n++) {
      await ask(`${n}`, 'one');
      await swept();
      expect([pool.size <= 4, resident(`${n}`)]).toEqual([true, true]);
    }
    await end();
  });

  test('passivate the ones idle for longest', async () => {
    const { ask, resident, swept, end } = scene({ resident: 2 });
    for (const id of ['a', 'b', 'a']) {
      await ask(id, 'one');
      await swept();
    }
    await ask('c', 'one');
    expect(['a', 'b', 'c'].map(resident)).toEqual([true, false, true]);
    await end();
  });

  test('passivate neither a busy one nor one with a waiting message', async () => {
    const { ask, resident, behavior, starts, swept, end } = scene({ resident: 2 });
    const held = ask('a', 'hold');
    await behavior('a').holding();
    await ask('b', 'one');
    await swept();
    // At this moment `b` is idle and may go; `a` is busy, and from here on `c` has a message waiting.
    const asks = [ask('c', 'one'), ask('d', 'one')];
    expect(['a', 'c', 'd'].map(resident)).toEqual([true, true, true]);
    behavior('a').release();
    expect(await Promise.all([held, ...asks])).toEqual(['hold done', 'one done', 'one done']);
    expect(['a', 'c', 'd'].map(starts)).toEqual([1, 1, 1]);
    await end();
  });

  test('do not start a busy one a second time', async () => {
    const { ask, behavior, starts, maxTurns, end } = scene({ resident: 2 });
    const held = ask('a', 'hold');
    await behavior('a').holding();
    await ask('b', 'one');
    const behind = ask('a', 'behind');
    expect(starts('a')).toBe(1);
    behavior('a').release();
    expect(await Promise.all([held, behind])).toEqual(['hold done', 'behind done']);
    expect(maxTurns('a')).toBe(1);
    await end();
  });
});

test('no message is lost, and no two actors of one id run at the same time', async () => {
  const anyId = fc.integer({ min: 0, max: 6 }).map(String);
  const anyMoment = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('ask' as const), id: anyId }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('hold' as const), id: anyId }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('release' as const), id: anyId }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.integer({ min: 1, max: 40 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyMoment, { maxLength: 60, size: 'max' }), async (moments) => {
      const { ask, clock, behavior, starts, maxTurns, swept, end } = scene({ resident: 4, idleMs: 50 }, 2);
      const asked: { readonly id: string; readonly message: string; readonly reply: Promise<unknown> }[] = [];
      for (const moment of moments) {
        if (moment.do === 'ask' || moment.do === 'hold') {
          const message = `${moment.do} ${asked.length}`;
          asked.push({ id: moment.id, message, reply: ask(moment.id, message) });
        } else if (moment.do === 'release') {
          if (starts(moment.id) > 0) behavior(moment.id).release();
        } else if (moment.do === 'advance') clock.advance(moment.ms);
        else await swept();
      }
      await end();
      for (const { id, message, reply } of asked) {
        expect([await reply, maxTurns(id)]).toEqual([`${message} done`, 1]);
      }
    }),
    { numRuns: 100 },
  );
});
