import { afterAll, beforeAll, expect, test } from 'bun:test';
import { devicesProjection } from '../../projections/devices/projection.ts';
import { VENUE } from '../chaos/kill/catalogue.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { ADMIN, call, keyKnownTo, readiness, ready, until } from './client.ts';
import { type Cluster, LEASE_MS, NEXT_RELEASE, startCluster } from './cluster.ts';

const START_MS = 60_000;
/** A released lease is taken at the next poll, after a third of its duration. */
const HANDED_OVER_MS = LEASE_MS * 10;
const DEVICES = `devices.v${devicesProjection.version}`;
const LEASE = `"lease":"projection-${DEVICES}"`;

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

test(
  'an event that only the next release can read is folded by its nodes; the older nodes are not ready and name the event',
  async () => {
    const [projector, older] = await Promise.all([cluster.start('projector'), cluster.start('api')]);
    await ready(older);
    const [, newer] = await Promise.all([cluster.start('projector', NEXT_RELEASE), cluster.start('api', NEXT_RELEASE)]);
    const headers = await keyKnownTo([older, newer]);
    expect(projector.program.stdout.text).toContain(LEASE);

    const devices = `/api/venues/${VENUE}/devices`;
    const made = await call<{ device_id: string }>(newer, devices, { headers: ADMIN, body: { name: 'Gate' } });
    const removed = await fetch(`${newer.url}${devices}/${made.data.device_id}`, { method: 'DELETE', headers: ADMIN });
    expect(removed.status).toBe(200);

    await until('the older node names the event', HANDED_OVER_MS, async () =>
      (await readiness(older)).text.includes('Not ready: reads DeviceRemoved.v2.'),
    );
    type Status = { readonly items: readonly { readonly name: string; readonly caught_up: boolean }[] };
    await until('a node of the next release folds it', HANDED_OVER_MS, async () => {
      const { data } = await call<Status>(newer, '/api/ops/projections', { headers: ADMIN });
      return data.items.find(({ name }) => name === 'devices')?.caught_up === true;
    });
    expect((await readiness(newer)).status).toBe(200);
    expect(projector.program.stdout.text).toMatch(
      new RegExp(`"reader":"projection ${DEVICES}[.]b1".*"msg":"reader of the log stopped before an unknown event"`),
    );
    // The older node still answers queries that do not need the event.
    expect((await call(older, '/api/b2a/bookings?limit=1', { headers })).status).toBe(200);
    const venue = await call(older, devices, { headers: ADMIN, body: { name: 'Another gate' } });
    expect([venue.status, venue.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);

    expect([await older.program.terminate(), await projector.program.terminate()]).toEqual([0, 0]);
    // After a roll-back the older nodes are ready: nodes that could read the event have folded it. The read models of the older
    // version, which the next release does not fold, need a projector of the older release.
    const [late] = await Promise.all([cluster.start('api'), cluster.start('projector')]);
    await ready(late);
  },
  START_MS * 2,
);
