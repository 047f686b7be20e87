import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openLeases } from '../../../src/adapters/sqlite/leases.ts';
import { CLOCK_SKEW_MS, type Leases } from '../../../src/ports/leases.ts';
import { underLease } from '../../../src/roles/under-lease.ts';
import { type MovedClock, movedClock } from '../../support/clock.ts';
import { faultOf } from '../../support/fault.ts';

const REQUEST = { name: 'projection bookings', holder: 'a', ttlMs: 9_000 };

describe('work under a lease', () => {
  let clock: MovedClock;
  let leases: Leases;
  /** Whether calls on the leases fail, as when their server is away. */
  let away: boolean;
  let surroundings: { readonly leases: Leases; readonly clock: MovedClock };

  beforeEach(() => {
    clock = movedClock();
    leases = openLeases(':memory:', clock);
    away = false;
    const take: Leases['take'] = async (request) => {
      if (away) throw new Error('away');
      return leases.take(request);
    };
    surroundings = { leases: { ...leases, take }, clock };
  });
  afterEach(() => leases.close());

  /** Lets whatever can go on without the time going on do so. */
  async function settled(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }

  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) {
      clock.advance(1_000);
      await settled();
    }
  }

  const ofOther = () => leases.take({ ...REQUEST, holder: 'b' });

  test('goes on for longer than the lease, which is renewed meanwhile and let go at its end', async () => {
    const finish = Promise.withResolvers<string>();
    const working = underLease(REQUEST, surroundings, () => finish.promise);
    await pass(60_000);
    expect((await ofOther()).kind).toBe('lost');
    finish.resolve('done');
    expect(await working).toBe('done');
    expect(await ofOther()).toEqual({ kind: 'acquired', token: 2, untilMs: clock.nowMs() + 9_000 });
    expect(clock.waiting).toBe(0);
  });

  test('begins when another lets go', async () => {
    await ofOther();
    let token = 0;
    const working = underLease(REQUEST, surroundings, async (lease) => {
      ({ token } = lease);
    });
    await pass(3_000);
    expect(token).toBe(0);
    await leases.release({ ...REQUEST, holder: 'b', token: 1 });
    await pass(3_000);
    await working;
    expect(token).toBe(2);
  });

  test('is told when the lease could not be renewed until its end, and not before', async () => {
    let lostAtMs = 0;
    const working = underLease(REQUEST, surroundings, async ({ signal }) => {
      signal.addEventListener('abort', () => {
        lostAtMs = clock.nowMs();
      });
      await clock.until(Number.MAX_SAFE_INTEGER, signal);
    });
    await settled();
    const untilMs = clock.nowMs() + REQUEST.ttlMs;
    away = true;
    await pass(9_000 + CLOCK_SKEW_MS);
    await working;
    expect(lostAtMs).toBe(untilMs);
  });

  test('is not told of a server that came back in time', async () => {
    const finish = Promise.withResolvers<boolean>();
    const working = underLease(REQUEST, surroundings, async ({ signal }) => (await finish.promise) && signal.aborted);
    await settled();
    away = true;
    await pass(6_000);
    away = false;
    await pass(30_000);
    finish.resolve(true);
    expect(await working).toBe(false);
  });

  test('is told when another has the lease, whose it stays', async () => {
    const working = underLease(REQUEST, surroundings, ({ signal }) => clock.until(Number.MAX_SAFE_INTEGER, signal));
    await settled();
    clock.advance(9_000 + CLOCK_SKEW_MS);
    await ofOther();
    await settled();
    await working;
    expect((await ofOther()).kind).toBe('renewed');
  });

  test('that fails lets the lease go, and its fault is seen', async () => {
    const failing = () => underLease(REQUEST, surroundings, () => Promise.reject(new Error('no')));
    expect(await faultOf(failing)).toEqual(new Error('no'));
    expect((await ofOther()).kind).toBe('acquired');
  });
});
