import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { openErasureLedger } from '../../src/adapters/sqlite/erasure-ledger.ts';
import type { Position } from '../../src/eventsourcing/message.ts';
import { StoreUnavailable } from '../../src/ports/store-unavailable.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { erasureLedgerContract } from './erasure-ledger.suite.ts';
import { reopening } from './reopening.ts';

erasureLedgerContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  const open = () => openErasureLedger(directory.file('apart/erasures.db'));
  return reopening(open(), open, () => directory.remove());
});

const erasure = (booking: string, position = 1) => {
  return { booking, position: position as Position, at: '2026-11-21T03:00:00.000Z' };
};

describe('the file of the ledger', () => {
  test('is complete after each record, so that it can be copied', async () => {
    const directory = temporaryDirectory();
    const ledger = openErasureLedger(directory.file('erasures.db'));
    await ledger.record(erasure('bk_1'));
    expect(readdirSync(directory.path)).toEqual(['erasures.db']);
    await ledger.close();
    directory.remove();
  });

  test('is not written for an entry that it has', async () => {
    const directory = temporaryDirectory();
    const ledger = openErasureLedger(directory.file('erasures.db'));
    await ledger.record(erasure('bk_1'));
    using other = new Database(directory.file('erasures.db'), { readonly: true });
    const changes = () => other.query<{ data_version: number }, []>('PRAGMA data_version').get()?.data_version;
    const before = changes();
    await ledger.record(erasure('bk_1'));
    expect(changes()).toBe(before);
    await ledger.record(erasure('bk_1', 2));
    expect(changes()).not.toBe(before);
    await ledger.close();
    directory.remove();
  });

  /** The ledger while another connection reads it, as a copy does. */
  async function read() {
    const directory = temporaryDirectory();
    const ledger = openErasureLedger(directory.file('erasures.db'));
    await ledger.record(erasure('bk_1'));
    const reader = new Database(directory.file('erasures.db'), { readonly: true });
    reader.run('BEGIN');
    expect(reader.query('SELECT * FROM erasures').all()).toHaveLength(1);
    return {
      ledger,
      all: () => Array.fromAsync(ledger.newestFirst()),
      endReading: () => reader.close(),
      async [Symbol.asyncDispose]() {
        await ledger.close();
        directory.remove();
      },
    };
  }

  test('takes an entry after another connection has read it; meanwhile reads answer and no call blocks', async () => {
    await using scene = await read();
    const started = performance.now();
    const recorded = scene.ledger.record(erasure('bk_2', 2));
    // Several attempts.
    for (let turn = 0; turn < 1_000; turn++) await new Promise(setImmediate);
    expect(await scene.all()).toEqual([erasure('bk_1')]);
    expect(await scene.ledger.of('bk_2')).toBeNull();
    expect(performance.now() - started).toBeLessThan(1_000);
    scene.endReading();
    await recorded;
    expect(await scene.all()).toEqual([erasure('bk_2', 2), erasure('bk_1')]);
  });

  test('is unavailable if the other connection does not end; the entry follows with the next one', async () => {
    await using scene = await read();
    let longestMs = 0;
    let fault: unknown = null;
    const recorded = scene.ledger.record(erasure('bk_2', 2)).catch((reason: unknown) => {
      fault = reason;
    });
    for (let before = performance.now(); fault === null; ) {
      await new Promise(setImmediate);
      longestMs = Math.max(longestMs, performance.now() - before);
      before = performance.now();
    }
    await recorded;
    expect(fault).toEqual(new StoreUnavailable('erasure ledger', 'SQLite: another connection keeps the file in use'));
    expect(longestMs).toBeLessThan(1_000);
    scene.endReading();
    await scene.ledger.record(erasure('bk_3', 3));
    expect(await scene.all()).toEqual([erasure('bk_3', 3), erasure('bk_2', 2), erasure('bk_1')]);
  });
});
