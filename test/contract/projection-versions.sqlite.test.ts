import { openReadModelStore } from '../../src/adapters/sqlite/read-model-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { projectionVersionsContract } from './projection-versions.suite.ts';

projectionVersionsContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  const readModels = openReadModelStore(directory.file('read-models.db'));
  return {
    readModels,
    async close() {
      await readModels.close();
      directory.remove();
    },
  };
});
