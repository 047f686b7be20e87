import { describe, expect, test } from 'bun:test';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import { type LogBatch, NO_STREAM } from '../../../src/ports/event-store.ts';
import {
  appended,
  eventsIn,
  follow,
  logOf,
  newCategory,
  newEvents,
  type OpenStore,
  othersRun,
  someHistory,
  storeTest,
  withStore,
} from './scene.ts';

export function followingLive(open: OpenStore): void {
  const onStore = storeTest(open);
  describe('a live subscription', () => {
    onStore('receives events that are appended after its start', async (store) => {
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
          // Appends the next one only after this one was received.
          if (seen.length < 5) await append(seen.length);
          else letGo.abort();
        }
      }
      await first;
      expect(seen).toEqual(events.map(({ id }) => id));
    });

    onStore('and others each receive all events in the same order', async (store) => {
      const category = newCategory();
      const subscribers = Array.from({ length: 20 }, () => logOf(store, category, 9));
      const history = await someHistory(store, category);
      for (const seen of await Promise.all(subscribers)) expect(seen).toStrictEqual(history);
    });

    onStore('that is slow loses nothing', async (store) => {
      const category = newCategory();
      const events = newEvents(300);
      const slowly = logOf(store, category, 300, { maxBatch: 7, pause: othersRun });
      for (let n = 0; n < 300; n += 3) await appended(store, `${category}-1`, n - 1, events.slice(n, n + 3));
      expect((await slowly).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    });

    onStore('resumes at its checkpoint after the store was reopened', async (store, opened) => {
      const category = newCategory();
      const history = await someHistory(store, category);
      const before = await follow(store, { categories: [category], maxBatch: 4 }, (events) => events.length >= 4);
      const seen = eventsIn(before);
      const after = before.at(-1)?.upTo as Position;
      const reopened = await opened.reopen();
      expect([...seen, ...(await logOf(reopened, category, 9 - seen.length, { after }))]).toStrictEqual(history);
    });
  });

  describe('a subscription that lingers', () => {
    onStore('does not linger while more events can be read', async (store) => {
      const category = newCategory();
      const history = await someHistory(store, category);
      expect(await logOf(store, category, 9, { maxBatch: 2, lingerMs: 3_600_000 })).toStrictEqual(history);
    });

    onStore('waits at least that long between two live batches, and loses nothing', async (store) => {
      const category = newCategory();
      const events = newEvents(4);
      const lingerMs = 25;
      const liveAtMs: number[] = [];
      const append = (n: number): Promise<unknown> => appended(store, `${category}-1`, n - 1, events.slice(n, n + 1));
      await append(0);
      let count = 1;
      const batches = await follow(
        store,
        {
          categories: [category],
          lingerMs,
          async pause() {
            if (liveAtMs.length > 0 && count < 4) await append(count++);
          },
        },
        (seen, { caughtUp }) => {
          // A subscriber does not linger before it has caught up once.
          if (caughtUp || liveAtMs.length > 0) liveAtMs.push(performance.now());
          return seen.length >= 4;
        },
      );
      expect(eventsIn(batches).map(({ id }) => id)).toEqual(events.map(({ id }) => id));
      const between = liveAtMs.slice(1).map((ms, index) => ms - (liveAtMs[index] ?? 0));
      expect(between.length).toBeGreaterThanOrEqual(3);
      // Timers may be slightly early.
      expect(between.every((ms) => ms > lingerMs - 5)).toBe(true);
    });

    test.each(['while it lingers', 'while its batch is handled'])('ends at once when it is aborted %s', (when) =>
      withStore(open, async (store) => {
        const category = newCategory();
        await appended(store, `${category}-1`, NO_STREAM, newEvents(1));
        const letGo = new AbortController();
        const following = { after: START, categories: [category], lingerMs: 3_600_000, signal: letGo.signal };
        const log = store.subscribe(following)[Symbol.asyncIterator]();
        let caughtUp = false;
        while (!caughtUp) caughtUp = (await log.next()).value?.caughtUp;
        if (when === 'while its batch is handled') letGo.abort();
        const next = log.next();
        await othersRun();
        letGo.abort();
        expect((await next).done).toBe(true);
      })(),
    );
  });

  describe('an aborted subscription ends without an error', () => {
    onStore('if it was aborted before it began', async (store) => {
      const category = newCategory();
      await someHistory(store, category);
      const batches: LogBatch[] = [];
      const log = store.subscribe({ after: START, categories: [category], signal: AbortSignal.abort() });
      for await (const batch of log) batches.push(batch);
      expect(batches).toEqual([]);
    });

    onStore('if it waits for events', async (store) => {
      const letGo = new AbortController();
      const following = { after: await store.head(), categories: [newCategory()], signal: letGo.signal };
      const log = store.subscribe(following)[Symbol.asyncIterator]();
      // The end of the log is reported even if no event follows.
      expect((await log.next()).value).toMatchObject({ events: [], caughtUp: true });
      const next = log.next();
      await othersRun();
      letGo.abort();
      expect((await next).done).toBe(true);
    });

    onStore('if more events follow the current batch: it receives none of them', async (store) => {
      const category = newCategory();
      const history = await someHistory(store, category);
      const batches = await follow(store, { categories: [category], maxBatch: 2 }, () => true);
      expect(batches).toHaveLength(1);
      expect(history.length).toBeGreaterThan(eventsIn(batches).length);
    });
  });
}
