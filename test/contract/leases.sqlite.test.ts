import { openLeases } from '../../src/adapters/sqlite/leases.ts';
import type { Leases } from '../../src/ports/leases.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { leasesContract } from './leases.suite.ts';

leasesContract('embedded, SQLite', async () => {
  const directory = temporaryDirectory();
  const opened: Leases[] = [];
  return {
    async open(clock) {
      const leases = openLeases(directory.file('leases.db'), clock);
      opened.push(leases);
      return leases;
    },
    async close() {
      await Promise.all(opened.map((leases) => leases.close()));
      directory.remove();
    },
  };
});
