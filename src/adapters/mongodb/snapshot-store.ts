import type { Snapshot, SnapshotStore } from '../../ports/snapshot-store.ts';
import { SNAPSHOTS } from './collection-names.ts';
import type { Database } from './database.ts';
import { isRefusal } from './server-faults.ts';

type Kept = Snapshot & {
  readonly _id: string;
  readonly savedAtMs: number;
};

/**
 * Snapshots that all nodes share: one document per stream and version of its state. A lost write does no harm, so a write
 * does not wait for other servers or for the disk.
 *
 * @param database stays open when this is closed
 */
export function openSnapshotStore({ db }: Database): SnapshotStore {
  const documents = db.collection<Kept>(SNAPSHOTS, { readPreference: 'primary', writeConcern: { w: 1 } });
  let open = true;
  const assertOpen = (): void => {
    if (!open) throw new Error('the snapshots are closed');
  };
  return {
    async load(stream, version) {
      assertOpen();
      const found = await documents.findOne({ _id: idOf({ stream, version }) });
      if (found === null) return null;
      const { _id, savedAtMs: _savedAtMs, ...snapshot } = found;
      return snapshot;
    },
    async save(snapshot, savedAtMs) {
      assertOpen();
      try {
        const older = { _id: idOf(snapshot), revision: { $lt: snapshot.revision } };
        await documents.replaceOne(older, { ...snapshot, savedAtMs }, { upsert: true });
      } catch (fault) {
        // A snapshot that is not older exists.
        if (!isRefusal(fault, 'DuplicateKey')) throw fault;
      }
    },
    async remove(snapshot) {
      assertOpen();
      await documents.deleteOne({ _id: idOf(snapshot), digest: snapshot.digest });
    },
    async removeBefore(savedAtMs) {
      assertOpen();
      await documents.deleteMany({ savedAtMs: { $lt: savedAtMs } });
    },
    async close() {
      open = false;
    },
  };
}

function idOf({ stream, version }: Pick<Snapshot, 'stream' | 'version'>): string {
  return `${stream} v${version}`;
}
