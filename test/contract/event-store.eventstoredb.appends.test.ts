import { describe, expect, test } from 'bun:test';
import { EventStoreUnavailable } from '../../src/adapters/eventstoredb/faults.ts';
import { DAY_MS } from '../../src/eventsourcing/durations.ts';
import { NO_STREAM } from '../../src/ports/event-store.ts';
import type { Fault } from '../support/eventstoredb-peer.ts';
import { sceneOf } from './event-store/outage.ts';
import { connected, isAnswering } from './event-store/remote.ts';
import { appended, eventsOf, newEvent, newEvents, withoutPosition, withRevisions } from './event-store/scene.ts';

describe('an append that meets a fault', () => {
  test.each<[string, Fault]>([
    ['is acknowledged late', { kind: 'delay', ms: 400 }],
    ['is stored and never acknowledged', { kind: 'silent' }],
    ['is lost', { kind: 'lost' }],
    ['is stored, and the server reports a time-out', { kind: 'timeout' }],
    ['is refused by a busy server', { kind: 'busy' }],
    ['is refused as unavailable', { kind: 'unavailable' }],
    ['is sent while there is no leader', { kind: 'not-leader' }],
    ['is stored while the connection breaks', { kind: 'disconnect' }],
  ])('%s: its repetition is stored once and gets the first outcome', async (_, fault) => {
    await using scene = await sceneOf();
    const events = newEvents(3);
    await scene.peer().fault('append', fault);
    const outcome = await scene.store.append('booking-1', NO_STREAM, events);
    const stored = await eventsOf(scene.store, 'booking-1');
    expect(stored.map(withoutPosition)).toStrictEqual(withRevisions('booking-1', events));
    expect(outcome).toStrictEqual({ kind: 'appended', revision: 2, position: stored[2]?.position as never });
  });

  test('succeeds although the server takes longer than an attempt', async () => {
    await using scene = await sceneOf({ retryPolicy: { deadlineMs: 2_000, attemptMs: 100 } });
    await scene.store.head();
    await scene.peer().fault('append', { kind: 'delay', ms: 500 }, { times: 100 });
    const events = newEvents(1);
    await appended(scene.store, 'booking-1', NO_STREAM, events);
    const stored = await eventsOf(scene.store, 'booking-1');
    expect(stored.map(withoutPosition)).toStrictEqual(withRevisions('booking-1', events));
  });

  test('that was lost conflicts with an append of another writer', async () => {
    await using scene = await sceneOf({ retryPolicy: { deadlineMs: 10_000, attemptMs: 1_500 } });
    await appended(scene.store, 'booking-0', NO_STREAM, newEvents(1));
    const rival = connected(scene.peer().url);
    await scene.peer().fault('append', { kind: 'lost' }, { stream: 'booking-1' });
    const late = scene.store.append('booking-1', NO_STREAM, newEvents(1));
    // The first attempt is lost by now; the rival appends before the second.
    await scene.store.head();
    const theirs = newEvents(2);
    await appended(rival, 'booking-1', NO_STREAM, theirs);
    expect(await late).toStrictEqual({ kind: 'wrong-revision', actual: 1 });
    expect((await eventsOf(rival, 'booking-1')).map(({ id }) => id)).toEqual(theirs.map(({ id }) => id));
    await rival.close();
  });

  test('rejects at its deadline; a read of the stream shows whether it was stored', async () => {
    await using scene = await sceneOf({ retryPolicy: { deadlineMs: 500, attemptMs: 100 } });
    await scene.store.head();
    scene.peer().pause();
    const fault = await scene.store.append('booking-1', NO_STREAM, newEvents(1)).catch((thrown: unknown) => thrown);
    scene.peer().resume();
    expect(fault).toBeInstanceOf(EventStoreUnavailable);
    const again = connected(scene.peer().url);
    const read = await again.read('booking-1');
    const stored = read.kind === 'events' ? read.events.length : 0;
    expect([0, 1]).toContain(stored);
    await again.close();
  });

  test('rejects at its deadline if there is no server, as every other call does', async () => {
    await using scene = await sceneOf({ retryPolicy: { deadlineMs: 300, attemptMs: 100 } });
    await scene.peer().kill();
    const calls = [
      scene.store.append('booking-1', NO_STREAM, newEvents(1)),
      scene.store.read('booking-1'),
      scene.store.last('booking-1'),
      scene.store.head(),
      scene.store.erase('guest-1'),
    ];
    const answers = await Promise.allSettled(calls);
    const faults = answers.map((answer) => (answer.status === 'rejected' ? answer.reason : answer.value));
    expect(faults.map((fault) => fault instanceof EventStoreUnavailable)).toEqual(calls.map(() => true));
    expect(await isAnswering(scene.store)).toBe(false);
  });
});

describe('appends to many streams', () => {
  /** Appends events to each stream, one after the other. */
  async function write(scene: Awaited<ReturnType<typeof sceneOf>>, streams: number, each: number, midway: () => void) {
    let done = 0;
    const half = (streams * each) / 2;
    const ids = Array.from({ length: streams }, () => newEvents(each));
    await Promise.all(
      ids.map(async (events, n) => {
        for (const [index, event] of events.entries()) {
          await appended(scene.store, `booking-${n}`, index - 1, [event]);
          if (++done === half) midway();
        }
      }),
    );
    for (const [n, events] of ids.entries()) {
      const stored = await eventsOf(scene.store, `booking-${n}`);
      expect(stored.map(withoutPosition)).toStrictEqual(withRevisions(`booking-${n}`, events));
    }
  }

  test('continue after the server was killed and restarted', async () => {
    await using scene = await sceneOf();
    let restarted: Promise<void> | undefined;
    await write(scene, 40, 25, () => {
      restarted = scene.restart();
    });
    expect(restarted).toBeDefined();
    await restarted;
  }, 20_000);

  test('continue after every connection broke', async () => {
    await using scene = await sceneOf();
    let broken: Promise<void> | undefined;
    await write(scene, 40, 25, () => {
      broken = scene.peer().dropConnections();
    });
    expect(broken).toBeDefined();
    await broken;
  }, 20_000);

  test('that wait for a paused server reject when it is killed, none of them unhandled', async () => {
    await using scene = await sceneOf({ retryPolicy: { deadlineMs: 1_000, attemptMs: 500 } });
    await scene.store.head();
    scene.peer().pause();
    const text = 'x'.repeat(20_000);
    const appends = Array.from({ length: 400 }, (_, n) =>
      scene.store.append(`booking-${n}`, NO_STREAM, [newEvent({ text })]),
    );
    const outcomes = Promise.allSettled(appends);
    await scene.peer().kill();
    expect((await outcomes).map(({ status }) => status)).toEqual(appends.map(() => 'rejected'));
  }, 20_000);
});

describe('an erasure', () => {
  test.each<[string, Fault]>([
    ['is stored and never acknowledged', { kind: 'silent' }],
    ['is lost', { kind: 'lost' }],
    ['is refused as unavailable', { kind: 'unavailable' }],
  ])('%s: it is repeated until it is done', async (_, fault) => {
    await using scene = await sceneOf();
    await appended(scene.store, 'guest-1', NO_STREAM, newEvents(2));
    await scene.peer().fault('delete', fault);
    await scene.store.erase('guest-1');
    expect(await scene.store.read('guest-1')).toStrictEqual({ kind: 'erased' });
  });
});

describe('a read', () => {
  test.each<[string, Fault]>([
    ['is lost', { kind: 'lost' }],
    ['is refused as unavailable', { kind: 'unavailable' }],
    ['reaches a member that is not the leader', { kind: 'not-leader' }],
  ])('that %s is repeated', async (_, fault) => {
    await using scene = await sceneOf();
    const events = newEvents(2);
    await appended(scene.store, 'booking-1', NO_STREAM, events);
    await scene.peer().fault('read', fault);
    expect((await eventsOf(scene.store, 'booking-1')).map(withoutPosition)).toStrictEqual(
      withRevisions('booking-1', events),
    );
  });
});

test('a read succeeds although the server takes longer than an attempt', async () => {
  await using scene = await sceneOf({ retryPolicy: { deadlineMs: 2_000, attemptMs: 100 } });
  const events = newEvents(2);
  await appended(scene.store, 'booking-1', NO_STREAM, events);
  await scene.peer().fault('read', { kind: 'delay', ms: 500 }, { times: 100 });
  expect((await eventsOf(scene.store, 'booking-1')).map(withoutPosition)).toStrictEqual(
    withRevisions('booking-1', events),
  );
});

describe('streams of a category with a retention time', () => {
  test('lose each event at the end of that time; other streams keep theirs', async () => {
    await using scene = await sceneOf({ keptDays: { delivery: 90 } });
    for (const stream of ['delivery-1', 'booking-1']) await appended(scene.store, stream, NO_STREAM, newEvents(2));
    await scene.peer().advance(89 * DAY_MS);
    await appended(scene.store, 'delivery-1', 1, newEvents(1));
    expect((await eventsOf(scene.store, 'delivery-1')).map(({ revision }) => revision)).toEqual([0, 1, 2]);
    await scene.peer().advance(2 * DAY_MS);
    expect((await eventsOf(scene.store, 'delivery-1')).map(({ revision }) => revision)).toEqual([2]);
    expect((await eventsOf(scene.store, 'booking-1')).map(({ revision }) => revision)).toEqual([0, 1]);
  });

  test('are created once, even if the writer repeats the first append', async () => {
    await using scene = await sceneOf({ keptDays: { delivery: 90 } });
    const events = newEvents(1);
    const first = await appended(scene.store, 'delivery-1', NO_STREAM, events);
    expect(await scene.store.append('delivery-1', NO_STREAM, events)).toStrictEqual(first);
    expect(await scene.store.append('delivery-1', NO_STREAM, newEvents(1))).toStrictEqual({
      kind: 'wrong-revision',
      actual: 0,
    });
  });
});

describe('streams of a category that keeps the last events', () => {
  const keptEvents = { checkpoint: 3 };

  test('keep them also if an earlier release made the stream', async () => {
    await using scene = await sceneOf({ keptEvents });
    const before = connected(scene.peer().url);
    await appended(before, 'checkpoint-1', NO_STREAM, newEvents(10));
    expect(await eventsOf(scene.store, 'checkpoint-1')).toHaveLength(10);
    await appended(scene.store, 'checkpoint-1', 9, newEvents(1));
    expect((await eventsOf(before, 'checkpoint-1')).map(({ revision }) => revision)).toEqual([8, 9, 10]);
    await before.close();
  });

  test('keep what an operator has set', async () => {
    await using scene = await sceneOf({ keptEvents });
    await appended(scene.store, 'checkpoint-1', NO_STREAM, newEvents(1));
    const again = connected(scene.peer().url, { keptEvents: { checkpoint: 1 } });
    await appended(again, 'checkpoint-1', 0, newEvents(5));
    expect(await eventsOf(again, 'checkpoint-1')).toHaveLength(3);
    await again.close();
  });
});
