import { describe, expect, test } from 'bun:test';
import { runUnderLease } from '../../../src/application/run-under-lease.ts';
import { movedClock } from '../../support/clock.ts';
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
  const start = (holder = 'here') =>
    runUnderLease(
      NAME,
      async () => {
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
  return { clock, leases, log, done, start, settle, pass };
}

describe('work under a lease', () => {
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
});
