import { describe, expect, test } from 'bun:test';
import { START } from '../../src/eventsourcing/message.ts';
import { CheckpointNotInLog, type LogBatch, NO_STREAM, type StoredEvent } from '../../src/ports/event-store.ts';
import { collectedLog } from '../support/log.ts';
import { type Scene, sceneOf } from './event-store/outage.ts';
import { appended, eventsIn, eventsOf, follow, newEvents } from './event-store/scene.ts';

/** Appends one event to each of `streams` streams per round, and waits for each round. */
async function appendRounds({ store }: Scene, streams: number, rounds: number, between: (round: number) => unknown) {
  const events = Array.from({ length: streams }, () => newEvents(rounds));
  for (let round = 0; round < rounds; round++) {
    await Promise.all(events.map((own, n) => appended(store, `booking-${n}`, round - 1, own.slice(round, round + 1))));
    await between(round);
  }
}

/** Expects each stream's revisions once and in order, at increasing positions. */
const rising = (left: number, right: number): number => left - right;

function expectWhole(batches: readonly LogBatch[], streams: number, each: number): void {
  const events = eventsIn(batches);
  const revisions = Array.from({ length: streams }, (_, n) =>
    events.filter(({ stream }) => stream === `booking-${n}`).map(({ revision }) => revision),
  );
  expect(revisions).toStrictEqual(revisions.map(() => Array.from({ length: each }, (_, revision) => revision)));
  const positions = events.map(({ position }) => position);
  expect(positions).toStrictEqual([...positions].sort(rising));
  expect(batches.map(({ upTo }) => upTo)).toStrictEqual(batches.map(({ upTo }) => upTo).sort(rising));
}

describe('a live subscription', () => {
  test.each<[string, (scene: Scene) => Promise<void>]>([
    ['the server is killed and restarted', (scene) => scene.restart()],
    ['the connections break', (scene) => scene.peer().dropConnections()],
    ['the server drops it', (scene) => scene.peer().dropSubscriptions(2, 'Unexpected SubscriptionDropReason')],
    ['the server drops it as unavailable', (scene) => scene.peer().dropSubscriptions(14, 'going away')],
  ])(
    'loses and repeats no event when %s',
    async (_, interrupt) => {
      const log = collectedLog();
      await using scene = await sceneOf({ log });
      const batches = follow(scene.store, { categories: ['booking'], maxBatch: 7 }, (events) => events.length >= 120);
      await appendRounds(scene, 6, 20, (round) => (round % 5 === 4 ? interrupt(scene) : undefined));
      expectWhole(await batches, 6, 20);
      expect(log.lines.some(({ happening }) => happening === 'subscription to the event store was dropped')).toBe(true);
    },
    30_000,
  );

  test('to 12,000 events loses and repeats none while the server is killed four times', async () => {
    await using scene = await sceneOf();
    const each = 1_000;
    for (let n = 0; n < 12; n++) await appended(scene.store, `booking-${n}`, NO_STREAM, newEvents(each));
    let restarts = 0;
    let batchesSince = 0;
    const batches = await follow(
      scene.store,
      {
        categories: ['booking'],
        maxBatch: 100,
        async pause() {
          if (++batchesSince < 20 || restarts === 4) return;
          batchesSince = 0;
          restarts++;
          await scene.restart();
        },
      },
      (events) => events.length >= 12 * each,
    );
    expect(restarts).toBe(4);
    expectWhole(batches, 12, each);
  }, 60_000);

  test('that is slow loses and repeats no event', async () => {
    await using scene = await sceneOf();
    let caughtUp = false;
    let round = 0;
    const batches = follow(
      scene.store,
      {
        categories: ['booking'],
        maxBatch: 10,
        async pause() {
          // Append more than the subscriber reads, until it is far behind the server's own buffers.
          if (caughtUp && round < 40) await appendRound();
        },
      },
      (events, batch) => {
        caughtUp ||= batch.caughtUp;
        return events.length >= 40 * 50;
      },
    );
    const events = Array.from({ length: 50 }, () => newEvents(40));
    async function appendRound(): Promise<void> {
      const own = round++;
      await Promise.all(
        events.map((all, n) => appended(scene.store, `booking-${n}`, own - 1, all.slice(own, own + 1))),
      );
    }
    await appendRound();
    expectWhole(await batches, 50, 40);
  }, 30_000);

  test('receives a position after every 32 events of other categories', async () => {
    await using scene = await sceneOf();
    const { position } = await appended(scene.store, 'booking-0', NO_STREAM, newEvents(1));
    let appendedOthers = false;
    const batches = await follow(
      scene.store,
      {
        categories: ['booking'],
        async pause() {
          if (!appendedOthers) await appended(scene.store, 'allotment-1', NO_STREAM, newEvents(40));
          appendedOthers = true;
        },
      },
      (_, { upTo }) => upTo > position,
    );
    expect(eventsIn(batches)).toHaveLength(1);
    const others = await eventsOf(scene.store, 'allotment-1');
    expect(others.map((event) => event.position)).toContain(batches.at(-1)?.upTo ?? START);
    expect(batches.at(-1)?.caughtUp).toBe(false);
  });

  test("skips the engine's own events and tombstones", async () => {
    await using scene = await sceneOf({ keptDays: { delivery: 90 } });
    await appended(scene.store, 'guest-1', NO_STREAM, newEvents(1));
    await appended(scene.store, 'delivery-1', NO_STREAM, newEvents(1));
    await scene.store.erase('guest-1');
    const all = await follow(scene.store, {}, (_, { caughtUp }) => caughtUp);
    const guests = await follow(scene.store, { categories: ['guest'] }, (_, { caughtUp }) => caughtUp);
    const head = await scene.store.head();
    expect(eventsIn(all).filter(({ type, stream }) => type.startsWith('$') || stream.startsWith('$'))).toEqual([]);
    expect([all, guests].map((batches) => batches.at(-1)?.upTo)).toEqual([head, head]);
  });

  test('does not receive erased events after a scavenge', async () => {
    await using scene = await sceneOf();
    await appended(scene.store, 'guest-1', NO_STREAM, newEvents(2));
    await appended(scene.store, 'booking-1', NO_STREAM, newEvents(1));
    await scene.store.erase('guest-1');
    await scene.peer().scavenge();
    const batches = await follow(scene.store, {}, (_, { caughtUp }) => caughtUp);
    expect(eventsIn(batches).map(({ stream }) => stream)).toEqual(['booking-1']);
  });
});

describe('a read after a position', () => {
  test('holds the events of the categories, and passes all others up to the end of the log', async () => {
    await using scene = await sceneOf({ keptDays: { delivery: 90 } });
    const { store } = scene;
    const { position } = await appended(store, 'booking-1', NO_STREAM, newEvents(2));
    const [first] = await eventsOf(store, 'booking-1');
    await appended(store, 'guest-1', NO_STREAM, newEvents(1));
    await appended(store, 'delivery-1', NO_STREAM, newEvents(1));
    const head = await store.head();
    expect(await store.readAfter(position, ['booking'])).toEqual({ events: [], upTo: head, caughtUp: true });
    expect(await store.readAfter(head, ['booking'])).toEqual({ events: [], upTo: head, caughtUp: true });
    const { events, ...rest } = await store.readAfter(first?.position ?? START, ['booking', 'guest']);
    expect(events.map(({ stream, revision }) => [stream, revision])).toEqual([
      ['booking-1', 1],
      ['guest-1', 0],
    ]);
    expect(rest).toEqual({ upTo: head, caughtUp: true });
  });

  test('is limited, and continues where it ended', async () => {
    await using scene = await sceneOf();
    const { store } = scene;
    await appended(store, 'booking-1', NO_STREAM, newEvents(400));
    const events: StoredEvent[] = [];
    const sizes: number[] = [];
    for (let [after, ended] = [START, false]; !ended; ) {
      const batch = await store.readAfter(after, ['booking']);
      events.push(...batch.events);
      sizes.push(batch.events.length);
      [after, ended] = [batch.upTo, batch.caughtUp];
    }
    expect(events).toStrictEqual([...(await eventsOf(store, 'booking-1'))]);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(320);
  });

  test('at the end of the log, whose last event a scavenge has removed, is empty', async () => {
    await using scene = await sceneOf();
    const { store } = scene;
    await appended(store, 'booking-1', NO_STREAM, newEvents(1));
    const { position } = await appended(store, 'guest-1', NO_STREAM, newEvents(1));
    await store.erase('guest-1');
    await scene.peer().scavenge();
    const { events, caughtUp } = await store.readAfter(position, ['booking', 'guest']);
    expect([events, caughtUp]).toEqual([[], true]);
  });

  test('beyond the end of the log throws', async () => {
    await using scene = await sceneOf();
    await appended(scene.store, 'booking-1', NO_STREAM, newEvents(1));
    const head = await scene.store.head();
    await using other = await sceneOf();
    const beyond = await other.store.readAfter(head, ['booking']).catch((fault: unknown) => fault);
    expect(beyond).toBeInstanceOf(CheckpointNotInLog);
  });
});
