import { describe, expect, test } from 'bun:test';
import type { Position } from '../../../src/eventsourcing/message.ts';
import { type EventStore, type LogBatch, NO_STREAM, type StoredEvent } from '../../../src/ports/event-store.ts';
import {
  appended,
  eventsIn,
  eventsOf,
  follow,
  logOf,
  newCategory,
  newEvents,
  type OpenStore,
  withStore,
} from './scene.ts';

/** Four appends, of 3, 1, 2 and 3 events, to two streams in turn. Their events as the streams hold them, in log order. */
async function someHistory(store: EventStore, category: string): Promise<StoredEvent[]> {
  const [one, two] = [`${category}-1`, `${category}-2`] as const;
  await appended(store, one, NO_STREAM, newEvents(3));
  await appended(store, two, NO_STREAM, newEvents(1));
  await appended(store, one, 2, newEvents(2));
  await appended(store, two, 0, newEvents(3));
  const [ofOne, ofTwo] = [await eventsOf(store, one), await eventsOf(store, two)];
  return [...ofOne.slice(0, 3), ...ofTwo.slice(0, 1), ...ofOne.slice(3), ...ofTwo.slice(1)];
}

function strictlyIncreasing(positions: readonly Position[]): boolean {
  return positions.every((position, index) => index === 0 || (positions[index - 1] as Position) < position);
}

/** Something else in the log: `count` appends of one event to streams of another category. */
async function noise(store: EventStore, count: number): Promise<void> {
  const category = newCategory();
  const streams = Array.from({ length: count }, (_, n) => `${category}-${n}`);
  await Promise.all(streams.map((stream) => appended(store, stream, NO_STREAM, newEvents(1))));
}

/** Lets everything run that can run now. */
async function othersRun(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve));
}

export function subscribing(open: OpenStore): void {
  describe('the log', () => {
    test(
      'tells all streams in one order, with positions that grow strictly as texts',
      withStore(open, async (store, opened) => {
        const category = newCategory();
        const history = await someHistory(store, category);
        expect(strictlyIncreasing(history.map(({ position }) => position))).toBe(true);
        expect(new Set(history.map(({ position }) => position.length)).size).toBe(1);
        expect(await logOf(store, category, 9)).toStrictEqual(history);
        const reopened = await opened.reopen();
        expect(await logOf(reopened, category, 9)).toStrictEqual(history);
      }),
    );

    test(
      'goes on after any position, the middle of an append too, without the event at it',
      withStore(open, async (store, opened) => {
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
      }),
    );

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

    test(
      'ends, for now, in a batch that says so, and no earlier one does',
      withStore(open, async (store) => {
        const category = newCategory();
        await appended(store, `${category}-1`, NO_STREAM, newEvents(25));
        const batches = await follow(store, { categories: [category], maxBatch: 10 }, (_, batch) => batch.caughtUp);
        expect(eventsIn(batches)).toHaveLength(25);
        expect(batches.filter(({ caughtUp }) => caughtUp)).toHaveLength(1);
      }),
    );

    test(
      'has a head: nothing before it comes to who begins there',
      withStore(open, async (store) => {
        const category = newCategory();
        const before = await appended(store, `${category}-1`, NO_STREAM, newEvents(3));
        const head = await store.head();
        expect(head >= before.position).toBe(true);
        const later = newEvents(2);
        await appended(store, `${category}-1`, 2, later);
        const seen = await logOf(store, category, 2, { after: head });
        expect(seen.map(({ id }) => id)).toEqual(later.map(({ id }) => id));
      }),
    );
  });

  describe('a subscription to categories', () => {
    test(
      'gets their events only, not those of a category that begins with the same letters',
      withStore(open, async (store) => {
        const [wanted, also] = [newCategory(), newCategory()];
        for (const category of [wanted, `${wanted}x`, also, newCategory()]) {
          await appended(store, `${category}-1`, NO_STREAM, newEvents(2));
          await appended(store, `${category}-2-with-dashes`, NO_STREAM, newEvents(1));
        }
        const batches = await follow(store, { categories: [wanted, also] }, (events) => events.length >= 6);
        const own = [wanted, also].map((category) => [`${category}-1`, `${category}-1`, `${category}-2-with-dashes`]);
        expect(eventsIn(batches).map(({ stream }) => stream)).toEqual(own.flat());
      }),
    );

    test(
      'advances over the events of others, live and when it catches up',
      withStore(open, async (store, opened) => {
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
      }),
    );

    test(
      'may be broken off and taken up again at any batch: together its parts are the whole',
      withStore(open, async (store) => {
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
      }),
    );
  });

  describe('a live subscription', () => {
    test(
      'gets what is appended after it began, and what is appended after that',
      withStore(open, async (store) => {
        const category = newCategory();
        const letGo = new AbortController();
        const events = newEvents(5);
        const log = store.subscribe({ after: await store.head(), categories: [category], signal: letGo.signal });
        const seen: string[] = [];
        const append = (n: number): Promise<unknown> => appended(store, `${category}-1`, n - 1, events.slice(n, n + 1));
        const first = append(0);
        for await (const batch of log) {
          for (const { id } of batch.events) {
            seen.push(id);
            // The next one is not appended before this one was seen.
            if (seen.length < 5) await append(seen.length);
            else letGo.abort();
          }
        }
        await first;
        expect(seen).toEqual(events.map(({ id }) => id));
      }),
    );

    test(
      'shares the log with many others: each gets everything, in the same order',
      withStore(open, async (store) => {
        const category = newCategory();
        const subscribers = Array.from({ length: 20 }, () => logOf(store, category, 9));
        const history = await someHistory(store, category);
        for (const seen of await Promise.all(subscribers)) expect(seen).toStrictEqual(history);
      }),
    );

    test(
      'that is slow loses nothing',
      withStore(open, async (store) => {
        const category = newCategory();
        const events = newEvents(300);
        const slowly = logOf(store, category, 300, { maxBatch: 7, pause: othersRun });
        for (let n = 0; n < 300; n += 3) await appended(store, `${category}-1`, n - 1, events.slice(n, n + 3));
        expect((await slowly).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
      }),
    );

    test(
      'is taken up again at its checkpoint after the store was opened again',
      withStore(open, async (store, opened) => {
        const category = newCategory();
        const history = await someHistory(store, category);
        const before = await follow(store, { categories: [category], maxBatch: 4 }, (events) => events.length >= 4);
        const seen = eventsIn(before);
        const after = before.at(-1)?.upTo as Position;
        const reopened = await opened.reopen();
        expect([...seen, ...(await logOf(reopened, category, 9 - seen.length, { after }))]).toStrictEqual(history);
      }),
    );
  });

  describe('an aborted subscription ends without an error', () => {
    test(
      'where it was aborted before it began',
      withStore(open, async (store) => {
        const category = newCategory();
        await someHistory(store, category);
        const batches: LogBatch[] = [];
        const log = store.subscribe({ after: '' as Position, categories: [category], signal: AbortSignal.abort() });
        for await (const batch of log) batches.push(batch);
        expect(batches).toEqual([]);
      }),
    );

    test(
      'where it waits for more',
      withStore(open, async (store) => {
        const letGo = new AbortController();
        const log = store.subscribe({
          after: await store.head(),
          categories: [newCategory()],
          signal: letGo.signal,
        });
        const next = log[Symbol.asyncIterator]().next();
        await othersRun();
        letGo.abort();
        expect((await next).done).toBe(true);
      }),
    );

    test(
      'where more is behind the batch being handled: nothing more comes',
      withStore(open, async (store) => {
        const category = newCategory();
        const history = await someHistory(store, category);
        const batches = await follow(store, { categories: [category], maxBatch: 2 }, () => true);
        expect(batches).toHaveLength(1);
        expect(history.length).toBeGreaterThan(eventsIn(batches).length);
      }),
    );
  });
}
