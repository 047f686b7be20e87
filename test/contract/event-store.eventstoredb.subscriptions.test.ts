import { describe, expect, test } from 'bun:test';
import { START } from '../../src/eventsourcing/message.ts';
import { type LogBatch, NO_STREAM } from '../../src/ports/event-store.ts';
import { collectedLog } from '../support/log.ts';
import { type Scene, sceneOf } from './event-store/outage.ts';
import { appended, eventsIn, follow, newEvents } from './event-store/scene.ts';

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

  test('without matching events receives the position of the head in empty batches', async () => {
    await using scene = await sceneOf();
    await appended(scene.store, 'booking-0', NO_STREAM, newEvents(1));
    let others = 0;
    const batches = await follow(
      scene.store,
      {
        categories: ['booking'],
        async pause() {
          if (others < 3) await appended(scene.store, `allotment-${others++}`, NO_STREAM, newEvents(1));
        },
      },
      (_, batch) => others === 3 && batch.caughtUp && batch.events.length === 0,
    );
    expect(eventsIn(batches)).toHaveLength(1);
    expect(batches.at(-1)?.upTo).toBe(await scene.store.head());
  });

  test('receives `caughtUp` after its last event, once the log has no more', async () => {
    await using scene = await sceneOf();
    await appended(scene.store, 'booking-0', NO_STREAM, newEvents(1));
    const letGo = new AbortController();
    const following = { after: START, categories: ['booking'], signal: letGo.signal };
    let [live, appendedMore] = [false, false];
    const received: [number, boolean][] = [];
    for await (const { events, caughtUp } of scene.store.subscribe(following)) {
      if (appendedMore) received.push([events.length, caughtUp]);
      if (appendedMore && caughtUp) letGo.abort();
      live ||= caughtUp;
      if (live && !appendedMore) {
        appendedMore = true;
        await appended(scene.store, 'booking-0', 0, newEvents(1));
      }
    }
    expect(received.reduce((sum, [count]) => sum + count, 0)).toBe(1);
    expect(received.at(-1)?.[1]).toBe(true);
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
