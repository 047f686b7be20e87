import { describe, expect } from 'bun:test';
import { START } from '../../../src/eventsourcing/message.ts';
import {
  type EventStore,
  type LogDirection,
  type LogRange,
  NO_STREAM,
  type StoredEvent,
} from '../../../src/ports/event-store.ts';
import { faultOf } from '../../support/fault.ts';
import { appended, eventsOf, newCategory, newEvents, type OpenStore, storeTest } from './scene.ts';

/** Pages of the log, for people who look at it. */
export function browsing(open: OpenStore): void {
  const onStore = storeTest(open);

  /** Every page from a place to the end in that direction, or until the events are found. */
  async function pagesOf(store: EventStore, range: LogRange, count: number): Promise<StoredEvent[][]> {
    const pages: StoredEvent[][] = [];
    for (let from: LogRange['from'] | null = range.from; from !== null && pages.flat().length < count; ) {
      const { events, next } = await store.readLog({ ...range, from });
      expect(events.length).toBeLessThanOrEqual(range.limit);
      pages.push([...events]);
      from = next;
    }
    return pages;
  }

  async function twoStreams(store: EventStore) {
    const [category, other] = [newCategory(), newCategory()];
    const before = await store.head();
    await appended(store, `${category}-1`, NO_STREAM, newEvents(3));
    await appended(store, `${other}-1`, NO_STREAM, newEvents(4));
    await appended(store, `${category}-2`, NO_STREAM, newEvents(2));
    const events = [...(await eventsOf(store, `${category}-1`)), ...(await eventsOf(store, `${category}-2`))];
    return { category, before, events };
  }

  describe('a page of the log', () => {
    onStore('goes forwards from a position and backwards from the end, with every size of page', async (store) => {
      const { category, before, events } = await twoStreams(store);
      for (const limit of [1, 2, 3, 5, 1_000]) {
        const range = { categories: [category], limit };
        const forwards = await pagesOf(store, { ...range, direction: 'forwards', from: before }, events.length);
        expect(forwards.flat()).toEqual(events);
        const backwards = await pagesOf(store, { ...range, direction: 'backwards', from: 'end' }, events.length);
        expect(backwards.flat()).toEqual(events.toReversed());
      }
    });

    onStore('begins after or before the event at a position', async (store) => {
      const { category, events } = await twoStreams(store);
      const [, second, third] = events;
      if (second === undefined || third === undefined) throw new Error('the stream lacks events');
      const range = { categories: [category], limit: 1_000 };
      const after = await store.readLog({ ...range, direction: 'forwards', from: second.position });
      expect(after.events[0]).toEqual(third);
      const earlier = await store.readLog({ ...range, direction: 'backwards', from: second.position });
      expect(earlier.events[0]).toEqual(events[0]);
    });

    onStore('ends at the end of the log and at its start', async (store) => {
      await twoStreams(store);
      const nothing = { events: [], next: null };
      const range = { categories: [newCategory()], limit: 1_000 };
      expect(await store.readLog({ ...range, direction: 'forwards', from: 'end' })).toEqual(nothing);
      expect(await store.readLog({ ...range, direction: 'forwards', from: await store.head() })).toEqual(nothing);
      expect(await store.readLog({ ...range, direction: 'backwards', from: START })).toEqual(nothing);
    });

    onStore('of another size is refused', async (store) => {
      for (const limit of [0, 1.5, 1_001])
        for (const direction of ['forwards', 'backwards'] satisfies LogDirection[])
          expect(
            await faultOf(() => store.readLog({ direction, from: START, categories: ['a'], limit })),
          ).toBeInstanceOf(RangeError);
    });
  });
}
