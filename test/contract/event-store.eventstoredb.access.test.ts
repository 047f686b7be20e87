import { describe, expect, test } from 'bun:test';
import { EventStoreUnavailable } from '../../src/adapters/eventstoredb/faults.ts';
import { START } from '../../src/eventsourcing/message.ts';
import { NO_STREAM } from '../../src/ports/event-store.ts';
import { StoreRefused } from '../../src/ports/store-refused.ts';
import { EventStoreDbPeer, type Member } from '../support/eventstoredb-peer.ts';
import { securePeer } from '../support/secure-eventstoredb-peer.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../support/temporary-directory.ts';
import { connected, isAnswering } from './event-store/remote.ts';
import { appended, eventsOf, follow, newEvents, withoutPosition, withRevisions } from './event-store/scene.ts';

describe('a server with TLS and accounts', () => {
  test('accepts a client with the right password that trusts its certificate', async () => {
    using directory = temporaryDirectory();
    await using server = await securePeer(directory);
    const store = connected(server.url(server.password));
    const events = newEvents(2);
    await appended(store, 'booking-1', NO_STREAM, events);
    expect((await eventsOf(store, 'booking-1')).map(withoutPosition)).toStrictEqual(withRevisions('booking-1', events));
    expect((await follow(store, {}, (_seen, { caughtUp }) => caughtUp)).at(-1)?.upTo).toBe(await store.head());
    expect(await isAnswering(store)).toBe(true);
    await store.close();
  });

  test('rejects every call with a wrong password at once; the faults do not contain the password', async () => {
    using directory = temporaryDirectory();
    await using server = await securePeer(directory);
    const store = connected(server.url('s3cret-but-wrong'));
    const answers = await Promise.allSettled([
      store.append('booking-1', NO_STREAM, newEvents(1)),
      store.read('booking-1'),
      store.last('booking-1'),
      store.head(),
      store.erase('guest-1'),
      follow(store, {}, () => true),
    ]);
    const faults = answers.map((answer) => (answer.status === 'rejected' ? answer.reason : answer.value));
    expect(faults.map((fault) => fault instanceof StoreRefused)).toEqual(answers.map(() => true));
    expect(Bun.inspect(faults)).not.toContain('s3cret-but-wrong');
    expect(await isAnswering(store)).toBe(false);
    await store.close();
  });

  test('is unavailable if its certificate is not trusted', async () => {
    using directory = temporaryDirectory();
    await using server = await securePeer(directory);
    const store = connected(server.url(server.password, ''), { retryPolicy: { deadlineMs: 300, attemptMs: 300 } });
    expect(await isAnswering(store)).toBe(false);
    const append = store.append('booking-1', NO_STREAM, newEvents(1));
    expect(await append.catch((fault: unknown) => fault)).toBeInstanceOf(EventStoreUnavailable);
    await store.close();
  });
});

describe('a cluster', () => {
  async function cluster(directory: TemporaryDirectory) {
    const [first, second] = await Promise.all([
      EventStoreDbPeer.start({ data: directory.file('first.log') }),
      EventStoreDbPeer.start({ data: directory.file('second.log') }),
    ]);
    const elect = async (leader: EventStoreDbPeer): Promise<void> => {
      const members = [first, second].map(
        ({ port }): Member => ({
          host: '127.0.0.1',
          port,
          role: port === leader.port ? 'leader' : 'follower',
          alive: true,
        }),
      );
      await Promise.all([first, second].map((peer) => peer.members(members)));
    };
    const kill = async (): Promise<void> => {
      await Promise.all([first.kill(), second.kill()]);
    };
    return { first, second, elect, [Symbol.asyncDispose]: kill };
  }

  test('is queried for its leader, whichever member the URL names', async () => {
    using directory = temporaryDirectory();
    await using nodes = await cluster(directory);
    const { first, second } = nodes;
    await nodes.elect(second);
    const store = connected(first.discoveryUrl);
    const events = newEvents(1);
    await appended(store, 'booking-1', NO_STREAM, events);
    await store.close();
    const atLeader = connected(second.url);
    expect((await eventsOf(atLeader, 'booking-1')).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    await atLeader.close();
  });

  test('that elects another leader: appends, reads and subscriptions follow it', async () => {
    using directory = temporaryDirectory();
    await using nodes = await cluster(directory);
    const { first, second } = nodes;
    await nodes.elect(first);
    const store = connected(first.discoveryUrl);
    await appended(store, 'booking-1', NO_STREAM, newEvents(1));
    await nodes.elect(second);
    const events = newEvents(1);
    await appended(store, 'booking-2', NO_STREAM, events);
    const read = await eventsOf(store, 'booking-2');
    const batches = await follow(store, { categories: ['booking'] }, (seen) => seen.length >= 1);
    expect(read.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect(batches.flatMap((batch) => batch.events)).toStrictEqual([...read]);
    await store.close();
  });

  test('that goes down member by member fails only the calls in progress', async () => {
    using directory = temporaryDirectory();
    await using nodes = await cluster(directory);
    const { first, second } = nodes;
    const events = newEvents(1);
    // These servers do not replicate: the test writes the events of the first one to the second one too.
    const replica = connected(second.url);
    await appended(replica, 'booking-1', NO_STREAM, events);
    await replica.close();
    await nodes.elect(first);
    const store = connected(first.discoveryUrl, { retryPolicy: { deadlineMs: 6_000, attemptMs: 3_000 } });
    await appended(store, 'booking-1', NO_STREAM, events);
    const letGo = new AbortController();
    const live = Promise.withResolvers<void>();
    const subscriber = (async () => {
      for await (const { caughtUp } of store.subscribe({ after: START, signal: letGo.signal }))
        if (caughtUp) live.resolve();
    })();
    await live.promise;
    // The subscription stays with the old leader, while a new connection goes to the next one.
    await nodes.elect(second);
    await appended(store, 'booking-2', NO_STREAM, newEvents(1));
    first.pause();
    await second.kill();
    const append = store.append('booking-2', 0, newEvents(1)).catch((fault: unknown) => fault);
    // By now both calls query the only named member for a leader, and that member is paused.
    expect(await isAnswering(store)).toBe(false);
    await first.kill();
    expect(await append).toBeInstanceOf(EventStoreUnavailable);
    letGo.abort();
    await subscriber;
    await store.close();
  }, 20_000);
});
