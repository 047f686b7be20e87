import { EVENTSTOREDB_POSITIONS } from '../../../src/adapters/eventstoredb/positions.ts';
import { openReadModelStore } from '../../../src/adapters/mongodb/read-model-store.ts';
import { sumsAreAsDefined } from '../../unit/projections/sums.suite.ts';
import { mongoServers } from './servers.ts';

/** Fewer than without a network. */
const RUNS = 15;

for (const server of mongoServers()) {
  sumsAreAsDefined(
    server.name,
    async () => {
      const database = server.empty();
      const store = openReadModelStore(await database.open(), EVENTSTOREDB_POSITIONS);
      return { store, [Symbol.asyncDispose]: () => database.remove() };
    },
    RUNS,
  );
}
