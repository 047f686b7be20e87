import { expect, test } from 'bun:test';
import type { Database } from '../../../src/adapters/mongodb/database.ts';
import { seededRandom } from '../../chaos/kill/random.ts';
import { eventually, pause } from '../../chaos/kill/real-time.ts';
import { BUILD_MS, startFerretDb } from '../../support/peers/ferretdb.ts';
import { databaseAt } from './servers.ts';

const NODES = 8;
const QUERIES = 4;
const DEATHS = 14;
const SEED = 20_261_121;
/** Far longer than any query may take. */
const ENDED_MS = 30_000;

/**
 * The driver waits for write space before it reads an answer. If the connection ended at that moment, it was not notified,
 * and the query or heartbeat never ended (patches/README.md).
 */
test(
  `every query ends, whenever the server is killed (seed ${SEED})`,
  async () => {
    await using server = await startFerretDb();
    const place = databaseAt(server.url);
    const nodes = await Promise.all(Array.from({ length: NODES }, () => place.open()));
    const random = seededRandom(SEED);
    let stopped = false;
    let open = NODES * QUERIES;
    const ask = async ({ db }: Database): Promise<void> => {
      while (!stopped) {
        // The test ignores the result: the server may be down.
        await db
          .collection('queries')
          .findOne({})
          .catch(() => null);
        await pause(1);
      }
      open -= 1;
    };
    for (const node of nodes) for (let count = 0; count < QUERIES; count++) void ask(node);
    for (let death = 0; death < DEATHS; death++) {
      await pause(random.whole(50, 300));
      await server.kill();
      await pause(random.whole(0, 200));
      await server.restart();
      // After a failed heartbeat, the driver tries again half a second later.
      await pause(600);
    }
    stopped = true;
    await eventually(() => Promise.resolve(open === 0), ENDED_MS);
    expect(open).toBe(0);
    const heads = await Promise.all(nodes.map(({ db }) => db.command({ ping: 1 })));
    expect(heads.map(({ ok }) => ok)).toEqual(nodes.map(() => 1));
    await place.remove();
  },
  BUILD_MS,
);
