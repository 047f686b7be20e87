import { EVENTSTOREDB_POSITIONS } from '../../../src/adapters/eventstoredb/positions.ts';
import { openReadModelStore } from '../../../src/adapters/mongodb/read-model-store.ts';
import type { ReadModelStore } from '../../../src/ports/read-model-store.ts';
import { readModelStoreContract } from '../read-model-store.suite.ts';
import { mongoServers } from './servers.ts';

for (const server of mongoServers()) {
  readModelStoreContract(server.name, async () => {
    const database = server.empty();
    const opened: ReadModelStore[] = [];
    const open = async (): Promise<ReadModelStore> => {
      const store = openReadModelStore(await database.open(), EVENTSTOREDB_POSITIONS);
      opened.push(store);
      return store;
    };
    return {
      store: await open(),
      async reopen() {
        await Promise.all(opened.map((store) => store.close()));
        return open();
      },
      openAgain: open,
      close: () => database.remove(),
    };
  });
}
