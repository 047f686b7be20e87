import { openSnapshotStore } from '../../../src/adapters/mongodb/snapshot-store.ts';
import { reopening } from '../reopening.ts';
import { snapshotStoreContract } from '../snapshot-store.suite.ts';
import { mongoServers } from './servers.ts';

for (const server of mongoServers()) {
  snapshotStoreContract(server.name, async () => {
    const database = server.empty();
    const open = async () => openSnapshotStore(await database.open());
    return reopening(await open(), open, () => database.remove());
  });
}
