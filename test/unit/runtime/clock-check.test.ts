import { describe, expect, test } from 'bun:test';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { ClockOff } from '../../../src/runtime/clock-check.ts';
import { runWhileLeader, withLease } from '../../../src/runtime/lease.ts';
import { NodeLeases } from '../../../src/runtime/node-leases.ts';
import { runPartitioned } from '../../../src/runtime/partitions.ts';
import { movedClock } from '../../support/clock.ts';
import { faultOf } from '../../support/fault.ts';
import { scriptedLeases } from '../../support/leases.ts';
import { LEASE_TTL_MS, machine } from '../../support/machine.ts';

const TTL_MS = LEASE_TTL_MS;
const QUARTER_MS = 2_000;
const NEVER = new AbortController().signal;

const fault = (offset: string) =>
  `the clock of this machine is ${offset} MongoDB's, and 2000 ms (a quarter of the lease duration) are allowed: ` +
  'this node takes no lease and releases none. Synchronise the clocks (NTP).';

describe('the clock of the machine', () => {
  test.each([0, QUARTER_MS, -QUARTER_MS])(
    'is right where it is off by %d ms, a quarter of a lease at most',
    async (offsetMs) => {
      const { state, log, open } = machine();
      const check = await open();
      state.offsetMs = offsetMs;
      await check.compare();
      await check.confirm();
      expect([check.off.aborted, check.fault, log.lines]).toEqual([false, null, []]);
    },
  );

  test.each([
    [QUARTER_MS + 1, '2001 ms ahead of'],
    [-QUARTER_MS - 1, '2001 ms behind'],
    [HOUR_MS, '3600000 ms ahead of'],
  ])('is off at %d ms: it says so once, by how much, and what is allowed', async (offsetMs, offset) => {
    const { state, log, open } = machine();
    const check = await open();
    state.offsetMs = offsetMs;
    for (let times = 0; times < 3; times++) await check.compare();
    expect([check.off.aborted, check.fault]).toEqual([true, fault(offset)]);
    expect(await faultOf(() => check.confirm())).toEqual(new ClockOff(fault(offset)));
    const facts = { offsetMs, uncertaintyMs: 0, boundMs: QUARTER_MS };
    expect(log.lines).toEqual([{ level: 'error', happening: 'clock is off: leased work stops', facts }]);
  });

  test('counts as right again without a restart, and logs it once', async () => {
    const { state, log, open } = machine();
    const check = await open();
    state.offsetMs = HOUR_MS;
    await check.compare();
    const again = check.right(NEVER);
    state.offsetMs = 12;
    for (let times = 0; times < 3; times++) await check.compare();
    await again;
    expect([check.off.aborted, check.fault]).toEqual([false, null]);
    expect(log.lines.map(({ level, happening }) => [level, happening])).toEqual([
      ['error', 'clock is off: leased work stops'],
      ['info', 'clock is right again'],
    ]);
  });

  test('is not waited for after a stop', async () => {
    const { state, open } = machine();
    const check = await open();
    state.offsetMs = HOUR_MS;
    await check.compare();
    const stopping = new AbortController();
    const waiting = check.right(stopping.signal);
    stopping.abort();
    await waiting;
    await check.right(stopping.signal);
  });

  test('is off at the start: the opening throws', async () => {
    const { state, log, open } = machine();
    state.offsetMs = -HOUR_MS;
    expect(await faultOf(open)).toEqual(new ClockOff(fault('3600000 ms behind')));
    expect(log.lines).toEqual([]);
  });

  test('keeps its verdict where the round trip is longer than the difference', async () => {
    const { state, open } = machine();
    const check = await open();
    // Half of it, less the half that is unknown, is within the quarter.
    [state.offsetMs, state.roundTripMs] = [QUARTER_MS, 4 * QUARTER_MS];
    await check.compare();
    expect(check.off.aborted).toBe(false);
    [state.offsetMs, state.roundTripMs] = [HOUR_MS, 4 * QUARTER_MS];
    await check.compare();
    expect(check.off.aborted).toBe(true);
    // Nor does such an answer make it right again.
    state.offsetMs = 0;
    await check.compare();
    expect(check.off.aborted).toBe(true);
    state.roundTripMs = 20;
    await check.compare();
    expect(check.off.aborted).toBe(false);
  });

  test('keeps its verdict while the server is unavailable', async () => {
    const { state, open } = machine();
    const check = await open();
    state.away = true;
    expect(await faultOf(() => check.compare())).toEqual(new Error('MongoDB is unavailable'));
    expect(check.off.aborted).toBe(false);
  });

  test('is compared before taking a lease only where somebody has set it since', async () => {
    const { state, open } = machine();
    const check = await open();
    state.elapsedMs += HOUR_MS;
    await check.confirm();
    expect(state.asked).toBe(1);
    state.offsetMs = HOUR_MS;
    expect(await faultOf(() => check.confirm())).toBeInstanceOf(ClockOff);
    expect(state.asked).toBe(2);
  });
});

/** A node whose clock is set by a test, on leases that every call of it is counted at. */
async function node() {
  const { state, log, open } = machine();
  const clock = movedClock(0);
  const inner = scriptedLeases(clock);
  const calls: string[] = [];
  const leases = {
    ...inner,
    take: (request: Parameters<typeof inner.take>[0]) => {
      calls.push(`take ${request.name}`);
      return inner.take(request);
    },
    renew: (...args: Parameters<typeof inner.renew>) => {
      calls.push(`renew ${args[0].map(({ name }) => name).join(' ')}`);
      return inner.renew(...args);
    },
    release: (held: Parameters<typeof inner.release>[0]) => {
      calls.push(`release ${held.name}`);
      return inner.release(held);
    },
  };
  const clockCheck = await open();
  const context = new NodeLeases({ leases, holder: 'here', ttlMs: TTL_MS, clock, clockCheck, log });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 40; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    context,
    inner,
    calls,
    log,
    /** Sets the clock, before the next comparison. */
    setUnnoticed: (offsetMs: number): void => {
      state.offsetMs = offsetMs;
      calls.length = 0;
    },
    setClock: async (offsetMs: number): Promise<void> => {
      state.offsetMs = offsetMs;
      await clockCheck.compare();
      await settle();
      calls.length = 0;
    },
    pass: async (ms: number): Promise<void> => {
      clock.advance(ms);
      await settle();
    },
    settle,
  };
}

describe('leased work on a machine whose clock is off', () => {
  test('continues where the difference is a quarter of a lease', async () => {
    const { context, inner, setClock, pass, settle } = await node();
    const done: string[] = [];
    const work = runWhileLeader('gate', async () => ({ stop: async () => void done.push('stopped') }), context);
    await settle();
    await setClock(QUARTER_MS);
    for (let renewal = 0; renewal < 6; renewal++) await pass(TTL_MS / 3);
    expect([inner.holder('gate'), inner.takings('gate'), done]).toEqual(['here', 7, []]);
    await work.stop();
  });

  test('stops at once, and neither takes, renews nor releases a lease until the clock is right', async () => {
    const { context, inner, calls, log, setClock, pass, settle } = await node();
    const done: string[] = [];
    const begin = async () => {
      done.push('started');
      return { stop: async () => void done.push('stopped') };
    };
    const work = runWhileLeader('gate', begin, context);
    inner.takeAway('another gate');
    const waiting = runWhileLeader('another gate', begin, context);
    await settle();
    await setClock(HOUR_MS);
    expect(done).toEqual(['started', 'stopped']);
    inner.free('another gate');
    for (let time = 0; time < 6; time++) await pass(TTL_MS);
    expect([done, calls]).toEqual([['started', 'stopped'], []]);
    expect([inner.holder('gate'), inner.holder('another gate')]).toEqual(['here', null]);
    await setClock(0);
    expect(done).toEqual(['started', 'stopped', 'started', 'started']);
    expect([inner.holder('gate'), inner.holder('another gate')]).toEqual(['here', 'here']);
    expect(log.lines.map(({ happening }) => happening)).toEqual([
      'lease taken',
      'clock is off: leased work stops',
      'lease lost',
      'clock is right again',
      'lease taken',
      'lease taken',
    ]);
    await Promise.all([work.stop(), waiting.stop()]);
  });

  test('does not release its lease at a stop either', async () => {
    const { context, inner, calls, setClock, settle } = await node();
    const work = runWhileLeader('gate', () => Promise.resolve({ stop: () => Promise.resolve() }), context);
    await settle();
    await setClock(-HOUR_MS);
    await work.stop();
    expect([inner.holder('gate'), calls]).toEqual(['here', []]);
  });

  test('aborts one-shot work, does not release its lease, and starts no other', async () => {
    const { context, inner, calls, setClock, settle } = await node();
    const aborted = Promise.withResolvers<void>();
    const working = withLease(
      'gate',
      async (signal) => {
        signal.addEventListener('abort', () => aborted.resolve());
        await aborted.promise;
      },
      context,
    );
    await settle();
    await setClock(HOUR_MS);
    await working;
    expect([inner.holder('gate'), calls]).toEqual(['here', []]);
    const again = () => withLease('another gate', () => Promise.resolve(), context);
    expect(await faultOf(again)).toBeInstanceOf(ClockOff);
    expect(calls).toEqual([]);
  });

  test('stops all partitions and releases no lease; acquires them again when the clock is right', async () => {
    const { context, inner, calls, setClock, pass, settle } = await node();
    const parts = new Set<number>();
    let started = 0;
    const work = runPartitioned(
      { name: 'gates', partitions: 2 },
      async () => {
        started++;
        const acquire = async (part: number) => {
          parts.add(part);
          return { stop: async () => void parts.delete(part) };
        };
        return { acquire, stop: () => Promise.resolve() };
      },
      context,
    );
    await settle();
    expect([...parts]).toEqual([0, 1]);
    await setClock(HOUR_MS);
    for (let time = 0; time < 3; time++) await pass(TTL_MS);
    expect([[...parts], calls]).toEqual([[], []]);
    const leases = ['gates-seat-0', 'gates-0', 'gates-1'];
    expect(leases.map((name) => inner.holder(name))).toEqual(['here', 'here', 'here']);
    await setClock(0);
    expect([[...parts], started]).toEqual([[0, 1], 2]);
    await work.stop();
    expect(leases.map((name) => inner.holder(name))).toEqual([null, null, null]);
  });

  test('acquires no partition by a clock that was set a moment ago', async () => {
    const { context, inner, calls, log, settle, setUnnoticed, pass } = await node();
    for (const seat of ['gates-seat-0', 'gates-seat-1']) inner.takeAway(seat);
    const begin = async () => ({ acquire: () => Promise.reject(new Error('no')), stop: () => Promise.resolve() });
    const work = runPartitioned({ name: 'gates', partitions: 2 }, begin, context);
    await settle();
    setUnnoticed(HOUR_MS);
    for (const seat of ['gates-seat-0', 'gates-seat-1']) inner.free(seat);
    await pass(TTL_MS / 3);
    expect(calls).toEqual([]);
    expect(log.lines.map(({ happening }) => happening)).toEqual(['clock is off: leased work stops']);
    await work.stop();
  });

  test('takes no lease by a clock that was set a moment ago', async () => {
    const { context, inner, calls, settle, setUnnoticed, pass } = await node();
    inner.takeAway('gate');
    const work = runWhileLeader('gate', () => Promise.resolve({ stop: () => Promise.resolve() }), context);
    await settle();
    setUnnoticed(HOUR_MS);
    inner.free('gate');
    await pass(TTL_MS / 3);
    expect([inner.holder('gate'), calls]).toEqual([null, []]);
    await work.stop();
  });
});
