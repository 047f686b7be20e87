import { openExposureStore } from '../../../src/adapters/mongodb/exposure-store.ts';
import { exposureStoreContract } from '../exposure-store.suite.ts';
import { reopening } from '../reopening.ts';
import { mongoServers } from './servers.ts';

for (const server of mongoServers()) {
  exposureStoreContract(server.name, async () => {
    const database = server.empty();
    const open = async () => openExposureStore(await database.open());
    return reopening(await open(), open, () => database.remove());
  });
}
