import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { scene } from './scripted-behavior.ts';

describe('an actor that nobody speaks to', () => {
  test('is passivated when it has been idle for so long, and not an instant earlier', async () => {
    const { ask, pool, resident, clock, swept, end } = scene({ idleMs: 1_000 });
    await ask('a', 'one');
    await swept();
    clock.advance(999);
    await swept();
    expect([pool.size, resident('a')]).toEqual([1, true]);
    clock.advance(1);
    await swept();
    expect([pool.size, resident('a')]).toEqual([0, false]);
    await end();
  });

  test('is brought to life anew by the next message', async () => {
    const { ask, clock, swept, lives, behavior, end } = scene({ idleMs: 1_000 });
    await ask('a', 'one');
    await swept();
    clock.advance(1_000);
    await swept();
    expect(await ask('a', 'two')).toBe('two done');
    expect([lives('a'), behavior('a').batches]).toEqual([2, [['two']]]);
    await end();
  });

  test('stays while others go, if it was spoken to since', async () => {
    const { ask, resident, clock, swept, end } = scene({ idleMs: 1_000 });
    await Promise.all([ask('a', 'one'), ask('b', 'one'), ask('c', 'one')]);
    await swept();
    clock.advance(600);
    await ask('a', 'two');
    await swept();
    clock.advance(400);
    await swept();
    expect(['a', 'b', 'c'].map(resident)).toEqual([true, false, false]);
    await end();
  });

  test('is idle only from the end of its last turn on', async () => {
    const { ask, pool, clock, behavior, swept, end } = scene({ idleMs: 1_000 });
    const held = ask('a', 'hold');
    await behavior('a').holding();
    clock.advance(5_000);
    await swept();
    expect(pool.size).toBe(1);
    behavior('a').letGo();
    expect(await held).toBe('hold done');
    await swept();
    clock.advance(999);
    await swept();
    expect(pool.size).toBe(1);
    clock.advance(1);
    await swept();
    expect(pool.size).toBe(0);
    await end();
  });

  test('does not keep others in memory by being busy', async () => {
    const { ask, resident, clock, behavior, swept, end } = scene({ idleMs: 1_000 });
    const held = ask('a', 'hold');
    await behavior('a').holding();
    await ask('b', 'one');
    await swept();
    clock.advance(1_000);
    await swept();
    expect(['a', 'b'].map(resident)).toEqual([true, false]);
    behavior('a').letGo();
    expect(await held).toBe('hold done');
    await end();
  });
});

describe('one actor more than may be resident', () => {
  test('makes the one idle for longest go', async () => {
    const { ask, resident, swept, end } = scene({ resident: 2 });
    for (const id of ['a', 'b', 'a']) {
      await ask(id, 'one');
      await swept();
    }
    await ask('c', 'one');
    expect(['a', 'b', 'c'].map(resident)).toEqual([true, false, true]);
    await end();
  });

  test('never makes a busy one go, nor one whose message waits', async () => {
    const { ask, resident, behavior, lives, swept, end } = scene({ resident: 2 });
    const held = ask('a', 'hold');
    await behavior('a').holding();
    await ask('b', 'one');
    await swept();
    // At this moment `b` is idle and goes; `c` has a message waiting, so that `d` finds nobody who may go.
    const asks = [ask('c', 'one'), ask('d', 'one')];
    expect(['a', 'b', 'c', 'd'].map(resident)).toEqual([true, false, true, true]);
    behavior('a').letGo();
    expect(await Promise.all([held, ...asks])).toEqual(['hold done', 'one done', 'one done']);
    expect(['a', 'b', 'c', 'd'].map(lives)).toEqual([1, 1, 1, 1]);
    await end();
  });
});

test('passivation never loses a message, whoever is spoken to when', async () => {
  const anyMoment = fc.oneof(
    { weight: 6, arbitrary: fc.record({ ask: fc.integer({ min: 0, max: 6 }) }) },
    { weight: 2, arbitrary: fc.record({ advance: fc.integer({ min: 1, max: 40 }) }) },
    { weight: 1, arbitrary: fc.constant({ rest: true as const }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyMoment, { maxLength: 60, size: 'max' }), async (moments) => {
      const { ask, clock, swept, end } = scene({ resident: 3, idleMs: 50 }, 2);
      const replies: { readonly message: string; readonly reply: Promise<unknown> }[] = [];
      for (const moment of moments) {
        if ('ask' in moment) {
          const message = `${replies.length}`;
          replies.push({ message, reply: ask(`${moment.ask}`, message) });
        } else if ('advance' in moment) clock.advance(moment.advance);
        else await swept();
      }
      for (const { message, reply } of replies) expect(await reply).toBe(`${message} done`);
      await end();
    }),
    { numRuns: 50 },
  );
});
