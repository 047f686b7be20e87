import { openKeyUse } from '../../../src/adapters/mongodb/key-use.ts';
import { keyUseContract } from '../key-use.suite.ts';
import { mongoServers } from './servers.ts';

for (const server of mongoServers()) {
  keyUseContract(server.name, async () => {
    const database = server.empty();
    let keyUse = openKeyUse(await database.open());
    return {
      keyUse,
      async reopen() {
        await keyUse.close();
        keyUse = openKeyUse(await database.open());
        return keyUse;
      },
      close: () => database.remove(),
    };
  });
}
