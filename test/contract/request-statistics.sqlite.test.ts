import { openRequestStatisticsStore } from '../../src/adapters/sqlite/request-statistics.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { reopening } from './reopening.ts';
import { requestStatisticsContract } from './request-statistics.suite.ts';

requestStatisticsContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  const open = () => openRequestStatisticsStore(directory.file('key-use.db'));
  return reopening(open(), open, () => directory.remove());
});
