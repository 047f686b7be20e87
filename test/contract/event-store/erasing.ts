import { describe, expect } from 'bun:test';
import { type EventStore, NO_STREAM, type StoredEvent } from '../../../src/ports/event-store.ts';
import { appended, eventsIn, follow, newCategory, newEvents, type OpenStore, storeTest } from './scene.ts';

/** Only guest streams are erased. */
function newGuest(): string {
  return `guest-${newCategory()}`;
}

async function expectErased(store: EventStore, stream: string): Promise<void> {
  expect(await store.read(stream)).toStrictEqual({ kind: 'erased' });
  expect(await store.read(stream, 1)).toStrictEqual({ kind: 'erased' });
  expect(await store.last(stream)).toBeNull();
  for (const expectedRevision of [NO_STREAM, 0, 1, 2]) {
    expect(await store.append(stream, expectedRevision, newEvents(1))).toStrictEqual({ kind: 'erased' });
  }
}

export function erasing(open: OpenStore): void {
  const onStore = storeTest(open);
  describe('an erased stream', () => {
    onStore('cannot be read or appended to, also after the store was reopened', async (store, opened) => {
      const guest = newGuest();
      await appended(store, guest, NO_STREAM, newEvents(2));
      await appended(store, guest, 1, newEvents(1));
      await store.erase(guest);
      await expectErased(store, guest);
      await expectErased(await opened.reopen(), guest);
    });

    onStore('refuses its own earlier events', async (store) => {
      const guest = newGuest();
      const events = newEvents(2);
      await appended(store, guest, NO_STREAM, events);
      await store.erase(guest);
      expect(await store.append(guest, NO_STREAM, events)).toStrictEqual({ kind: 'erased' });
    });

    onStore('can be erased again', async (store, opened) => {
      const guest = newGuest();
      await appended(store, guest, NO_STREAM, newEvents(1));
      await store.erase(guest);
      await store.erase(guest);
      const reopened = await opened.reopen();
      await reopened.erase(guest);
      await expectErased(reopened, guest);
    });

    onStore('need not have existed: a late append is refused', async (store, opened) => {
      const guest = newGuest();
      await store.erase(guest);
      await expectErased(store, guest);
      await expectErased(await opened.reopen(), guest);
    });

    onStore('does not change other streams', async (store, opened) => {
      const guest = newGuest();
      const beside = [`${guest}0`, `${newCategory()}-1`];
      for (const stream of [guest, ...beside]) await appended(store, stream, NO_STREAM, newEvents(2));
      const before = await Promise.all(beside.map((stream) => store.read(stream)));
      await store.erase(guest);
      expect(await Promise.all(beside.map((stream) => store.read(stream)))).toStrictEqual(before);
      const reopened = await opened.reopen();
      expect(await Promise.all(beside.map((stream) => reopened.read(stream)))).toStrictEqual(before);
    });
  });

  describe('positions after an erasure', () => {
    onStore('are never those of erased events', async (store, opened) => {
      const guest = newGuest();
      const erased = await appended(store, guest, NO_STREAM, newEvents(3));
      await store.erase(guest);
      const reopened = await opened.reopen();
      expect((await reopened.head()) >= erased.position).toBe(true);
      const next = await appended(reopened, `${newCategory()}-1`, NO_STREAM, newEvents(1));
      expect(next.position > erased.position).toBe(true);
    });

    onStore(
      'let a subscriber continue over the gap, live, from before it and from within it',
      async (store, opened) => {
        const [category, guest] = [newCategory(), newGuest()];
        const stream = `${category}-1`;
        const seen = (events: readonly StoredEvent[]): boolean =>
          events.filter((event) => event.stream === stream).length >= 2;
        const live = follow(store, { categories: [category, 'guest'] }, seen);
        const first = await appended(store, stream, NO_STREAM, newEvents(1));
        const erased = await appended(store, guest, NO_STREAM, newEvents(3));
        await store.erase(guest);
        const second = await appended(store, stream, 0, newEvents(1));
        const expected = [first.position, second.position];
        const positions = (events: readonly StoredEvent[]): unknown =>
          events.filter((event) => event.stream === stream).map(({ position }) => position);
        expect(positions(eventsIn(await live))).toEqual(expected);
        const expectBoth = async (from: EventStore): Promise<void> => {
          expect(positions(eventsIn(await follow(from, { categories: [category] }, seen)))).toEqual(expected);
          const within = await follow(from, { after: erased.position, categories: [category] }, () => true);
          expect(positions(eventsIn(within))).toEqual([second.position]);
        };
        await expectBoth(store);
        await expectBoth(await opened.reopen());
      },
    );
  });
}
