import { openRequestStatisticsStore } from '../../../src/adapters/mongodb/request-statistics.ts';
import { requestStatisticsContract } from '../request-statistics.suite.ts';
import { mongoServers } from './servers.ts';

for (const server of mongoServers()) {
  requestStatisticsContract(server.name, async () => {
    const database = server.empty();
    let statistics = openRequestStatisticsStore(await database.open());
    return {
      statistics,
      async reopen() {
        await statistics.close();
        statistics = openRequestStatisticsStore(await database.open());
        return statistics;
      },
      close: () => database.remove(),
    };
  });
}
