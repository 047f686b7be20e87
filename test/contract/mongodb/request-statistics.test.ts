import { openRequestStatisticsStore } from '../../../src/adapters/mongodb/request-statistics.ts';
import { reopening } from '../reopening.ts';
import { requestStatisticsContract } from '../request-statistics.suite.ts';
import { mongoServers } from './servers.ts';

for (const server of mongoServers()) {
  requestStatisticsContract(server.name, async () => {
    const database = server.empty();
    const open = async () => openRequestStatisticsStore(await database.open());
    return reopening(await open(), open, () => database.remove());
  });
}
