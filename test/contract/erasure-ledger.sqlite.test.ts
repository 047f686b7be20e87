import { expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { openErasureLedger } from '../../src/adapters/sqlite/erasure-ledger.ts';
import type { Position } from '../../src/eventsourcing/message.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { erasureLedgerContract } from './erasure-ledger.suite.ts';
import { reopening } from './reopening.ts';

erasureLedgerContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  const open = () => openErasureLedger(directory.file('apart/erasures.db'));
  return reopening(open(), open, () => directory.remove());
});

test('the ledger is one file, complete after each record, so that it can be copied', async () => {
  const directory = temporaryDirectory();
  const ledger = openErasureLedger(directory.file('erasures.db'));
  await ledger.record({ booking: 'bk_1', position: 1 as Position, at: '2026-11-21T03:00:00.000Z' });
  expect(readdirSync(directory.path)).toEqual(['erasures.db']);
  await ledger.close();
  directory.remove();
});
