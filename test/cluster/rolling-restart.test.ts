import { afterAll, beforeAll, expect, test } from 'bun:test';
import { auditLog } from '../chaos/kill/audit.ts';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import { readHistory } from '../chaos/kill/history.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { call, keyKnownTo, wish } from './client.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { openProxy } from './proxy.ts';

const CLIENTS = 6;
const START_MS = 60_000;
/** Longer than the proxy takes to notice that a node is stopping. */
const DRAIN = { STOP_DELAY_MS: '400' };

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

test(
  'no request fails while every API node is replaced under load',
  async () => {
    await Promise.all([cluster.start('projector'), cluster.start('deliverer')]);
    const nodes = await Promise.all([cluster.start('api', DRAIN), cluster.start('api', DRAIN)]);
    await using proxy = openProxy();
    for (const { url } of nodes) proxy.add(url);
    const headers = await keyKnownTo(nodes);
    const { large } = cluster.sale;
    const statuses = new Map<string, number>();
    let stopped = false;
    const client = async (index: number): Promise<void> => {
      for (let round = 0; !stopped; round++) {
        const body = wish(large[(index + round) % large.length] ?? '', dateAhead(cluster.sale, round % 3));
        const key = { ...headers, 'idempotency-key': `${index}-${round}` };
        const answers = [
          await call(proxy, '/api/b2a/execute_booking', { headers: key, body }),
          await call(proxy, '/api/b2a/bookings?limit=5', { headers }),
        ];
        for (const { status, code } of answers)
          statuses.set(`${status} ${code}`, (statuses.get(`${status} ${code}`) ?? 0) + 1);
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_, index) => client(index));
    const exits: number[] = [];
    for (const old of nodes) {
      const { url } = await cluster.start('api', DRAIN);
      proxy.add(url);
      exits.push(await old.program.terminate());
      proxy.remove(old.url);
    }
    stopped = true;
    await Promise.all(clients);
    process.stdout.write(`${statuses.get('200 ')} requests during the rolling restart of ${nodes.length} nodes\n`);
    expect([...statuses.keys()]).toEqual(['200 ']);
    expect(statuses.get('200 ')).toBeGreaterThan(CLIENTS * 2);
    expect(exits).toEqual([0, 0]);
    expect(auditLog(readHistory(await cluster.log()))).toEqual([]);
  },
  START_MS * 2,
);
