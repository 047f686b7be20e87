import { describe, expect, test } from 'bun:test';
import { runUnderLease, underLease } from '../../../src/application/under-lease.ts';
import { movedClock } from '../../support/clock.ts';
import { faultOf } from '../../support/fault.ts';
import { scriptedLeases } from '../../support/leases.ts';
import { collectedLog } from '../../support/log.ts';

const NAME = 'gate';
const TTL_MS = 9_000;
const RENEWAL_MS = TTL_MS / 3;

/** A node that wants to keep a gate; what it does is written down. */
function scene({ begin = () => Promise.resolve() }: { readonly begin?: () => Promise<void> } = {}) {
  const [clock, log] = [movedClock(0), collectedLog()];
  const leases = scriptedLeases(clock);
  const done: string[] = [];
  const giveUps: ((fault: unknown) => void)[] = [];
  const start = (holder = 'here') =>
    runUnderLease(
      NAME,
      async (giveUp) => {
        giveUps.push(giveUp);
        await begin();
        done.push(`${holder} begins`);
        return { stop: async () => void done.push(`${holder} stops`) };
      },
      { leases, holder, ttlMs: TTL_MS, clock, log },
    );
  /** Lets everything happen that can happen at this time. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  const end = (holder: string, work: (signal: AbortSignal) => Promise<void>) =>
    underLease(NAME, work, { leases, holder, ttlMs: TTL_MS, clock, log });
  return { clock, leases, log, done, giveUps, start, end, settle, pass };
}

describe('standing work under a lease', () => {
  test('begins once the lease is there, and gives it back when it is stopped', async () => {
    const { leases, done, start, settle } = scene();
    const work = start();
    await settle();
    expect([leases.holder(NAME), ...done]).toEqual(['here', 'here begins']);
    await work.stop();
    expect([leases.holder(NAME), ...done]).toEqual([null, 'here begins', 'here stops']);
  });

  test('waits while another node has the lease, and begins within a renewal of its end', async () => {
    const { leases, done, start, settle, pass } = scene();
    leases.takeAway(NAME);
    const work = start();
    await settle();
    await pass(TTL_MS * 3);
    expect(done).toEqual([]);
    leases.giveUp(NAME);
    await pass(RENEWAL_MS);
    expect(done).toEqual(['here begins']);
    await work.stop();
  });

  test('goes on for as long as the lease is renewed', async () => {
    const { done, start, settle, pass } = scene();
    const work = start();
    await settle();
    for (let renewal = 0; renewal < 10; renewal++) await pass(RENEWAL_MS);
    expect(done).toEqual(['here begins']);
    await work.stop();
  });

  test('stops at once when another node has the lease, does not give back what is not its own, and tries again', async () => {
    const { leases, log, done, start, settle, pass } = scene();
    const work = start();
    await settle();
    leases.takeAway(NAME);
    await pass(RENEWAL_MS);
    expect([leases.holder(NAME), ...done]).toEqual(['somebody else', 'here begins', 'here stops']);
    expect(log.lines).toContainEqual({
      level: 'warn',
      happening: 'lease lost',
      facts: { lease: NAME, holder: 'here' },
    });
    leases.giveUp(NAME);
    await pass(RENEWAL_MS);
    expect(done).toEqual(['here begins', 'here stops', 'here begins']);
    await work.stop();
  });

  for (const state of ['away', 'silent'] as const) {
    test(`outlives leases that are ${state} until its own time is over, and not longer`, async () => {
      const { leases, done, start, settle, pass } = scene();
      const work = start();
      await settle();
      leases.state = state;
      await pass(RENEWAL_MS);
      await pass(TTL_MS - RENEWAL_MS - 1);
      expect(done).toEqual(['here begins']);
      await pass(1);
      expect(done).toEqual(['here begins', 'here stops']);
      leases.state = 'there';
      await pass(RENEWAL_MS);
      if (state === 'away') expect(done).toEqual(['here begins', 'here stops', 'here begins']);
      await work.stop();
    });
  }

  test('goes on where the leases were away for less than its time', async () => {
    const { leases, done, start, settle, pass } = scene();
    const work = start();
    await settle();
    leases.state = 'away';
    await pass(RENEWAL_MS);
    leases.state = 'there';
    await pass(RENEWAL_MS);
    await pass(TTL_MS - 1);
    expect(done).toEqual(['here begins']);
    await work.stop();
  });

  test('tells leases that stay away once', async () => {
    const { leases, log, start, settle, pass } = scene();
    leases.state = 'away';
    const work = start();
    await settle();
    for (let renewal = 0; renewal < 5; renewal++) await pass(RENEWAL_MS);
    expect(log.lines.map(({ happening }) => happening)).toEqual(['lease cannot be asked for']);
    await work.stop();
  });

  test('that cannot begin gives the lease back, and is begun again after a pause', async () => {
    let faults = 1;
    const { leases, log, done, start, settle, pass } = scene({
      begin: async () => {
        if (faults-- > 0) throw new Error('not now');
      },
    });
    const work = start();
    await settle();
    expect([leases.holder(NAME), ...done]).toEqual([null]);
    expect(log.lines.map(({ happening }) => happening)).toEqual(['lease taken', 'leased work met a fault']);
    await pass(1_000);
    expect([leases.holder(NAME), ...done]).toEqual(['here', 'here begins']);
    await work.stop();
  });

  test('is done by one of two nodes, and by the other when that one stops', async () => {
    const { done, start, settle, pass } = scene();
    const [here, there] = [start('here'), start('there')];
    await settle();
    expect(done).toEqual(['here begins']);
    await here.stop();
    await pass(RENEWAL_MS);
    expect(done).toEqual(['here begins', 'here stops', 'there begins']);
    await there.stop();
  });

  test('that is lost while it begins is stopped as soon as it has begun', async () => {
    const gate = Promise.withResolvers<void>();
    const { leases, done, start, settle, pass } = scene({ begin: () => gate.promise });
    const work = start();
    await settle();
    leases.takeAway(NAME);
    await pass(RENEWAL_MS);
    gate.resolve();
    await settle();
    expect(done).toEqual(['here begins', 'here stops']);
    await work.stop();
  });

  test('that gives up leaves the lease to another node for a whole time of it, and tries again then', async () => {
    const { leases, log, done, giveUps, start, settle, pass } = scene();
    const work = start();
    await settle();
    giveUps[0]?.(new Error('not for me'));
    await settle();
    expect([leases.holder(NAME), ...done]).toEqual([null, 'here begins', 'here stops']);
    const fault = new Error('not for me');
    expect(log.lines.at(-1)).toEqual({
      level: 'error',
      happening: 'leased work met a fault',
      facts: { lease: NAME, retryMs: TTL_MS, fault },
    });
    const other = start('there');
    await settle();
    expect(leases.holder(NAME)).toBe('there');
    await other.stop();
    await pass(TTL_MS - 1);
    expect(leases.holder(NAME)).toBeNull();
    await pass(1);
    expect(leases.holder(NAME)).toBe('here');
    await work.stop();
  });

  test('keeps the lease until it has stopped, so that nobody begins while it does', async () => {
    const gate = Promise.withResolvers<void>();
    const { clock, leases, log, settle, pass } = scene();
    const begin = () => Promise.resolve({ stop: () => gate.promise });
    const work = runUnderLease(NAME, begin, { leases, holder: 'here', ttlMs: TTL_MS, clock, log });
    await settle();
    const stopped = work.stop();
    for (let renewal = 0; renewal < 6; renewal++) await pass(RENEWAL_MS);
    expect([leases.holder(NAME), leases.takings(NAME)]).toEqual(['here', 7]);
    gate.resolve();
    await stopped;
    expect(leases.holder(NAME)).toBeNull();
  });
});

describe('work under a lease that ends by itself', () => {
  test('goes on for longer than the lease, which is renewed meanwhile and let go at its end', async () => {
    const { clock, leases, end, pass } = scene();
    const finish = Promise.withResolvers<void>();
    const working = end('here', () => finish.promise);
    await pass(TTL_MS * 4);
    expect(leases.holder(NAME)).toBe('here');
    finish.resolve();
    await working;
    expect([leases.holder(NAME), clock.waiting]).toEqual([null, 0]);
  });

  test('begins when another lets go', async () => {
    const { leases, done, end, pass } = scene();
    leases.takeAway(NAME);
    const working = end('here', async () => void done.push('begun'));
    await pass(RENEWAL_MS);
    expect(done).toEqual([]);
    leases.giveUp(NAME);
    await pass(RENEWAL_MS);
    await working;
    expect(done).toEqual(['begun']);
  });

  test('is told when the lease could not be renewed until its end, and not before', async () => {
    const { clock, leases, end, settle, pass } = scene();
    const told: number[] = [];
    const working = end('here', async (signal) => {
      await clock.until(Number.MAX_SAFE_INTEGER, signal);
      told.push(clock.nowMs());
    });
    await settle();
    leases.state = 'away';
    await pass(TTL_MS - 1);
    expect(told).toEqual([]);
    await pass(1);
    await working;
    expect(told).toEqual([TTL_MS]);
  });

  test('is told when another has the lease, whose it stays', async () => {
    const { clock, leases, end, settle, pass } = scene();
    const working = end('here', (signal) => clock.until(Number.MAX_SAFE_INTEGER, signal));
    await settle();
    leases.takeAway(NAME);
    await pass(RENEWAL_MS);
    await working;
    expect(leases.holder(NAME)).toBe('somebody else');
  });

  test('that fails lets the lease go, and its fault is seen', async () => {
    const { leases, end } = scene();
    expect(await faultOf(() => end('here', () => Promise.reject(new Error('no'))))).toEqual(new Error('no'));
    expect(leases.holder(NAME)).toBeNull();
  });

  test('ends with the fault of leases that are away while it waits for them', async () => {
    const { leases, done, end } = scene();
    leases.state = 'away';
    const waiting = () => end('here', async () => void done.push('begun'));
    expect(await faultOf(waiting)).toEqual(new Error('the leases are away'));
    expect(done).toEqual([]);
  });
});
