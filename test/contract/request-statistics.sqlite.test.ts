import { openRequestStatisticsStore } from '../../src/adapters/sqlite/request-statistics.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { requestStatisticsContract } from './request-statistics.suite.ts';

requestStatisticsContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  let statistics = openRequestStatisticsStore(directory.file('key-use.db'));
  return {
    statistics,
    async reopen() {
      await statistics.close();
      statistics = openRequestStatisticsStore(directory.file('key-use.db'));
      return statistics;
    },
    async close() {
      await statistics.close();
      directory.remove();
    },
  };
});
