import { describe, expect, spyOn, test } from 'bun:test';
import { runWhileLeader, withLease } from '../../../src/runtime/lease.ts';
import { NodeLeases } from '../../../src/runtime/node-leases.ts';
import { movedClock } from '../../support/clock.ts';
import { faultOf } from '../../support/fault.ts';
import { rightClock, scriptedLeases } from '../../support/leases.ts';
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
  const nodeOf = (holder: string) =>
    new NodeLeases({ leases, holder, ttlMs: TTL_MS, clock, clockCheck: rightClock, log });
  const start = (holder = 'here') =>
    runWhileLeader(
      NAME,
      async (onFatal) => {
        giveUps.push(onFatal);
        await begin();
        done.push(`${holder} begins`);
        return { stop: async () => void done.push(`${holder} stops`) };
      },
      nodeOf(holder),
    );
  /** Lets everything happen that can happen at this time. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  const end = (holder: string, work: (signal: AbortSignal) => Promise<void>) => withLease(NAME, work, nodeOf(holder));
  return { clock, leases, log, done, giveUps, nodeOf, start, end, settle, pass };
}

/** Counts the abort listeners that are added and not removed. */
function countedListeners() {
  const [adding, removing] = [
    spyOn(EventTarget.prototype, 'addEventListener'),
    spyOn(EventTarget.prototype, 'removeEventListener'),
  ];
  const ofSignals = ({ mock }: typeof adding | typeof removing): number =>
    mock.contexts.filter((target) => target instanceof AbortSignal).length;
  return {
    count: () => ofSignals(adding) - ofSignals(removing),
    [Symbol.dispose]() {
      adding.mockRestore();
      removing.mockRestore();
    },
  };
}

describe('work under a lease', () => {
  test('starts once the node holds the lease, and releases it at the stop', async () => {
    const { leases, done, start, settle } = scene();
    const work = start();
    await settle();
    expect([leases.holder(NAME), ...done]).toEqual(['here', 'here begins']);
    await work.stop();
    expect([leases.holder(NAME), ...done]).toEqual([null, 'here begins', 'here stops']);
  });

  test('waits while another node holds the lease, and starts within a renewal interval after its end', async () => {
    const { leases, done, start, settle, pass } = scene();
    leases.takeAway(NAME);
    const work = start();
    await settle();
    await pass(TTL_MS * 3);
    expect(done).toEqual([]);
    leases.free(NAME);
    await pass(RENEWAL_MS);
    expect(done).toEqual(['here begins']);
    await work.stop();
  });

  test('continues while the lease is renewed', async () => {
    const { done, start, settle, pass } = scene();
    const work = start();
    await settle();
    for (let renewal = 0; renewal < 10; renewal++) await pass(RENEWAL_MS);
    expect(done).toEqual(['here begins']);
    await work.stop();
  });

  test('stops at once when another node holds the lease, does not release that lease, and tries again', async () => {
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
    leases.free(NAME);
    await pass(RENEWAL_MS);
    expect(done).toEqual(['here begins', 'here stops', 'here begins']);
    await work.stop();
  });

  for (const state of ['away', 'silent'] as const) {
    test(`continues until the end of its lease while the leases are ${state}, and not longer`, async () => {
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

  test('continues where the leases were unavailable for less than its duration', async () => {
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

  test('keeps a bounded number of abort listeners while another node holds the lease', async () => {
    const { leases, start, settle, pass } = scene();
    leases.takeAway(NAME);
    using listeners = countedListeners();
    const work = start();
    await settle();
    const after: number[] = [];
    for (let look = 0; look < 5; look++) {
      await pass(RENEWAL_MS);
      after.push(listeners.count());
    }
    expect(after).toEqual(after.map(() => after[0] ?? 0));
    await work.stop();
  });

  test('logs unavailable leases once', async () => {
    const { leases, log, start, settle, pass } = scene();
    leases.state = 'away';
    const work = start();
    await settle();
    for (let renewal = 0; renewal < 5; renewal++) await pass(RENEWAL_MS);
    expect(log.lines.map(({ happening }) => happening)).toEqual(['leases cannot be taken or renewed']);
    await work.stop();
  });

  test('that fails to start releases the lease, and starts again after a pause', async () => {
    let faults = 1;
    const { leases, log, done, start, settle, pass } = scene({
      begin: async () => {
        if (faults-- > 0) throw new Error('not now');
      },
    });
    const work = start();
    await settle();
    expect([leases.holder(NAME), ...done]).toEqual([null]);
    expect(log.lines.map(({ happening }) => happening)).toEqual(['lease taken', 'leased work failed']);
    await pass(1_000);
    expect([leases.holder(NAME), ...done]).toEqual(['here', 'here begins']);
    await work.stop();
  });

  test('runs on one of two nodes, and on the other when that one stops', async () => {
    const { done, start, settle, pass } = scene();
    const [here, there] = [start('here'), start('there')];
    await settle();
    expect(done).toEqual(['here begins']);
    await here.stop();
    await pass(RENEWAL_MS);
    expect(done).toEqual(['here begins', 'here stops', 'there begins']);
    await there.stop();
  });

  test('that loses its lease during the start stops as soon as it has started', async () => {
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

  test('that is abandoned leaves the lease to other nodes for its duration, then tries again', async () => {
    const { leases, log, done, giveUps, start, settle, pass } = scene();
    const work = start();
    await settle();
    giveUps[0]?.(new Error('not for me'));
    await settle();
    expect([leases.holder(NAME), ...done]).toEqual([null, 'here begins', 'here stops']);
    const fault = new Error('not for me');
    expect(log.lines.at(-1)).toEqual({
      level: 'error',
      happening: 'leased work failed',
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

  test('keeps the lease until it has stopped, so that no other node starts before', async () => {
    const gate = Promise.withResolvers<void>();
    const { leases, nodeOf, settle, pass } = scene();
    const begin = () => Promise.resolve({ stop: () => gate.promise });
    const work = runWhileLeader(NAME, begin, nodeOf('here'));
    await settle();
    const stopped = work.stop();
    for (let renewal = 0; renewal < 6; renewal++) await pass(RENEWAL_MS);
    expect([leases.holder(NAME), leases.takings(NAME)]).toEqual(['here', 7]);
    gate.resolve();
    await stopped;
    expect(leases.holder(NAME)).toBeNull();
  });
});

describe('one-shot work under a lease', () => {
  test('may take longer than the lease, which is renewed meanwhile and released at the end', async () => {
    const { clock, leases, end, settle, pass } = scene();
    const finish = Promise.withResolvers<void>();
    const working = end('here', () => finish.promise);
    await settle();
    for (let renewal = 0; renewal < 12; renewal++) await pass(RENEWAL_MS);
    expect([leases.holder(NAME), leases.takings(NAME)]).toEqual(['here', 13]);
    finish.resolve();
    await working;
    expect([leases.holder(NAME), clock.waiting]).toEqual([null, 0]);
  });

  test('starts when another node releases the lease', async () => {
    const { leases, done, end, pass } = scene();
    leases.takeAway(NAME);
    const working = end('here', async () => void done.push('started'));
    await pass(RENEWAL_MS);
    expect(done).toEqual([]);
    leases.free(NAME);
    await pass(RENEWAL_MS);
    await working;
    expect(done).toEqual(['started']);
  });

  test('is aborted when the lease was not renewed until its end, and not before', async () => {
    const { clock, leases, end, settle, pass } = scene();
    const abortTimes: number[] = [];
    const working = end('here', async (signal) => {
      await clock.until(Number.MAX_SAFE_INTEGER, signal);
      abortTimes.push(clock.nowMs());
    });
    await settle();
    leases.state = 'away';
    await pass(TTL_MS - 1);
    expect(abortTimes).toEqual([]);
    await pass(1);
    await working;
    expect(abortTimes).toEqual([TTL_MS]);
  });

  test('is aborted when another node holds the lease, and does not release that lease', async () => {
    const { clock, leases, end, settle, pass } = scene();
    const working = end('here', (signal) => clock.until(Number.MAX_SAFE_INTEGER, signal));
    await settle();
    leases.takeAway(NAME);
    await pass(RENEWAL_MS);
    await working;
    expect(leases.holder(NAME)).toBe('somebody else');
  });

  test('that fails releases the lease and throws its fault', async () => {
    const { leases, end } = scene();
    expect(await faultOf(() => end('here', () => Promise.reject(new Error('no'))))).toEqual(new Error('no'));
    expect(leases.holder(NAME)).toBeNull();
  });

  test('throws the fault of leases that are unavailable while it waits', async () => {
    const { leases, done, end } = scene();
    leases.state = 'away';
    const waiting = () => end('here', async () => void done.push('started'));
    expect(await faultOf(waiting)).toEqual(new Error('the leases do not answer'));
    expect(done).toEqual([]);
  });
});
