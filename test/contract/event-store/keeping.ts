import { describe, expect } from 'bun:test';
import { systemIds } from '../../../src/adapters/system/ids.ts';
import type { EventStore } from '../../../src/ports/event-store.ts';
import { NO_STREAM } from '../../../src/ports/event-store.ts';
import {
  appended,
  COUNTED,
  eventsOf,
  follow,
  logOf,
  newCategory,
  newEvents,
  type OpenStore,
  storeTest,
  withoutPosition,
} from './scene.ts';

/** Appends single events to a new stream that keeps the last three. */
async function countedStream(store: EventStore, count: number) {
  const stream = `${COUNTED}-${systemIds.uuid()}`;
  const events = newEvents(count);
  const positions = [];
  for (const [at, event] of events.entries())
    positions.push((await appended(store, stream, at + NO_STREAM, [event])).position);
  return { stream, events, positions };
}

/** A category of which only the last events of each stream are kept. */
export function keeping(open: OpenStore): void {
  const onStore = storeTest(open);
  describe('a stream that keeps its last events', () => {
    onStore('has these, with their revisions', async (store) => {
      const { stream, events } = await countedStream(store, 10);
      const kept = events.map((event, revision) => ({ ...event, stream, revision })).slice(-3);
      expect((await eventsOf(store, stream)).map(withoutPosition)).toStrictEqual(kept);
      expect((await eventsOf(store, stream, 2)).map(withoutPosition)).toStrictEqual(kept);
      expect((await eventsOf(store, stream, 9)).map(withoutPosition)).toStrictEqual(kept.slice(-1));
      expect((await store.last(stream))?.id).toBe(events[9]?.id);
    });

    onStore('is appended to at its last revision, also after it is reopened', async (store, opened) => {
      const { stream } = await countedStream(store, 5);
      expect(await store.append(stream, 2, newEvents(1))).toEqual({ kind: 'wrong-revision', actual: 4 });
      expect(await store.append(stream, NO_STREAM, newEvents(1))).toEqual({ kind: 'wrong-revision', actual: 4 });
      expect(await appended(store, stream, 4, newEvents(1))).toMatchObject({ revision: 5 });
      const reopened = await opened.reopen();
      expect(await appended(reopened, stream, 5, newEvents(1))).toMatchObject({ revision: 6 });
      expect((await eventsOf(reopened, stream)).map(({ revision }) => revision)).toEqual([4, 5, 6]);
    });

    onStore('leaves other streams whole', async (store) => {
      const other = `${newCategory()}-1`;
      for (let at = 0; at < 6; at++) await appended(store, other, at + NO_STREAM, newEvents(1));
      await countedStream(store, 6);
      expect(await eventsOf(store, other)).toHaveLength(6);
    });

    onStore('leaves each of its positions in the log, and subscriptions as they were', async (store) => {
      const category = newCategory();
      const before = await appended(store, `${category}-1`, NO_STREAM, newEvents(1));
      const { events, positions } = await countedStream(store, 8);
      const after = await appended(store, `${category}-2`, NO_STREAM, newEvents(1));
      for (const [at, position] of positions.entries()) {
        const lastEvent = { id: events[at]?.id ?? '', position };
        expect(await store.check({ position, lastEvent })).toEqual({ kind: 'in-log' });
        const [next] = await logOf(store, category, 1, { after: position });
        expect(next?.position).toBe(after.position);
      }
      expect(await logOf(store, category, 2)).toHaveLength(2);
      const counted = await follow(
        store,
        { after: before.position, categories: [COUNTED] },
        (seen) => seen.at(-1)?.id === events[7]?.id,
      );
      const ids = counted.flatMap((batch) => batch.events).map(({ id }) => id);
      expect(ids.slice(-3)).toEqual(events.slice(-3).map(({ id }) => id));
      expect(await store.head()).toBeGreaterThanOrEqual(after.position);
    });
  });
}
