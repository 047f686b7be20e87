import { afterAll, beforeAll, expect, test } from 'bun:test';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { ADMIN, call, keyKnownTo, until, wish } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 60_000;
const TEST_MS = 120_000;
const REQUESTS = 20;

let cluster: Cluster;
let apis: [ClusterNode, ClusterNode];

beforeAll(async () => {
  cluster = await startCluster();
  apis = await Promise.all([cluster.start('api'), cluster.start('api')]);
  await Promise.all([cluster.start('projector'), cluster.start('deliverer')]);
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

type Entry = {
  readonly operation: string;
  readonly request_id: string;
  readonly outcome: { readonly status: number } | null;
};

test(
  'two nodes record the acts and reads of one person on one booking at once, and both list all of them',
  async () => {
    const key = await keyKnownTo(apis);
    const body = wish(cluster.sale.large[0] ?? '', cluster.sale.today);
    const booked = await call<{ booking_id: string }>(apis[0], '/api/b2a/execute_booking', { headers: key, body });
    const id = booked.data.booking_id;
    const requests = Array.from({ length: REQUESTS }, (_, index) => `both-${index}`);
    const answers = await Promise.all(
      requests.map((name, index) => {
        const headers = { ...ADMIN, 'x-request-id': name };
        const node = apis[index % 2] ?? apis[0];
        return index % 4 < 2
          ? call(node, `/api/bookings/${id}/cancel`, { headers, body: { reason: 'weather' } })
          : call(node, `/api/bookings/${id}`, { headers });
      }),
    );
    expect(answers.map(({ status }) => status)).toEqual(requests.map(() => 200));

    const stored = (await cluster.log()).filter(({ stream }) => stream.startsWith('audit-'));
    const typesOf = (name: string) =>
      stored.filter(({ cause }) => cause.correlationId === name).map(({ type }) => type);
    for (const [index, name] of requests.entries())
      expect(typesOf(name)).toEqual(index % 4 < 2 ? ['ActRequested.v1', 'ActAnswered.v1'] : ['GuestDataRead.v1']);

    for (const node of apis)
      await until('the node lists every request', START_MS, async () => {
        const listed = await call<{ items: readonly Entry[] }>(node, `/api/ops/audit?object=${id}&limit=100`, {
          headers: ADMIN,
        });
        const known = listed.data.items.filter(({ outcome }) => outcome?.status === 200);
        return (
          known
            .map(({ request_id }) => request_id)
            .toSorted()
            .join() === requests.toSorted().join()
        );
      });
  },
  TEST_MS,
);
