import { describe, expect, test } from 'bun:test';
import type { Renewal } from '../../../src/ports/leases.ts';
import { type KeptLease, NodeLeases } from '../../../src/runtime/node-leases.ts';
import { runPartitioned } from '../../../src/runtime/partitions.ts';
import { movedClock } from '../../support/clock.ts';
import { rightClock, scriptedLeases } from '../../support/leases.ts';
import { collectedLog } from '../../support/log.ts';

const TTL_MS = 9_000;
const RENEWAL_MS = TTL_MS / 3;
const NAMES = ['bookings', 'keys', 'vouchers'];
const NEVER = new AbortController().signal;

/** A node, on leases that a test can take away. */
function scene() {
  const [clock, log] = [movedClock(0), collectedLog()];
  const leases = scriptedLeases(clock);
  const node = new NodeLeases({ leases, holder: 'here', ttlMs: TTL_MS, clock, clockCheck: rightClock, log });
  const keep = async (name: string): Promise<KeptLease> => {
    const taken = await node.take(name);
    if (taken.kind === 'lost') throw new Error(`${name} is held by ${taken.holder}`);
    return node.keep({ name, ...taken });
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = async (ms: number): Promise<void> => {
    clock.advance(ms);
    await settle();
  };
  return { clock, log, leases, node, keep, keepAll: () => Promise.all(NAMES.map(keep)), settle, pass };
}

const lostOnes = (kept: readonly KeptLease[]): readonly string[] =>
  NAMES.filter((_, index) => kept[index]?.lost.aborted === true);

describe('the leases of a node', () => {
  test('are renewed together, by one command per third of their duration', async () => {
    const { leases, keepAll, pass } = scene();
    const kept = await keepAll();
    for (let renewal = 0; renewal < 6; renewal++) await pass(RENEWAL_MS);
    expect(leases.renewals).toEqual(Array.from({ length: 6 }, () => NAMES));
    expect([leases.looks, lostOnes(kept)]).toEqual([[], []]);
  });

  test('are renewed within a third of their duration, whenever they were taken', async () => {
    const { leases, keep, pass } = scene();
    await keep('bookings');
    await pass(RENEWAL_MS - 1);
    await keep('keys');
    await pass(1);
    expect(leases.renewals).toEqual([['bookings', 'keys']]);
  });

  test('are lost one by one: only the work under the lost one stops', async () => {
    const { leases, keepAll, pass } = scene();
    const kept = await keepAll();
    leases.takeAway('keys');
    await pass(RENEWAL_MS);
    expect(lostOnes(kept)).toEqual(['keys']);
    for (let renewal = 0; renewal < 4; renewal++) await pass(RENEWAL_MS);
    expect([lostOnes(kept), leases.renewals.at(-1)]).toEqual([['keys'], ['bookings', 'vouchers']]);
    await kept[1]?.release();
    expect(leases.holder('keys')).toBe('somebody else');
  });

  test('are lost where their token is another one, though the holder is the same', async () => {
    const { leases, node, keep, pass } = scene();
    const kept = await keep('bookings');
    leases.free('bookings');
    await node.take('bookings');
    await pass(RENEWAL_MS);
    expect(kept.lost.aborted).toBe(true);
  });

  test('last until their end while renewals fail, and continue when one succeeds before', async () => {
    const { leases, log, keepAll, pass } = scene();
    const kept = await keepAll();
    leases.state = 'away';
    for (const ms of [RENEWAL_MS, RENEWAL_MS, RENEWAL_MS - 1]) await pass(ms);
    expect([lostOnes(kept), leases.renewals.length]).toEqual([[], 2]);
    await pass(1);
    expect(lostOnes(kept)).toEqual(NAMES);
    expect(log.lines.map(({ happening }) => happening)).toEqual(['leases cannot be taken or renewed']);

    leases.state = 'there';
    const again = await keepAll();
    leases.state = 'away';
    await pass(RENEWAL_MS);
    leases.state = 'there';
    await pass(RENEWAL_MS);
    await pass(TTL_MS - 1);
    expect(lostOnes(again)).toEqual([]);
  });

  test('are renewed by an answer that comes before their end; a late one delays no other lease', async () => {
    const { clock, leases, keep, pass, settle } = scene();
    const slow = Promise.withResolvers<Renewal>();
    const scripted = { ...leases };
    leases.renew = () => slow.promise;
    const early = await keep('bookings');
    await pass(RENEWAL_MS);
    leases.renew = (...args) => scripted.renew(...args);
    const late = await keep('keys');
    await pass(RENEWAL_MS);
    expect(leases.renewals).toEqual([['keys']]);
    slow.resolve({ untilMs: clock.nowMs() + TTL_MS, lost: new Set() });
    await settle();
    await pass(RENEWAL_MS);
    expect([early.lost.aborted, late.lost.aborted, leases.renewals.at(-1)]).toEqual([
      false,
      false,
      ['bookings', 'keys'],
    ]);
  });

  test('that end during a renewal are lost, whatever its answer', async () => {
    const { clock, leases, keep, pass, settle } = scene();
    const slow = Promise.withResolvers<Renewal>();
    const scripted = { ...leases };
    leases.renew = () => slow.promise;
    const old = await keep('bookings');
    await pass(RENEWAL_MS);
    await pass(TTL_MS - RENEWAL_MS);
    expect(old.lost.aborted).toBe(true);
    leases.renew = (...args) => scripted.renew(...args);
    const again = await keep('bookings');
    slow.resolve({ untilMs: clock.nowMs() + 1, lost: new Set(['bookings']) });
    await settle();
    await pass(RENEWAL_MS);
    expect([old.lost.aborted, again.lost.aborted]).toEqual([true, false]);
  });

  test('are released at a stop and not renewed again; without a lease nothing happens', async () => {
    const { clock, leases, keepAll, pass } = scene();
    const kept = await keepAll();
    await kept[0]?.release();
    await pass(RENEWAL_MS);
    expect([leases.holder('bookings'), leases.renewals]).toEqual([null, [['keys', 'vouchers']]]);
    await Promise.all(kept.map((one) => one.release()));
    expect(clock.waiting).toBe(0);
    await pass(TTL_MS);
    expect([NAMES.map((name) => leases.holder(name)), leases.renewals.length]).toEqual([[null, null, null], 1]);
  });

  test('that it waits for are looked at by one read per turn', async () => {
    const { leases, node, settle, pass } = scene();
    for (const name of NAMES) leases.takeAway(name);
    const available: boolean[] = [];
    const wait = async (name: string): Promise<void> => {
      for (let look = 0; look < 3; look++) {
        available.push(await node.available(name));
        await node.nextTurn(NEVER);
      }
    };
    const waiting = NAMES.map(wait);
    await settle();
    await pass(RENEWAL_MS);
    leases.free('keys');
    await pass(RENEWAL_MS);
    expect(leases.looks).toEqual(Array.from({ length: 3 }, () => NAMES));
    expect(available).toEqual([false, false, false, false, false, false, false, true, false]);
    await pass(RENEWAL_MS);
    await Promise.all(waiting);
  });

  test('cost one write and one read per turn, partitions included', async () => {
    const { leases, node, keepAll, settle, pass } = scene();
    await keepAll();
    const acquire = () => Promise.resolve({ stop: () => Promise.resolve() });
    const start = () => Promise.resolve({ acquire, stop: () => Promise.resolve() });
    const work = runPartitioned({ name: 'gates', partitions: 4 }, start, node);
    await settle();
    const [before, looks] = [leases.renewals.length, leases.looks.length];
    for (let turn = 0; turn < 5; turn++) await pass(RENEWAL_MS);
    expect([leases.renewals.length - before, leases.looks.length - looks]).toEqual([5, 5]);
    expect(leases.renewals.at(-1)).toHaveLength(3 + 1 + 4);
    await work.stop();
  });
});
