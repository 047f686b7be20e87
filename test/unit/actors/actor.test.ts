import { describe, expect, test } from 'bun:test';
import { unavailable } from '../../../src/actors/actor.ts';
import { createActorSystem } from '../../../src/actors/system.ts';
import { movedClock } from '../../support/clock.ts';
import { collectedLog } from '../../support/log.ts';
import { QUIET, ScriptedBehavior, scene } from './scripted-behavior.ts';

describe('an actor', () => {
  test('answers what it is asked', async () => {
    const { ask, end } = scene();
    expect(await ask('a', 'one')).toBe('one done');
    await end();
  });

  test('handles its messages in order, one turn at a time', async () => {
    const { ask, behavior, mostTurns, end } = scene();
    const asked = Array.from({ length: 20 }, (_, n) => `${n}`);
    const replies = await Promise.all(asked.map((message) => ask('a', message)));
    expect(replies).toEqual(asked.map((message) => `${message} done`));
    expect(behavior('a').batches).toEqual(asked.map((message) => [message]));
    expect(mostTurns('a')).toBe(1);
    await end();
  });

  test('is not kept waiting by another', async () => {
    const { ask, behavior, end } = scene();
    const held = ask('a', 'hold');
    expect(await ask('b', 'one')).toBe('one done');
    behavior('a').letGo();
    expect(await held).toBe('hold done');
    await end();
  });

  test('gets together what waits, at most so many at once', async () => {
    const { ask, behavior, end } = scene({}, 3);
    await Promise.all(['1', '2', '3', '4', '5'].map((message) => ask('a', message)));
    expect(behavior('a').batches).toEqual([
      ['1', '2', '3'],
      ['4', '5'],
    ]);
    await end();
  });

  test('gets together what came while it was busy', async () => {
    const { ask, behavior, end } = scene({}, 10);
    const first = ask('a', 'hold');
    await behavior('a').holding();
    const others = ['1', '2', '3'].map((message) => ask('a', message));
    behavior('a').letGo();
    expect(await Promise.all([first, ...others])).toEqual(['hold done', '1 done', '2 done', '3 done']);
    expect(behavior('a').batches).toEqual([['hold'], ['1', '2', '3']]);
    await end();
  });
});

describe('a full mailbox', () => {
  test('answers at once, and takes messages again when there is room', async () => {
    const { ask, behavior, end } = scene({ mailbox: 2 });
    const held = ask('a', 'hold');
    await behavior('a').holding();
    const waiting = [ask('a', '1'), ask('a', '2')];
    expect(await ask('a', '3')).toStrictEqual(unavailable('mailbox-full'));
    behavior('a').letGo();
    expect(await Promise.all([held, ...waiting])).toEqual(['hold done', '1 done', '2 done']);
    expect(await ask('a', '4')).toBe('4 done');
    expect(behavior('a').batches.flat()).toEqual(['hold', '1', '2', '4']);
    await end();
  });
});

describe('the deadline of an ask', () => {
  test('at it, a message is not begun any more; an instant before it, it is', async () => {
    const { pool, clock, behavior, end } = scene();
    const held = pool.ask('a', 'hold', clock.nowMs() + 60_000);
    await behavior('a').holding();
    const late = pool.ask('a', 'late', clock.nowMs() + 1_000);
    const inTime = pool.ask('a', 'in time', clock.nowMs() + 1_001);
    clock.advance(1_000);
    behavior('a').letGo();
    expect(await Promise.all([held, late, inTime])).toEqual(['hold done', unavailable('deadline'), 'in time done']);
    expect(behavior('a').batches).toEqual([['hold'], ['in time']]);
    await end();
  });

  test('is given to the behavior, message by message', async () => {
    const { pool, clock, behavior, end } = scene({}, 2);
    const asks = [1_000, 2_000].map((ms) => pool.ask('a', 'one', clock.nowMs() + ms));
    await Promise.all(asks);
    expect(behavior('a').deadlines).toEqual([[clock.nowMs() + 1_000, clock.nowMs() + 2_000]]);
    await end();
  });

  test('ends a wait for a stuck actor at the next sweep, and a reply that comes later is dropped', async () => {
    const { pool, clock, behavior, swept, end } = scene();
    const stuck = pool.ask('a', 'hold', clock.nowMs() + 1_000);
    const behind = pool.ask('a', 'behind', clock.nowMs() + 1_000);
    let answered = 0;
    for (const ask of [stuck, behind]) void ask.then(() => answered++);
    clock.advance(999);
    await swept();
    expect(answered).toBe(0);
    clock.advance(1);
    expect(await Promise.all([stuck, behind])).toEqual([unavailable('deadline'), unavailable('deadline')]);
    behavior('a').letGo();
    expect(await pool.ask('a', 'later', clock.nowMs() + 1_000)).toBe('later done');
    expect(behavior('a').batches).toEqual([['hold'], ['later']]);
    await end();
  });
});

describe('a fault', () => {
  test('answers every ask of its turn, and forgets what the behavior knew', async () => {
    const { ask, behavior, end } = scene({}, 3);
    const replies = await Promise.all(['1', 'fail', '3'].map((message) => ask('a', message)));
    expect(replies).toEqual([unavailable('fault'), unavailable('fault'), unavailable('fault')]);
    expect(behavior('a').restarts).toBe(1);
    await end();
  });

  test('leaves the messages behind it in the mailbox: they are handled after the pause, in order', async () => {
    const { ask, behavior, end } = scene({ restartMs: 20, longestRestartMs: 20 });
    const startedMs = performance.now();
    const replies = await Promise.all(['fail', '1', '2'].map((message) => ask('a', message)));
    expect(replies).toEqual([unavailable('fault'), '1 done', '2 done']);
    expect(behavior('a').batches).toEqual([['fail'], ['1'], ['2']]);
    // A timer may be a little early, never by much.
    expect(performance.now() - startedMs).toBeGreaterThan(15);
    await end();
  });

  test('after another doubles the pause, up to the longest; a good turn forgives', async () => {
    const { ask, log, end } = scene({ restartMs: 1, longestRestartMs: 6 });
    const messages = ['fail', 'fail', 'fail', 'fail', 'fail', 'good', 'fail'];
    await Promise.all(messages.map((message) => ask('a', message)));
    const pauses = [1, 2, 4, 6, 6, 1];
    const inARow = [1, 2, 3, 4, 5, 1];
    expect(log.lines).toStrictEqual(
      pauses.map((pauseMs, index) => ({
        level: 'error',
        happening: 'actor restarted after a fault',
        facts: { actor: 'scripted-a', faultsInARow: inARow[index], pauseMs, fault: new Error('scripted') },
      })),
    );
    await end();
  });

  test('is what a behavior makes that owes a reply', async () => {
    const { ask, behavior, end } = scene({}, 2);
    const held = ask('a', 'hold');
    await behavior('a').holding();
    behavior('a').receive = async () => ['only one reply'];
    const asks = [ask('a', '1'), ask('a', '2')];
    behavior('a').letGo();
    expect(await Promise.all([held, ...asks])).toEqual(['hold done', 'only one reply', unavailable('fault')]);
    await end();
  });
});

describe('draining', () => {
  test('answers everything taken before, and refuses what comes after', async () => {
    const { ask, system, behavior, end } = scene();
    const taken = [ask('a', 'hold'), ask('a', '1'), ask('b', 'fail'), ask('b', '2')];
    await behavior('a').holding();
    const drained = system.drain();
    expect(await ask('a', '3')).toStrictEqual(unavailable('stopping'));
    expect(await ask('c', '4')).toStrictEqual(unavailable('stopping'));
    behavior('a').letGo();
    expect(await Promise.all(taken)).toEqual(['hold done', '1 done', unavailable('fault'), '2 done']);
    expect([behavior('a').batches, behavior('b').batches]).toEqual([
      [['hold'], ['1']],
      [['fail'], ['2']],
    ]);
    await end();
    await drained;
  });

  test('resolves only when the last of them was answered', async () => {
    const clock = movedClock();
    const system = createActorSystem({ clock, log: collectedLog(), limits: QUIET });
    const actor = new ScriptedBehavior(1, { running: 0, most: 0 });
    const pool = system.pool('scripted', () => actor);
    const happened: string[] = [];
    const held = pool.ask('a', 'hold', clock.nowMs() + 60_000).then(() => happened.push('answered'));
    const drained = system.drain().then(() => happened.push('drained'));
    await actor.holding();
    await new Promise<void>((resolve) => setImmediate(resolve));
    expect(happened).toEqual([]);
    actor.letGo();
    await Promise.all([held, drained]);
    expect(happened).toEqual(['answered', 'drained']);
  });

  test('of a system in which nothing happens resolves at once', async () => {
    const { end, system } = scene();
    await end();
    await system.drain();
    expect(system.residents()).toEqual({ scripted: 0, bell: 1 });
  });
});
