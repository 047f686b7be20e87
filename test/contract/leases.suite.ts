import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { Clock } from '../../src/ports/clock.ts';
import { CLOCK_SKEW_MS, type Leases } from '../../src/ports/leases.ts';
import { type MovedClock, movedClock } from '../support/clock.ts';
import { faultOf } from '../support/fault.ts';

type OpenedLeases = {
  /** Opens the leases again on the same data with another clock, as another node does. */
  open(clock: Clock): Promise<Leases>;
  /** Closes everything and removes the data. */
  close(): Promise<void>;
};

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const START_MS = Date.parse('2026-11-21T03:00:00Z');
const TTL_MS = 10_000;
const END_MS = START_MS + TTL_MS;
const NAME = 'projection bookings';

/**
 * The contract of the port Leases.
 *
 * @param openEmpty opens leases without holders
 */
export function leasesContract(name: string, openEmpty: () => Promise<OpenedLeases>): void {
  describe(`the leases contract: ${name}`, () => {
    let opened: OpenedLeases;
    let clock: MovedClock;
    let leases: Leases;

    beforeEach(async () => {
      opened = await openEmpty();
      clock = movedClock(START_MS);
      leases = await opened.open(clock);
    });
    afterEach(() => opened.close());

    const take = (holder: string, from: Leases = leases) => from.take({ name: NAME, holder, ttlMs: TTL_MS });

    test('the first node gets the lease, another node does not', async () => {
      expect(await take('a')).toEqual({ kind: 'acquired', token: 1, untilMs: END_MS });
      clock.advance(1);
      expect(await take('b')).toEqual({ kind: 'lost', holder: 'a', untilMs: END_MS });
    });

    test('its holder renews it from now on, with the same token', async () => {
      await take('a');
      clock.advance(4_000);
      expect(await take('a')).toEqual({ kind: 'renewed', token: 1, untilMs: END_MS + 4_000 });
      clock.set(END_MS + CLOCK_SKEW_MS);
      expect(await take('b')).toEqual({ kind: 'lost', holder: 'a', untilMs: END_MS + 4_000 });
    });

    test('another node gets it after its end plus the clock skew, and not before', async () => {
      await take('a');
      clock.set(END_MS + CLOCK_SKEW_MS - 1);
      expect(await take('b')).toEqual({ kind: 'lost', holder: 'a', untilMs: END_MS });
      clock.advance(1);
      expect(await take('b')).toEqual({ kind: 'acquired', token: 2, untilMs: END_MS + CLOCK_SKEW_MS + TTL_MS });
      expect(await take('a')).toEqual({ kind: 'lost', holder: 'b', untilMs: END_MS + CLOCK_SKEW_MS + TTL_MS });
    });

    test('its holder still gets it after its end, if no other node took it', async () => {
      await take('a');
      clock.advance(86_400_000);
      expect(await take('a')).toEqual({ kind: 'renewed', token: 1, untilMs: END_MS + 86_400_000 });
    });

    test('a released lease is available at once, with a new token', async () => {
      await take('a');
      await leases.release({ name: NAME, holder: 'a', token: 1 });
      expect(await take('b')).toEqual({ kind: 'acquired', token: 2, untilMs: END_MS });
      await leases.release({ name: NAME, holder: 'b', token: 2 });
      expect(await take('b')).toEqual({ kind: 'acquired', token: 3, untilMs: END_MS });
    });

    test.each([
      ['by another holder', { name: NAME, holder: 'b', token: 1 }],
      ['with another token', { name: NAME, holder: 'a', token: 2 }],
      ['of another name', { name: 'projection keys', holder: 'a', token: 1 }],
    ])('a release %s has no effect', async (_, held) => {
      await take('a');
      await leases.release(held);
      expect(await take('b')).toEqual({ kind: 'lost', holder: 'a', untilMs: END_MS });
    });

    test('each name has its own lease', async () => {
      await take('a');
      const other = { name: 'projection keys', holder: 'b', ttlMs: 1 };
      expect(await leases.take(other)).toEqual({ kind: 'acquired', token: 1, untilMs: START_MS + 1 });
      expect(await take('a')).toEqual({ kind: 'renewed', token: 1, untilMs: END_MS });
    });

    test('lease and token are kept when the store is reopened', async () => {
      await take('a');
      await leases.close();
      const again = await opened.open(clock);
      expect(await take('b', again)).toEqual({ kind: 'lost', holder: 'a', untilMs: END_MS });
      await again.release({ name: NAME, holder: 'a', token: 1 });
      await again.close();
      expect(await take('b', await opened.open(clock))).toEqual({ kind: 'acquired', token: 2, untilMs: END_MS });
    });

    test('of many concurrent requests, one succeeds', async () => {
      const other = await opened.open(clock);
      for (const token of [1, 2]) {
        const requests = Array.from({ length: 12 }, (_, n) => ({
          holder: `${token}-${n}`,
          from: n % 2 === 0 ? leases : other,
        }));
        const answers = await Promise.all(requests.map(({ holder, from }) => take(holder, from)));
        const [holder] = requests.filter((_, n) => answers[n]?.kind !== 'lost').map((request) => request.holder);
        const untilMs = clock.nowMs() + TTL_MS;
        expect(answers).toEqual(
          requests.map((request) =>
            request.holder === holder
              ? { kind: 'acquired', token, untilMs }
              : { kind: 'lost', holder: String(holder), untilMs },
          ),
        );
        clock.advance(TTL_MS + CLOCK_SKEW_MS);
      }
    });

    test('all leases of a holder are renewed together, each with its token, also after their end', async () => {
      const names = Array.from({ length: 120 }, (_, n) => `lease ${n}`);
      const taken = await Promise.all(names.map((each) => leases.take({ name: each, holder: 'a', ttlMs: TTL_MS })));
      expect(new Set(taken.map(({ kind }) => kind))).toEqual(new Set(['acquired']));
      clock.set(END_MS + CLOCK_SKEW_MS + 1);
      const untilMs = clock.nowMs() + TTL_MS;
      const held = names.map((each) => ({ name: each, token: 1 }));
      expect(await leases.renew(held, { holder: 'a', ttlMs: TTL_MS })).toEqual({ untilMs, lost: new Set() });
      clock.set(untilMs + CLOCK_SKEW_MS - 1);
      for (const each of ['lease 0', 'lease 119'])
        expect(await leases.take({ name: each, holder: 'b', ttlMs: 1 })).toEqual({
          kind: 'lost',
          holder: 'a',
          untilMs,
        });
      expect(await leases.take({ name: 'lease 7', holder: 'a', ttlMs: 1 })).toMatchObject({ token: 1 });
      expect(await leases.renew([], { holder: 'a', ttlMs: 1 })).toMatchObject({ lost: new Set() });
    });

    test('a renewal loses what is released, taken over or has another token, and changes nothing of it', async () => {
      const [kept, released, overtaken, older, never] = ['kept', 'released', 'overtaken', 'older', 'never'] as const;
      for (const each of [kept, released, overtaken, older])
        await leases.take({ name: each, holder: 'a', ttlMs: TTL_MS });
      clock.set(END_MS + CLOCK_SKEW_MS);
      const ttlMs = TTL_MS;
      const theirs = await leases.take({ name: overtaken, holder: 'b', ttlMs });
      await leases.release({ name: released, holder: 'a', token: 1 });
      await leases.release({ name: older, holder: 'a', token: 1 });
      await leases.take({ name: older, holder: 'a', ttlMs });
      clock.advance(1);
      const held = [kept, released, overtaken, older, never].map((each) => ({ name: each, token: 1 }));
      expect(await leases.renew(held, { holder: 'a', ttlMs })).toEqual({
        untilMs: clock.nowMs() + ttlMs,
        lost: new Set([released, overtaken, older, never]),
      });
      const asked = (each: string) => leases.take({ name: each, holder: 'c', ttlMs });
      const { untilMs } = theirs;
      expect(await asked(overtaken)).toEqual({ kind: 'lost', holder: 'b', untilMs });
      expect(await asked(older)).toEqual({ kind: 'lost', holder: 'a', untilMs: clock.nowMs() - 1 + ttlMs });
      expect(await asked(kept)).toEqual({ kind: 'lost', holder: 'a', untilMs: clock.nowMs() + ttlMs });
      expect([await asked(released), await asked(never)]).toMatchObject([
        { kind: 'acquired', token: 2 },
        { kind: 'acquired', token: 1 },
      ]);
    });

    test('`held` returns leases until other nodes may take them', async () => {
      const names = [NAME, 'projection keys', 'projection vouchers'];
      expect(await leases.held(names)).toEqual([]);
      await take('a');
      await leases.take({ name: 'projection keys', holder: 'b', ttlMs: 1 });
      await leases.take({ name: 'of another kind', holder: 'b', ttlMs: TTL_MS });
      await leases.take({ name: 'projection vouchers', holder: 'b', ttlMs: TTL_MS });
      await leases.release({ name: 'projection vouchers', holder: 'b', token: 1 });
      const [mine, others] = [
        { name: NAME, holder: 'a' },
        { name: 'projection keys', holder: 'b' },
      ];
      const held = async () => (await leases.held(names)).toSorted((left, right) => (left.name < right.name ? -1 : 1));
      expect(await held()).toEqual([mine, others].toSorted((left, right) => (left.name < right.name ? -1 : 1)));
      clock.advance(CLOCK_SKEW_MS + 1);
      expect(await held()).toEqual([mine]);
      clock.set(END_MS + CLOCK_SKEW_MS - 1);
      expect(await held()).toEqual([mine]);
      clock.advance(1);
      expect(await held()).toEqual([]);
      expect(await leases.held([])).toEqual([]);
    });

    test('`list` says who holds what, since when and until when', async () => {
      const startMs = clock.nowMs();
      expect(await leases.list()).toEqual([]);
      await take('a');
      await leases.take({ name: 'a projection', holder: 'b', ttlMs: TTL_MS });
      await leases.take({ name: 'released', holder: 'b', ttlMs: TTL_MS });
      await leases.release({ name: 'released', holder: 'b', token: 1 });
      clock.advance(1);
      await leases.renew([{ name: NAME, token: 1 }], { holder: 'a', ttlMs: TTL_MS });
      const untilMs = startMs + TTL_MS;
      const listed = [
        { name: NAME, holder: 'a', sinceMs: startMs, untilMs: untilMs + 1 },
        { name: 'a projection', holder: 'b', sinceMs: startMs, untilMs },
      ];
      expect(await leases.list()).toEqual(listed.toSorted((left, right) => (left.name < right.name ? -1 : 1)));
      clock.set(untilMs + CLOCK_SKEW_MS + 1);
      expect(await leases.take({ name: NAME, holder: 'b', ttlMs: TTL_MS })).toMatchObject({ kind: 'acquired' });
      expect(await leases.list()).toEqual([
        { name: NAME, holder: 'b', sinceMs: clock.nowMs(), untilMs: clock.nowMs() + TTL_MS },
      ]);
    });

    test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('a lease for %p ms is refused', async (ttlMs) => {
      expect(await faultOf(() => leases.take({ name: NAME, holder: 'a', ttlMs }))).toBeInstanceOf(RangeError);
      expect(await faultOf(() => leases.renew([], { holder: 'a', ttlMs }))).toBeInstanceOf(RangeError);
    });

    test('reject every call after close; close may be repeated', async () => {
      await leases.close();
      await leases.close();
      const closed = new Error('the leases are closed');
      expect(await faultOf(() => take('a'))).toEqual(closed);
      expect(await faultOf(() => leases.renew([], { holder: 'a', ttlMs: 1 }))).toEqual(closed);
      expect(await faultOf(() => leases.held([NAME]))).toEqual(closed);
      expect(await faultOf(() => leases.release({ name: NAME, holder: 'a', token: 1 }))).toEqual(closed);
    });

    const STEP = fc.record({
      passes: fc.oneof(fc.constantFrom(0, 1, TTL_MS, CLOCK_SKEW_MS), fc.nat({ max: 2 * TTL_MS })),
      node: fc.nat({ max: 2 }),
      act: fc.constantFrom('take', 'take', 'renew', 'renew', 'release'),
    });

    test(`with clocks that differ by the skew, a lease never has two holders, and tokens only grow (seed ${SEED})`, async () => {
      const one = fc.asyncProperty(
        fc.array(STEP, { maxLength: 40 }),
        fc.array(fc.nat({ max: CLOCK_SKEW_MS }), { minLength: 3, maxLength: 3 }),
        async (steps, aheads) => {
          const subject = await openEmpty();
          try {
            let nowMs = START_MS;
            const clocks = aheads.map((aheadMs) => movedClock(nowMs + aheadMs));
            const nodes = await Promise.all(clocks.map((own) => subject.open(own)));
            /** The end of each node's lease in real time, and its token. */
            const beliefs = aheads.map(() => ({ untilMs: 0, token: 0 }));
            let newest = 0;
            for (const { passes, node, act } of steps) {
              nowMs += passes;
              for (const [n, own] of clocks.entries()) own.set(nowMs + (aheads[n] ?? 0));
              const held = { name: NAME, holder: `node-${node}`, token: beliefs[node]?.token ?? 0 };
              if (act === 'release') {
                await nodes[node]?.release(held);
                beliefs[node] = { untilMs: 0, token: 0 };
                continue;
              }
              if (act === 'renew') {
                const renewed = await nodes[node]?.renew([held], { holder: held.holder, ttlMs: TTL_MS });
                if (renewed?.lost.size !== 0) continue;
                expect(held.token).toBe(newest);
                beliefs[node] = { untilMs: renewed.untilMs - (aheads[node] ?? 0), token: held.token };
                expect(beliefs.filter(({ untilMs }, n) => n !== node && untilMs > nowMs)).toEqual([]);
                continue;
              }
              const answer = await nodes[node]?.take({ ...held, ttlMs: TTL_MS });
              if (answer === undefined || answer.kind === 'lost') continue;
              beliefs[node] = { untilMs: answer.untilMs - (aheads[node] ?? 0), token: answer.token };
              const others = beliefs.filter(({ untilMs }, n) => n !== node && untilMs > nowMs);
              expect(others).toEqual([]);
              if (answer.kind === 'acquired') expect(answer.token).toBe(newest + 1);
              else expect(answer.token).toBe(newest);
              newest = answer.token;
            }
          } finally {
            await subject.close();
          }
        },
      );
      await fc.assert(one, { seed: SEED, numRuns: 30 });
    }, 60_000);
  });
}
