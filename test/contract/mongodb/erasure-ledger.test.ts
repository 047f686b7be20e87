import { EVENTSTOREDB_POSITIONS } from '../../../src/adapters/eventstoredb/positions.ts';
import { openErasureLedger } from '../../../src/adapters/mongodb/erasure-ledger.ts';
import { erasureLedgerContract } from '../erasure-ledger.suite.ts';
import { reopening } from '../reopening.ts';
import { mongoServers } from './servers.ts';

for (const server of mongoServers()) {
  erasureLedgerContract(server.name, async () => {
    const database = server.empty();
    const open = async () => openErasureLedger(await database.open(), EVENTSTOREDB_POSITIONS);
    return reopening(await open(), open, () => database.remove());
  });
}
