import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { EventStoreDBClient, NotLeaderError, START } from '@eventstore/db-client';
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import type { SupportedMethods } from '@eventstore/db-client/generated/serverfeatures_pb.js';
import { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import { credentials } from '@grpc/grpc-js';
import type { EventStoreDbPeer, Member } from '../../support/eventstoredb-peer.ts';
import { errorType, happened, newStream, openPeer } from './scene.ts';

// Starting a server takes seconds on a busy machine.
setDefaultTimeout(30_000);

function member({ port }: EventStoreDbPeer, role: Member['role'], alive = true): Member {
  return { host: '127.0.0.1', port, role, alive };
}

async function connected<T>(url: string, work: (client: EventStoreDBClient) => Promise<T>): Promise<T> {
  const client = EventStoreDBClient.connectionString(url);
  try {
    return await work(client);
  } finally {
    await client.dispose();
  }
}

test('discovery finds a single node', async () => {
  await using scene = await openPeer();
  await connected(scene.peer.discoveryUrl, async (client) => {
    expect((await client.appendToStream(newStream(), happened(0))).success).toBe(true);
  });
});

test.each([
  ['24.2.0 by default', {}, '24.2.0'],
  ['the configured one', { serverVersion: '24.10.4' }, '24.10.4'],
])('a node reports a version: %s', async (_, options, version) => {
  await using scene = await openPeer(options);
  const features = new ServerFeaturesClient(`127.0.0.1:${scene.peer.port}`, credentials.createInsecure());
  const answer = await new Promise<SupportedMethods>((resolve, reject) => {
    features.getSupportedMethods(new Empty(), (error, methods) => (error === null ? resolve(methods) : reject(error)));
  });
  features.close();
  expect(answer.getEventStoreServerVersion()).toBe(version);
});

describe('a cluster', () => {
  test('of three leads clients to the leader, whichever node they query', async () => {
    await using one = await openPeer();
    await using two = await openPeer();
    await using three = await openPeer();
    const members = [member(one.peer, 'follower'), member(two.peer, 'leader'), member(three.peer, 'follower')];
    for (const { peer } of [one, two, three]) await peer.members(members);
    const stream = newStream();
    for (const { peer } of [one, two, three]) {
      await connected(peer.discoveryUrl, (client) => client.appendToStream(stream, happened(0)));
    }
    expect((await Array.fromAsync(two.client.readStream(stream))).length).toBe(3);
  });

  test('with a new leader redirects appends to its address', async () => {
    await using one = await openPeer();
    await using two = await openPeer();
    const stream = newStream();
    await one.client.appendToStream(stream, happened(0));
    for (const { peer } of [one, two]) await peer.members([member(one.peer, 'follower'), member(two.peer, 'leader')]);
    const refused: unknown = await one.client.appendToStream(stream, happened(1)).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(NotLeaderError);
    const leader = { address: '127.0.0.1', port: two.peer.port };
    expect((refused as NotLeaderError).leader).toEqual(leader);
    // The client follows the redirection.
    await one.client.appendToStream(stream, happened(1));
    expect((await Array.fromAsync(two.client.readStream(stream))).length).toBe(1);
  });

  test('without a leader refuses appends, and a follower serves reads that do not require the leader', async () => {
    await using scene = await openPeer();
    const stream = newStream();
    await scene.client.appendToStream(stream, happened(0));
    await scene.peer.members([member(scene.peer, 'follower')]);
    expect(await errorType(scene.client.appendToStream(stream, happened(1)))).toBe('unknown');
    expect((await Array.fromAsync(scene.client.readStream(stream))).length).toBe(1);
    const insisting = scene.client.readStream(stream, { fromRevision: START, requiresLeader: true });
    expect(await errorType(Array.fromAsync(insisting))).toBe('unknown');
  });

  test('skips a node that is not alive', async () => {
    await using one = await openPeer();
    await using two = await openPeer();
    await one.peer.members([member(two.peer, 'leader', false), member(one.peer, 'leader')]);
    await connected(one.peer.discoveryUrl, (client) => client.appendToStream(newStream(), happened(0)));
    expect((await Array.fromAsync(one.client.readAll())).length).toBe(1);
    expect((await Array.fromAsync(two.client.readAll())).length).toBe(0);
  });
});
