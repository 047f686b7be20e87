import { openLeases } from '../../../src/adapters/mongodb/leases.ts';
import { leasesContract } from '../leases.suite.ts';
import { mongoServers } from './servers.ts';

for (const server of mongoServers()) {
  leasesContract(server.name, async () => {
    const database = server.empty();
    return {
      open: async (clock) => openLeases(await database.open(), clock),
      close: () => database.remove(),
    };
  });
}
