import { afterAll, beforeAll, expect, test } from 'bun:test';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { ADMIN, call, type Headers, ready, until } from './client.ts';
import { type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 120_000;
/** The public contract promises 1 s. A test machine may be busy, so the test only prints the time. */
const EFFECTIVE_MS = 10_000;
/** Its roles are admin, support and viewer. It reads the event store alone. */
const READ = '/api/ops/streams/voucherkey-ring';

type Operator = { readonly id: string; readonly token: string };

let cluster: Cluster;
let writer: ClusterNode;
let reader: ClusterNode;
beforeAll(async () => {
  cluster = await startCluster();
  writer = await cluster.start('all');
  reader = await cluster.start('api');
  await Promise.all([ready(writer, START_MS), ready(reader, START_MS)]);
}, BUILD_MS + START_MS);
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]();
});

const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

async function outcomeAt(node: ClusterNode, token: string): Promise<string> {
  const { status, code } = await call(node, READ, { headers: bearer(token) });
  return `${status} ${code}`;
}

async function command<Data = Operator>(path: string, body: object = {}, method?: 'PATCH'): Promise<Data> {
  const headers = { ...ADMIN, 'content-type': 'application/json' };
  const response = await fetch(`${writer.url}${path}`, {
    method: method ?? 'POST',
    headers,
    body: JSON.stringify(body),
  });
  expect([path, response.status]).toEqual([path, 200]);
  return ((await response.json()) as { readonly data: Data }).data;
}

async function everywhere(change: string, token: string, outcome: string): Promise<void> {
  const sinceMs = performance.now();
  // The node that handles a change applies it before it answers.
  expect(await outcomeAt(writer, token)).toBe(outcome);
  await until(`${change} is effective on the other node`, EFFECTIVE_MS, async () => {
    return (await outcomeAt(reader, token)) === outcome;
  });
  const tookMs = Math.round(performance.now() - sinceMs);
  process.stdout.write(`${change} was effective on the other node ${tookMs} ms after its answer\n`);
}

/** Creates an operator, changes the role and the token, and revokes it. @returns the tokens that have ended */
async function lifeOfAnOperator(when: string): Promise<readonly string[]> {
  const { id, token } = await command('/api/operators', { name: 'Mai', role: 'support' });
  await everywhere(`a new operator ${when}`, token, '200 ');
  await command(`/api/operators/${id}`, { role: 'analyst' }, 'PATCH');
  await everywhere(`a lower role ${when}`, token, '403 FORBIDDEN');
  await command(`/api/operators/${id}`, { role: 'viewer' }, 'PATCH');
  await everywhere(`a higher role ${when}`, token, '200 ');
  const rotated = await command(`/api/operators/${id}/rotate`);
  await everywhere(`the end of a token ${when}`, token, '401 INVALID_TOKEN');
  await everywhere(`a new token ${when}`, rotated.token, '200 ');
  await command(`/api/operators/${id}/revoke`);
  await everywhere(`a revocation ${when}`, rotated.token, '401 INVALID_TOKEN');
  return [token, rotated.token];
}

test(
  'an operator that one node creates, changes, rotates and revokes is known so on the other one, also without MongoDB and after a restart',
  async () => {
    const kept = await command('/api/operators', { name: 'Kim', role: 'viewer' });
    const ended = await lifeOfAnOperator('with MongoDB');
    await cluster.documents.kill();
    const endedWithout = await lifeOfAnOperator('without MongoDB');
    await cluster.documents.restart();
    await reader.program.kill();
    reader = await cluster.start('api');
    await ready(reader, START_MS);
    for (const token of [...ended, ...endedWithout])
      expect([await outcomeAt(writer, token), await outcomeAt(reader, token)]).toEqual([
        '401 INVALID_TOKEN',
        '401 INVALID_TOKEN',
      ]);
    expect([await outcomeAt(writer, kept.token), await outcomeAt(reader, kept.token)]).toEqual(['200 ', '200 ']);
  },
  2 * START_MS,
);
