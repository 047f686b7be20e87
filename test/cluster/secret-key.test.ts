import { expect, test } from 'bun:test';
import { verifyWebhook } from '../../examples/verify-webhook.ts';
import { systemSealer } from '../../src/adapters/system/sealer.ts';
import { webhookSecretPurpose } from '../../src/domain/apikey/apikey.ts';
import type { KeyId } from '../../src/domain/ids.ts';
import { openedWith } from '../../src/ports/sealer.ts';
import { dateAhead } from '../chaos/kill/catalogue.ts';
import type { BookingData } from '../chaos/kill/wire.ts';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { openReceiver } from '../support/receiver.ts';
import { ADMIN, call, ready, until, wish } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const TEST_MS = 300_000;
const RESEALED_MS = 120_000;
const [A, B] = ['5a'.repeat(32), '6b'.repeat(32)];

type CreatedKey = { readonly id: KeyId; readonly key: string; readonly webhook_secret: string };

const keys = (secret: string, previous?: string) => ({
  WAYMARK_SECRET_KEY: secret,
  ...(previous !== undefined && { WAYMARK_SECRET_KEY_PREVIOUS: previous }),
});

async function started(cluster: Cluster, settings: Readonly<Record<string, string>>): Promise<ClusterNode> {
  const node = await cluster.start('all', settings);
  await ready(node);
  return node;
}

async function createKey(node: ClusterNode, settings: object = {}): Promise<CreatedKey> {
  const body = { name: 'An agent', plan: 'enterprise', ...settings };
  const { status, data } = await call<CreatedKey>(node, '/api/keys', { headers: ADMIN, body });
  expect(status).toBe(200);
  return data;
}

test(
  'nodes rotate the secret key one after the other: nodes with the keys in either order answer alike, then the new one is enough',
  async () => {
    await using cluster = await startCluster();
    await using receiver = openReceiver();
    const body = wish(cluster.sale.large[0], dateAhead(cluster.sale, 1));
    const book = (node: ClusterNode, key: string, idempotencyKey: string) =>
      call<BookingData>(node, '/api/b2a/execute_booking', {
        headers: { 'x-api-key': key, 'idempotency-key': idempotencyKey },
        body,
      });

    // Given a node that knows only the first key.
    const single = await started(cluster, keys(A));
    const { key, webhook_secret: secret } = await createKey(single, { webhook_url: receiver.url });
    const { data: booked } = await book(single, key, 'once');
    await single.program.terminate();

    // Step 1: every node knows both keys, and the first one seals.
    const [one, two] = [await started(cluster, keys(A, B)), await started(cluster, keys(A, B))];
    expect((await cluster.log()).filter(({ stream }) => stream.startsWith('secretkey-'))).toEqual([]);

    // Step 2: one node after the other.
    await one.program.terminate();
    const first = await started(cluster, keys(B, A));
    const created = await createKey(two);
    for (const node of [first, two]) {
      const again = await book(node, key, 'once');
      expect([again.data.booking_id, again.replayed]).toEqual([booked.booking_id, true]);
    }
    await two.program.terminate();
    const second = await started(cluster, keys(B, A));
    await until('the secrets are re-sealed', RESEALED_MS, async () =>
      (await cluster.log()).some(({ type }) => type.startsWith('SecretsResealed')),
    );

    // Step 3: the new key alone.
    await Promise.all([first, second].map(({ program }) => program.terminate()));
    const alone = await started(cluster, keys(B));
    const again = await book(alone, key, 'once');
    expect([again.data.booking_id, again.replayed]).toEqual([booked.booking_id, true]);
    const before = receiver.received.length;
    await book(alone, key, 'another');
    const { headers, body: sent } = await receiver.arrived(before + 1);
    expect(verifyWebhook(headers, sent, secret, Date.now())).not.toBeNull();

    const log = await cluster.log();
    const newKey = systemSealer(Buffer.from(B, 'hex'));
    const own = log.filter(({ stream }) => stream === `apikey-${created.id}`);
    // Created by a node whose own setting was the replaced key, after the log had named the new one.
    expect(own.map(({ type }) => type)).toEqual(['KeyCreated.v1']);
    const [sealed = ''] = own.map(({ data }) => (data as { webhookSecret: string }).webhookSecret);
    expect(openedWith(newKey, sealed, webhookSecretPurpose(created.id))).not.toBeNull();
    expect(log.filter(({ stream }) => stream === 'secretkey-ring').map(({ type }) => type)).toEqual([
      'SecretKeyReplaced.v1',
      'SecretsResealed.v1',
    ]);

    const late = cluster.begin('all', keys(A));
    expect(await late.ended()).toBe(1);
    expect(late.stderr.text).toInclude('WAYMARK_SECRET_KEY was replaced at');
  },
  BUILD_MS + TEST_MS,
);
