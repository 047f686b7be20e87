import { afterAll, beforeAll, expect, test } from 'bun:test';
import { BUILD_MS } from '../support/peers/ferretdb.ts';
import { ADMIN, call, type Headers, ready, until } from './client.ts';
import { ADMIN_TOKEN, type Cluster, type ClusterNode, startCluster } from './cluster.ts';

const START_MS = 120_000;
/** The public contract promises 1 s. A test machine may be busy, so the test only prints the time. */
const EFFECTIVE_MS = 10_000;
/** Its roles are admin, support and viewer. It reads the event store alone. */
const READ = '/api/ops/streams/voucherkey-ring';

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

/** The headers of a session that began at a node. */
async function signInAt(node: ClusterNode, token: string): Promise<Headers> {
  const response = await fetch(`${node.url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  expect(response.status).toBe(200);
  const { data } = (await response.json()) as { readonly data: { readonly csrf_token: string } };
  const cookie = (response.headers.get('set-cookie') ?? '').replace(/;.*$/, '');
  return { cookie, 'x-csrf-token': data.csrf_token };
}

async function outcomeAt(node: ClusterNode, session: Headers, path = READ): Promise<string> {
  const { status, code } = await call(node, path, { headers: session });
  return `${status} ${code}`;
}

async function endsEverywhere(what: string, session: Headers, outcome: string, path = READ): Promise<void> {
  const sinceMs = performance.now();
  // The node that handles a change applies it before it answers.
  expect(await outcomeAt(writer, session, path)).toBe(outcome);
  await until(`${what} ends the session on the other node`, EFFECTIVE_MS, async () => {
    return (await outcomeAt(reader, session, path)) === outcome;
  });
  const tookMs = Math.round(performance.now() - sinceMs);
  process.stdout.write(`${what} ended a session on the other node ${tookMs} ms after its answer\n`);
}

/** Sessions that serve on both nodes until one of them ends each. @returns a session that was ended by signing out */
async function livesOfSessions(when: string): Promise<Headers> {
  const session = await signInAt(reader, ADMIN_TOKEN);
  expect([await outcomeAt(writer, session), await outcomeAt(reader, session)]).toEqual(['200 ', '200 ']);
  const signedOut = await call(writer, '/api/sessions/current', { headers: session, method: 'DELETE' });
  expect(signedOut.status).toBe(200);
  await endsEverywhere(`signing out ${when}`, session, '401 INVALID_TOKEN');

  const created = await call<{ id: string; token: string }>(writer, '/api/operators', {
    headers: ADMIN,
    body: { name: 'Mai', role: 'viewer' },
  });
  const ofOperator = await signInAt(writer, created.data.token);
  await until('the operator is known to the other node', EFFECTIVE_MS, async () => {
    return (await outcomeAt(reader, ofOperator)) === '200 ';
  });
  await call(writer, `/api/operators/${created.data.id}/revoke`, { headers: ADMIN, body: {} });
  await endsEverywhere(`revoking the token ${when}`, ofOperator, '401 INVALID_TOKEN');
  return session;
}

test(
  'a session serves on every node, and ends on all of them, also without MongoDB and after a SIGKILL',
  async () => {
    const kept = await signInAt(writer, ADMIN_TOKEN);
    const ended = [await livesOfSessions('with MongoDB')];
    await cluster.documents.kill();
    ended.push(await livesOfSessions('without MongoDB'));
    await cluster.documents.restart();
    await reader.program.kill();
    reader = await cluster.start('api');
    await ready(reader, START_MS);
    for (const session of ended)
      expect([await outcomeAt(writer, session), await outcomeAt(reader, session)]).toEqual([
        '401 INVALID_TOKEN',
        '401 INVALID_TOKEN',
      ]);
    expect([await outcomeAt(writer, kept), await outcomeAt(reader, kept)]).toEqual(['200 ', '200 ']);
  },
  2 * START_MS,
);
