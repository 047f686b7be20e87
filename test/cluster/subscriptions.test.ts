import { expect, test } from 'bun:test';
import type { Role } from '../../src/config.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { call, keyKnownTo, until } from './client.ts';
import { startCluster } from './cluster.ts';

/** Time for all readers of the log to catch up. */
const JOINED_MS = 30_000;

test.each<readonly [number, readonly (Role | 'all')[]]>([
  [1, ['all']],
  [3, ['api', 'projector', 'deliverer']],
])(
  'once all readers have caught up the event store serves %i subscriptions to the nodes %p, and still after requests',
  async (count, roles) => {
    await using cluster = await startCluster();
    const nodes = [];
    for (const role of roles) nodes.push(await cluster.start(role));
    const joined = (): Promise<number> =>
      until(
        'every reader has joined',
        JOINED_MS,
        async () => (await cluster.events.calls()).openSubscriptions === count,
      );
    await joined();
    const [api] = nodes;
    if (api === undefined) throw new Error('there is no node');
    const headers = await keyKnownTo([api]);
    expect((await call(api, '/api/b2a/bookings?limit=1', { headers })).status).toBe(200);
    await joined();
  },
  BUILD_MS + JOINED_MS * 3,
);
