import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { openSnapshotStore } from '../../src/adapters/sqlite/snapshot-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { snapshotAt } from './event-store/scene.ts';
import { otherProcess } from './event-store/start-other-process.ts';
import { reopening } from './reopening.ts';
import { snapshotStoreContract } from './snapshot-store.suite.ts';

snapshotStoreContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  const open = () => openSnapshotStore(directory.file('snapshots.db'));
  return reopening(open(), open, () => directory.remove());
});

describe('the file of the snapshots', () => {
  test('holds a whole snapshot after a kill in the middle of saving', async () => {
    using directory = temporaryDirectory();
    await using writer = otherProcess('snapshot', directory.path);
    expect(await writer.line()).toBe('held');
    let saved = -1;
    while (saved < 20) saved = Number(await writer.line());
    await writer.kill();
    for (let line = await writer.line(); line !== null; line = await writer.line()) saved = Number(line);
    const store = openSnapshotStore(directory.file('snapshots.db'));
    const found = await store.load('booking-1', 1);
    expect(found?.revision).toBeGreaterThanOrEqual(saved);
    expect(found).toStrictEqual(snapshotAt(found?.revision ?? -1));
    await store.close();
  });

  test('is created again if it is not a database, or was deleted', async () => {
    using directory = temporaryDirectory();
    const path = directory.file('snapshots.db');
    writeFileSync(path, 'not a database '.repeat(1_000));
    for (const _ of ['created', 'reopened']) {
      const store = openSnapshotStore(path);
      await store.save(snapshotAt(1), 1);
      expect((await store.load('booking-1', 1))?.revision).toBe(1);
      await store.close();
    }
    expect(readFileSync(path).subarray(0, 15).toString()).toBe('SQLite format 3');
  });
});
