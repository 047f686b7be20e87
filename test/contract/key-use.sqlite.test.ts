import { openKeyUse } from '../../src/adapters/sqlite/key-use.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { keyUseContract } from './key-use.suite.ts';

keyUseContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  let keyUse = openKeyUse(directory.file('key-use.db'));
  return {
    keyUse,
    async reopen() {
      await keyUse.close();
      keyUse = openKeyUse(directory.file('key-use.db'));
      return keyUse;
    },
    async close() {
      await keyUse.close();
      directory.remove();
    },
  };
});
