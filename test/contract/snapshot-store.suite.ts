import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import type { Snapshot, SnapshotStore } from '../../src/ports/snapshot-store.ts';
import { MAX_SNAPSHOT_LENGTH } from '../../src/ports/snapshot-store.ts';
import { faultOf } from '../support/fault.ts';
import type { Reopening } from './reopening.ts';

const SNAPSHOT: Snapshot = {
  stream: 'allotment-river-walk-2026-12-24',
  version: 1,
  revision: 1_000,
  eventId: '3f0e9a5c-6c1b-4b63-8d1f-5b8a4f1f2a10',
  state: '{"status":"open","claims":{"":[["é ☃",{"size":2}]]}}',
  digest: 'e3b0c442',
};

/**
 * The contract of the port SnapshotStore.
 *
 * @param open opens an empty store for one test
 */
export function snapshotStoreContract(name: string, open: () => Promise<Reopening<SnapshotStore>>): void {
  describe(`the snapshot store contract: ${name}`, () => {
    let opened: Reopening<SnapshotStore>;
    let store: SnapshotStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    const load = (version = 1, stream = SNAPSHOT.stream): Promise<Snapshot | null> => store.load(stream, version);
    const revisionOf = async (version?: number): Promise<number | undefined> => (await load(version))?.revision;

    test('is empty at first', async () => {
      expect(await load()).toBeNull();
    });

    test('returns what was saved, also after it is reopened', async () => {
      await store.save(SNAPSHOT, 1);
      expect(await load()).toStrictEqual(SNAPSHOT);
      store = await opened.reopen();
      expect(await load()).toStrictEqual(SNAPSHOT);
    });

    test('keeps each stream and each version separately', async () => {
      const others = [{ version: 2 }, { stream: 'allotment-river-walk-2026-12-25' }];
      await store.save(SNAPSHOT, 1);
      for (const [at, other] of others.entries()) await store.save({ ...SNAPSHOT, ...other, revision: at }, 1);
      expect(await load()).toStrictEqual(SNAPSHOT);
      expect(await revisionOf(2)).toBe(0);
      expect(await load(3)).toBeNull();
    });

    test('keeps the newest of a stream, whatever the order', async () => {
      for (const revision of [1_000, 3_000, 2_000, 3_000]) {
        await store.save({ ...SNAPSHOT, revision, digest: `of ${revision}` }, 1);
      }
      expect(await load()).toStrictEqual({ ...SNAPSHOT, revision: 3_000, digest: 'of 3000' });
    });

    test('keeps the newest of those that several nodes save at once', async () => {
      const revisions = Array.from({ length: 20 }, (_, at) => 1_000 + ((at * 7) % 20));
      await Promise.all(revisions.map((revision) => store.save({ ...SNAPSHOT, revision }, 1)));
      expect(await revisionOf()).toBe(1_019);
    });

    test('removes the one that it is given, and no newer one', async () => {
      const newer = { ...SNAPSHOT, revision: 2_000, digest: 'newer' };
      await store.save(SNAPSHOT, 1);
      await store.save(newer, 1);
      await store.remove(SNAPSHOT);
      expect(await load()).toStrictEqual(newer);
      await store.remove(newer);
      await store.remove(newer);
      expect(await load()).toBeNull();
      await store.save(SNAPSHOT, 1);
      expect(await load()).toStrictEqual(SNAPSHOT);
    });

    test('removes those that were saved before a time, of all streams', async () => {
      await store.save(SNAPSHOT, 1_795_230_000_000);
      await store.save({ ...SNAPSHOT, version: 2 }, 1_795_230_000_001);
      await store.save({ ...SNAPSHOT, version: 3 }, 1_795_230_000_000);
      await store.save({ ...SNAPSHOT, version: 3, revision: 2_000 }, 1_795_230_000_002);
      await store.removeBefore(1_795_230_000_001);
      expect([await revisionOf(1), await revisionOf(2), await revisionOf(3)]).toEqual([undefined, 1_000, 2_000]);
    });

    test('holds the largest state', async () => {
      const large = { ...SNAPSHOT, state: JSON.stringify('☃'.repeat(MAX_SNAPSHOT_LENGTH - 2)) };
      expect(large.state).toHaveLength(MAX_SNAPSHOT_LENGTH);
      await store.save(large, 1);
      expect((await load())?.state === large.state).toBe(true);
    });

    test('rejects every call after close; close may be repeated', async () => {
      await store.close();
      await store.close();
      const closed = new Error('the snapshots are closed');
      expect(await faultOf(() => load())).toEqual(closed);
      expect(await faultOf(() => store.save(SNAPSHOT, 1))).toEqual(closed);
      expect(await faultOf(() => store.remove(SNAPSHOT))).toEqual(closed);
      expect(await faultOf(() => store.removeBefore(1))).toEqual(closed);
    });
  });
}
