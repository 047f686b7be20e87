import { openExposureStore } from '../../src/adapters/sqlite/exposure-store.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { exposureStoreContract } from './exposure-store.suite.ts';
import { reopening } from './reopening.ts';

exposureStoreContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  const open = () => openExposureStore(directory.file('exposure.db'));
  return reopening(open(), open, () => directory.remove());
});
