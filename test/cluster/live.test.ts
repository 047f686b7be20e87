import { afterAll, beforeAll, expect, test } from 'bun:test';
import { type Live, liveAt } from '../support/live.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { ADMIN, call, type Headers, ready } from './client.ts';
import { ADMIN_TOKEN, type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 120_000;

let cluster: Cluster;
let api: ClusterNode;
beforeAll(async () => {
  // No node takes over here: a busy machine must not lose the leases.
  cluster = await startCluster({ LEASE_TTL_MS: '30000' });
  const projector = await cluster.start('projector');
  api = await cluster.start('api');
  await Promise.all([ready(projector, START_MS), ready(api, START_MS)]);
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

async function signedIn(): Promise<Headers> {
  const response = await fetch(`${api.url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: ADMIN_TOKEN }),
  });
  expect(response.status).toBe(200);
  return { cookie: (response.headers.get('set-cookie') ?? '').replace(/;.*$/, '') };
}

/** The data of the events of one kind, up to the first one that holds the text. */
async function until(live: Live, kind: string, text: string): Promise<unknown> {
  for (let event = await live.next(); event !== null; event = await live.next())
    if (event.event === kind && JSON.stringify(event.data).includes(text)) return event.data;
  throw new Error('the stream has ended');
}

test(
  'a node without projections tells what projections on another node applied and rebuilt',
  async () => {
    const live = await liveAt(api.url, await signedIn());
    expect(await live.next()).toEqual({ event: 'ready', data: {} });
    await call(api, '/api/operators', { headers: ADMIN, body: { name: 'Mai', role: 'viewer' } });
    const changed = await until(live, 'changed', '"operators"');
    expect(JSON.stringify(changed)).not.toContain('"bookings"');
    await call(api, '/api/ops/projections/operators/rebuild', { headers: ADMIN, body: {} });
    expect(await until(live, 'rebuild', '"operators"')).toEqual({ projections: ['operators'] });
    live.close();
  },
  START_MS,
);
