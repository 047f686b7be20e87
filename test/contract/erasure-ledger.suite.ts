import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Position } from '../../src/eventsourcing/message.ts';
import type { Erasure, ErasureLedger } from '../../src/ports/erasure-ledger.ts';
import { faultOf } from '../support/fault.ts';
import type { Reopening } from './reopening.ts';

function erasure(booking: string, position: number): Erasure {
  return { booking, position: position as Position, at: '2026-11-21T03:00:00.000Z' };
}

/**
 * The contract of the port ErasureLedger.
 *
 * @param open opens an empty ledger for one test
 */
export function erasureLedgerContract(name: string, open: () => Promise<Reopening<ErasureLedger>>): void {
  describe(`the erasure ledger contract: ${name}`, () => {
    let opened: Reopening<ErasureLedger>;
    let ledger: ErasureLedger;
    const all = () => Array.fromAsync(ledger.newestFirst());

    beforeEach(async () => {
      opened = await open();
      ledger = opened.store;
    });
    afterEach(() => opened.close());

    test('has nothing at first', async () => {
      expect(await ledger.of('bk_1')).toBeNull();
      expect(await all()).toEqual([]);
    });

    test('lists the greatest position first, whatever the order of the records', async () => {
      for (const [booking, position] of [
        ['bk_1', 9],
        ['bk_2', 1_000_000],
        ['bk_3', 10],
      ] as const)
        await ledger.record(erasure(booking, position));
      expect(await all()).toEqual([erasure('bk_2', 1_000_000), erasure('bk_3', 10), erasure('bk_1', 9)]);
      expect(await ledger.of('bk_3')).toEqual(erasure('bk_3', 10));
    });

    test('has one entry per booking, with its last place', async () => {
      for (const position of [5, 5, 90]) await ledger.record(erasure('bk_1', position));
      await ledger.record(erasure('bk_2', 40));
      expect(await all()).toEqual([erasure('bk_1', 90), erasure('bk_2', 40)]);
    });

    test('lists bookings of one place, which two logs may have', async () => {
      await Promise.all(['bk_1', 'bk_2', 'bk_3'].map((booking) => ledger.record(erasure(booking, 7))));
      expect((await all()).map(({ booking }) => booking).sort()).toEqual(['bk_1', 'bk_2', 'bk_3']);
    });

    test('lists more entries than a page, each once', async () => {
      const entries = Array.from({ length: 1_203 }, (_, n) => erasure(`bk_${n}`, n + 1));
      await Promise.all(entries.map((entry) => ledger.record(entry)));
      expect(await all()).toEqual(entries.toReversed());
    });

    test('is kept after it is reopened', async () => {
      await ledger.record(erasure('bk_1', 3));
      ledger = await opened.reopen();
      expect(await all()).toEqual([erasure('bk_1', 3)]);
    });

    test('rejects every call after close; close may be repeated', async () => {
      await ledger.close();
      await ledger.close();
      const closed = new Error('the erasure ledger is closed');
      expect(await faultOf(() => ledger.record(erasure('bk_1', 1)))).toEqual(closed);
      expect(await faultOf(() => ledger.of('bk_1'))).toEqual(closed);
      expect(await faultOf(() => all())).toEqual(closed);
    });
  });
}
