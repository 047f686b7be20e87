import { describe, expect, test } from 'bun:test';
import { electByLease } from '../../../src/runtime/leader-election.ts';
import { movedClock } from '../../support/clock.ts';
import { rightClock, scriptedLeases } from '../../support/leases.ts';
import { collectedLog } from '../../support/log.ts';

const NAME = 'evaluation';
const TTL_MS = 9_000;
const RENEWAL_MS = TTL_MS / 3;

function scene() {
  const [clock, log] = [movedClock(0), collectedLog()];
  const leases = scriptedLeases(clock);
  const electionOf = (holder: string) =>
    electByLease({ leases, holder, ttlMs: TTL_MS, clock, clockCheck: rightClock, log });
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  return { leases, electionOf, pass };
}

describe('a lease that is taken without waiting', () => {
  test('is kept until it is released; while another node holds it there is none', async () => {
    const { leases, electionOf, pass } = scene();
    const kept = await electionOf('here').takeLease(NAME);
    for (let turn = 0; turn < 4; turn++) await pass(RENEWAL_MS);
    expect(await electionOf('there').takeLease(NAME)).toBeNull();
    expect([kept?.lost.aborted, leases.holder(NAME)]).toEqual([false, 'here']);
    await kept?.release();
    const next = await electionOf('there').takeLease(NAME);
    expect(leases.holder(NAME)).toBe('there');
    await next?.release();
  });

  test('aborts its signal when another node takes it', async () => {
    const { leases, electionOf, pass } = scene();
    const kept = await electionOf('here').takeLease(NAME);
    leases.takeAway(NAME);
    await pass(RENEWAL_MS);
    expect(kept?.lost.aborted).toBe(true);
    await kept?.release();
    expect(leases.holder(NAME)).not.toBeNull();
  });
});
