import { describe, expect, test } from 'bun:test';
import { type Unavailable, unavailable } from '../../../src/actors/actor.ts';
import { createActorSystem } from '../../../src/actors/system.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { movedClock } from '../../support/clock.ts';
import { collectedLog } from '../../support/log.ts';
import { QUIET, ScriptedBehavior, scene } from './scripted-behavior.ts';

const FAILED = failed('a');

function failed(id: string): Unavailable {
  return unavailable('fault', { call: `ask of scripted-${id}`, fault: new Error('scripted') });
}

/** The answer to an ask of `a` whose deadline of a second has passed by now. */
function tooLate(where: string): Unavailable {
  const call = `ask of scripted-a, which ${where}`;
  return unavailable('deadline', { call, deadline: { name: 'ask', ms: 1_000 }, tookMs: 1_000 });
}

describe('an actor', () => {
  test('replies to an ask', async () => {
    const { ask, end } = scene();
    expect(await ask('a', 'one')).toBe('one done');
    await end();
  });

  test('handles its messages in order, one turn at a time', async () => {
    const { ask, behavior, maxTurns, end } = scene();
    const asked = Array.from({ length: 20 }, (_, n) => `${n}`);
    const replies = await Promise.all(asked.map((message) => ask('a', message)));
    expect(replies).toEqual(asked.map((message) => `${message} done`));
    expect(behavior('a').batches).toEqual(asked.map((message) => [message]));
    expect(maxTurns('a')).toBe(1);
    await end();
  });

  test('does not wait for another actor', async () => {
    const { ask, behavior, end } = scene();
    const held = ask('a', 'hold');
    expect(await ask('b', 'one')).toBe('one done');
    behavior('a').release();
    expect(await held).toBe('hold done');
    await end();
  });

  test('gets waiting messages in batches of limited size', async () => {
    const { ask, behavior, end } = scene({}, 3);
    await Promise.all(['1', '2', '3', '4', '5'].map((message) => ask('a', message)));
    expect(behavior('a').batches).toEqual([
      ['1', '2', '3'],
      ['4', '5'],
    ]);
    await end();
  });

  test('gets the messages that arrived during a turn in one batch', async () => {
    const { ask, behavior, end } = scene({}, 10);
    const first = ask('a', 'hold');
    await behavior('a').holding();
    const others = ['1', '2', '3'].map((message) => ask('a', message));
    behavior('a').release();
    expect(await Promise.all([first, ...others])).toEqual(['hold done', '1 done', '2 done', '3 done']);
    expect(behavior('a').batches).toEqual([['hold'], ['1', '2', '3']]);
    await end();
  });
});

describe('a full mailbox', () => {
  test('answers at once, and accepts messages again when there is room', async () => {
    const { ask, behavior, end } = scene({ mailbox: 2 });
    const held = ask('a', 'hold');
    await behavior('a').holding();
    const waiting = [ask('a', '1'), ask('a', '2')];
    expect(await ask('a', '3')).toStrictEqual(
      unavailable('mailbox-full', { call: 'ask of scripted-a, whose mailbox is full with 2 messages' }),
    );
    behavior('a').release();
    expect(await Promise.all([held, ...waiting])).toEqual(['hold done', '1 done', '2 done']);
    expect(await ask('a', '4')).toBe('4 done');
    expect(behavior('a').batches.flat()).toEqual(['hold', '1', '2', '4']);
    await end();
  });
});

describe('the deadline of an ask', () => {
  test('is exclusive: a message at its deadline is not handled, one before it is', async () => {
    const { pool, clock, behavior, end } = scene();
    const held = pool.ask('a', 'hold', clock.nowMs() + 60_000);
    await behavior('a').holding();
    const late = pool.ask('a', 'late', clock.nowMs() + 1_000);
    const inTime = pool.ask('a', 'in time', clock.nowMs() + 1_001);
    clock.advance(1_000);
    behavior('a').release();
    expect(await Promise.all([held, late, inTime])).toEqual([
      'hold done',
      tooLate('was handling earlier messages'),
      'in time done',
    ]);
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

  test('ends the wait for a stuck actor at the next sweep; a later reply is dropped', async () => {
    const { pool, clock, behavior, swept, end } = scene();
    const stuck = pool.ask('a', 'hold', clock.nowMs() + 1_000);
    const behind = pool.ask('a', 'behind', clock.nowMs() + 1_000);
    let answered = 0;
    for (const ask of [stuck, behind]) void ask.then(() => answered++);
    clock.advance(999);
    await swept();
    expect(answered).toBe(0);
    clock.advance(1);
    expect(await Promise.all([stuck, behind])).toEqual([
      tooLate('runs a turn'),
      tooLate('runs a turn for earlier messages'),
    ]);
    behavior('a').release();
    expect(await pool.ask('a', 'later', clock.nowMs() + 1_000)).toBe('later done');
    expect(behavior('a').batches).toEqual([['hold'], ['later']]);
    await end();
  });
});

describe('a fault', () => {
  test('answers every ask of its turn, and drops the cached state', async () => {
    const { ask, behavior, end } = scene({}, 3);
    const replies = await Promise.all(['1', 'fail', '3'].map((message) => ask('a', message)));
    expect(replies).toEqual([FAILED, FAILED, FAILED]);
    expect(behavior('a').restarts).toBe(1);
    await end();
  });

  test('leaves the messages behind it in the mailbox: they are handled after the pause, in order', async () => {
    const { ask, behavior, end } = scene({ restartMs: 20, longestRestartMs: 20 });
    const startedMs = performance.now();
    const replies = await Promise.all(['fail', '1', '2'].map((message) => ask('a', message)));
    expect(replies).toEqual([FAILED, '1 done', '2 done']);
    expect(behavior('a').batches).toEqual([['fail'], ['1'], ['2']]);
    // A timer may be a little early, never by much.
    expect(performance.now() - startedMs).toBeGreaterThan(15);
    await end();
  });

  test('after another doubles the pause, up to the longest; a turn without a fault resets it', async () => {
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

  test('is a behavior that does not reply to every message', async () => {
    const { ask, behavior, end } = scene({}, 2);
    const held = ask('a', 'hold');
    await behavior('a').holding();
    behavior('a').receive = async () => ['only one reply'];
    const asks = [ask('a', '1'), ask('a', '2')];
    behavior('a').release();
    const none = unavailable('fault', { call: 'ask of scripted-a, which gave no reply' });
    expect(await Promise.all([held, ...asks])).toEqual(['hold done', 'only one reply', none]);
    await end();
  });
});

describe('the fault of an engine', () => {
  test('is returned to the caller as the cause, and not logged', async () => {
    const { ask, behavior, log, end } = scene({ restartMs: 1 }, 2);
    const call = { call: 'append to scripted-a', deadline: { name: 'event store', ms: 10 }, tookMs: 10, attempts: 2 };
    const fault = new StoreUnavailable('event store', 'no answer', { failed: call });
    const held = ask('a', 'hold');
    await behavior('a').holding();
    const receive = behavior('a').receive.bind(behavior('a'));
    behavior('a').receive = () => Promise.reject(fault);
    const asks = [ask('a', '1'), ask('a', '2')];
    behavior('a').release();
    const unanswered = unavailable('fault', { ...call, fault });
    expect(await Promise.all([held, ...asks])).toEqual(['hold done', unanswered, unanswered]);
    behavior('a').receive = receive;
    expect(await ask('a', '3')).toBe('3 done');
    expect(log.lines).toEqual([]);
    await end();
  });
});

describe('draining', () => {
  test('answers every accepted message, and refuses later ones', async () => {
    const { ask, system, behavior, end } = scene();
    const taken = [ask('a', 'hold'), ask('a', '1'), ask('b', 'fail'), ask('b', '2')];
    await behavior('a').holding();
    const drained = system.drain();
    expect(await ask('a', '3')).toStrictEqual(unavailable('stopping', { call: 'ask of scripted-a' }));
    expect(await ask('c', '4')).toStrictEqual(unavailable('stopping', { call: 'ask of scripted-c' }));
    behavior('a').release();
    expect(await Promise.all(taken)).toEqual(['hold done', '1 done', failed('b'), '2 done']);
    expect([behavior('a').batches, behavior('b').batches]).toEqual([
      [['hold'], ['1']],
      [['fail'], ['2']],
    ]);
    await end();
    await drained;
  });

  test('resolves when the last one is answered', async () => {
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
    actor.release();
    await Promise.all([held, drained]);
    expect(happened).toEqual(['answered', 'drained']);
  });

  test('of an idle system resolves at once', async () => {
    const { end, system } = scene();
    await end();
    await system.drain();
    expect(system.residents()).toEqual({ scripted: 0, bell: 1 });
  });
});
