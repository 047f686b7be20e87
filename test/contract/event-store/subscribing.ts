import { describe, expect, test } from 'bun:test';
import type { Position } from '../../../src/eventsourcing/message.ts';
import { type EventStore, type LogBatch, NO_STREAM, type StoredEvent } from '../../../src/ports/event-store.ts';
import {
  appended,
  eventsIn,
  follow,
  logOf,
  newCategory,
  newEvents,
  type OpenStore,
  someHistory,
  storeTest,
  withStore,
} from './scene.ts';

function strictlyIncreasing(positions: readonly (Position | string)[]): boolean {
  return positions.every((position, index) => index === 0 || (positions[index - 1] ?? '') < position);
}

/** Other events in the log: `count` appends of one event to streams of another category. */
async function noise(store: EventStore, count: number): Promise<void> {
  const category = newCategory();
  const streams = Array.from({ length: count }, (_, n) => `${category}-${n}`);
  await Promise.all(streams.map((stream) => appended(store, stream, NO_STREAM, newEvents(1))));
}

export function subscribing(open: OpenStore): void {
  const onStore = storeTest(open);
  describe('the log', () => {
    onStore(
      'returns all streams in one order, with strictly increasing positions, also as texts',
      async (store, opened) => {
        const category = newCategory();
        const history = await someHistory(store, category);
        const { format, parse } = store.positions;
        const positions = history.map(({ position }) => position);
        expect(strictlyIncreasing(positions)).toBe(true);
        expect(strictlyIncreasing(positions.map(format))).toBe(true);
        expect(positions.map((position) => parse(format(position)))).toEqual(positions);
        expect(await logOf(store, category, 9)).toStrictEqual(history);
        const reopened = await opened.reopen();
        expect(await logOf(reopened, category, 9)).toStrictEqual(history);
      },
    );

    onStore('continues after any position, also within an append, without the event at it', async (store, opened) => {
      const category = newCategory();
      const history = await someHistory(store, category);
      const expectEachRest = async (from: EventStore): Promise<void> => {
        for (const [index, { position: after }] of history.slice(0, -1).entries()) {
          const rest = history.slice(index + 1);
          expect(await logOf(from, category, rest.length, { after })).toStrictEqual(rest);
        }
      };
      await expectEachRest(store);
      await expectEachRest(await opened.reopen());
    });

    test.each([1, 2, 4])('comes in batches of at most as many events as asked for: %p', (maxBatch) =>
      withStore(open, async (store, opened) => {
        const category = newCategory();
        const history = await someHistory(store, category);
        const read = (from: EventStore): Promise<LogBatch[]> =>
          follow(from, { categories: [category], maxBatch }, (events) => events.length >= 9);
        for (const batches of [await read(store), await read(await opened.reopen())]) {
          expect(eventsIn(batches)).toStrictEqual(history);
          expect(batches.every(({ events }) => events.length <= maxBatch)).toBe(true);
        }
      })(),
    );

    onStore('ends with a batch that is caught up, and no earlier one is', async (store) => {
      const category = newCategory();
      await appended(store, `${category}-1`, NO_STREAM, newEvents(25));
      const batches = await follow(store, { categories: [category], maxBatch: 10 }, (_, batch) => batch.caughtUp);
      expect(eventsIn(batches)).toHaveLength(25);
      expect(batches.filter(({ caughtUp }) => caughtUp)).toHaveLength(1);
    });

    onStore('has a head: a subscription from it receives only later events', async (store) => {
      const category = newCategory();
      const before = await appended(store, `${category}-1`, NO_STREAM, newEvents(3));
      const head = await store.head();
      expect(head >= before.position).toBe(true);
      const later = newEvents(2);
      await appended(store, `${category}-1`, 2, later);
      const seen = await logOf(store, category, 2, { after: head });
      expect(seen.map(({ id }) => id)).toEqual(later.map(({ id }) => id));
    });
  });

  describe('a subscription to categories', () => {
    onStore('receives only their events, not those of a category with the same prefix', async (store) => {
      const [wanted, also] = [newCategory(), newCategory()];
      for (const category of [wanted, `${wanted}x`, also, newCategory()]) {
        await appended(store, `${category}-1`, NO_STREAM, newEvents(2));
        await appended(store, `${category}-2-with-dashes`, NO_STREAM, newEvents(1));
      }
      const batches = await follow(store, { categories: [wanted, also] }, (events) => events.length >= 6);
      const own = [wanted, also].map((category) => [`${category}-1`, `${category}-1`, `${category}-2-with-dashes`]);
      expect(eventsIn(batches).map(({ stream }) => stream)).toEqual(own.flat());
    });

    onStore('advances over events of other categories, live and during catch-up', async (store, opened) => {
      const category = newCategory();
      const own = await appended(store, `${category}-1`, NO_STREAM, newEvents(1));
      const passedOwn = (events: readonly StoredEvent[], { upTo }: LogBatch): boolean =>
        events.length === 1 && upTo > own.position;
      const live = follow(store, { categories: [category] }, passedOwn);
      await noise(store, 200);
      const seen = [await live];
      seen.push(await follow(store, { categories: [category] }, passedOwn));
      const reopened = await opened.reopen();
      seen.push(await follow(reopened, { categories: [category] }, passedOwn));
      const head = await reopened.head();
      for (const batches of seen) {
        expect(eventsIn(batches).map(({ position }) => position)).toEqual([own.position]);
        expect(batches.every(({ upTo }) => upTo <= head)).toBe(true);
      }
    });

    onStore('can be stopped and resumed at any batch without loss or repetition', async (store) => {
      const category = newCategory();
      const history = await someHistory(store, category);
      await noise(store, 50);
      const seen: StoredEvent[] = [];
      let after: Position | undefined;
      while (seen.length < history.length) {
        const following = after === undefined ? {} : { after };
        const batches = await follow(store, { ...following, categories: [category], maxBatch: 2 }, () => true);
        seen.push(...eventsIn(batches));
        after = batches.at(-1)?.upTo;
      }
      expect(seen).toStrictEqual(history);
    });
  });
}
