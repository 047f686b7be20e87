import { EVENTSTOREDB_POSITIONS } from '../../../src/adapters/eventstoredb/positions.ts';
import { openReadModelStore } from '../../../src/adapters/mongodb/read-model-store.ts';
import { projectionVersionsContract } from '../projection-versions.suite.ts';
import { mongoServers } from './servers.ts';

for (const server of mongoServers()) {
  projectionVersionsContract(server.name, async () => {
    const place = server.empty();
    const readModels = openReadModelStore(await place.open(), EVENTSTOREDB_POSITIONS);
    return {
      readModels,
      async close() {
        await readModels.close();
        await place.remove();
      },
    };
  });
}
