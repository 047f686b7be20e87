import { describe, expect, test } from 'bun:test';
import { AppendTooLarge } from '../../../src/ports/append-too-large.ts';
import { MAX_APPEND_BYTES, MAX_APPEND_EVENTS, NO_STREAM } from '../../../src/ports/event-store.ts';
import { faultOf } from '../../support/fault.ts';
import {
  appended,
  eventsOf,
  newCategory,
  newEvent,
  newEvents,
  type OpenStore,
  storeTest,
  withoutPosition,
  withRevisions,
  withStore,
} from './scene.ts';

const ANY_POSITION: unknown = expect.any(Number);

export function appending(open: OpenStore): void {
  const onStore = storeTest(open);
  describe('an append at the expected revision', () => {
    onStore('begins a stream that does not exist yet', async (store) => {
      const stream = `${newCategory()}-1`;
      const events = newEvents(1);
      const outcome = await store.append(stream, NO_STREAM, events);
      expect(outcome).toStrictEqual({ kind: 'appended', revision: 0, position: ANY_POSITION as never });
      expect((await eventsOf(store, stream)).map(withoutPosition)).toStrictEqual(withRevisions(stream, events));
    });

    onStore('adds several events in order, and returns the position of the last', async (store) => {
      const stream = `${newCategory()}-1`;
      const events = newEvents(5);
      await appended(store, stream, NO_STREAM, events.slice(0, 2));
      const outcome = await appended(store, stream, 1, events.slice(2));
      const stored = await eventsOf(store, stream);
      expect(stored.map(withoutPosition)).toStrictEqual(withRevisions(stream, events));
      expect(outcome).toStrictEqual({ kind: 'appended', revision: 4, position: stored[4]?.position as never });
    });
  });

  describe('an append at another revision', () => {
    test.each([
      ['lower than the last', 0],
      ['that expects no stream', NO_STREAM],
      ['higher than the last', 3],
    ])('%s returns the last one and adds nothing', (_, expectedRevision) =>
      withStore(open, async (store) => {
        const stream = `${newCategory()}-1`;
        const events = newEvents(3);
        await appended(store, stream, NO_STREAM, events);
        const outcome = await store.append(stream, expectedRevision, newEvents(2));
        expect(outcome).toStrictEqual({ kind: 'wrong-revision', actual: 2 });
        expect((await eventsOf(store, stream)).map(withoutPosition)).toStrictEqual(withRevisions(stream, events));
      })(),
    );

    onStore('of a stream that does not exist is refused and creates no stream', async (store) => {
      const stream = `${newCategory()}-1`;
      expect(await store.append(stream, 0, newEvents(1))).toStrictEqual({
        kind: 'wrong-revision',
        actual: NO_STREAM,
      });
      expect(await store.read(stream)).toStrictEqual({ kind: 'no-stream' });
    });
  });

  describe('the same events again, at the same expected revision', () => {
    onStore('return the first outcome and add nothing', async (store) => {
      const stream = `${newCategory()}-1`;
      const events = newEvents(3);
      const first = await appended(store, stream, NO_STREAM, events);
      expect(await store.append(stream, NO_STREAM, events)).toStrictEqual(first);
      expect((await eventsOf(store, stream)).map(withoutPosition)).toStrictEqual(withRevisions(stream, events));
    });

    onStore('return it also if later events follow, and after the store was reopened', async (store, opened) => {
      const stream = `${newCategory()}-1`;
      const events = newEvents(6);
      await appended(store, stream, NO_STREAM, events.slice(0, 2));
      const second = await appended(store, stream, 1, events.slice(2, 4));
      await appended(store, stream, 3, events.slice(4));
      expect(await store.append(stream, 1, events.slice(2, 4))).toStrictEqual(second);
      const reopened = await opened.reopen();
      expect(await reopened.append(stream, 1, events.slice(2, 4))).toStrictEqual(second);
      expect((await eventsOf(reopened, stream)).map(withoutPosition)).toStrictEqual(withRevisions(stream, events));
    });

    onStore('appended concurrently succeed both, and are stored once', async (store) => {
      const stream = `${newCategory()}-1`;
      const events = newEvents(2);
      const [first, second] = await Promise.all([
        store.append(stream, NO_STREAM, events),
        store.append(stream, NO_STREAM, events),
      ]);
      expect(second).toStrictEqual(first);
      expect((await eventsOf(store, stream)).map(withoutPosition)).toStrictEqual(withRevisions(stream, events));
    });
  });

  describe('events of which some are stored', () => {
    const [a, b, c] = [newEvent({ n: 'a' }), newEvent({ n: 'b' }), newEvent({ n: 'c' })];

    test.each([
      ['the same ids at a later revision', 0, [a, b]],
      ['the same ids at a later revision than the last', 2, [a, b]],
      ['the first of them and another', NO_STREAM, [a, c]],
      ['another and the last of them', NO_STREAM, [c, b]],
      ['all of them and one more', NO_STREAM, [a, b, c]],
      ['all of them in another order', NO_STREAM, [b, a]],
    ])('are another append: %s', (_, expectedRevision, events) =>
      withStore(open, async (store) => {
        const stream = `${newCategory()}-1`;
        await appended(store, stream, NO_STREAM, [a, b]);
        expect(await store.append(stream, expectedRevision, events)).toStrictEqual({
          kind: 'wrong-revision',
          actual: 1,
        });
        expect((await eventsOf(store, stream)).map(withoutPosition)).toStrictEqual(withRevisions(stream, [a, b]));
      })(),
    );
  });

  describe('an append over the limits', () => {
    const tooBig = [newEvent({ text: 'x'.repeat(MAX_APPEND_BYTES) })];
    /** 400 KiB as characters, over 1 MiB as bytes. */
    const tooBigInBytes = [newEvent({ text: '寺'.repeat(400 * 1024) })];

    test.each([
      ['no event', []],
      ['1,001 events', newEvents(MAX_APPEND_EVENTS + 1)],
      ['more than 1 MiB', tooBig],
      ['more than 1 MiB of bytes', tooBigInBytes],
    ])('rejects, without effect on concurrent appends: %s', (_, events) =>
      withStore(open, async (store) => {
        const category = newCategory();
        const beside = newEvents(2);
        const outcomes = await Promise.allSettled([
          store.append(`${category}-1`, NO_STREAM, beside.slice(0, 1)),
          store.append(`${category}-2`, NO_STREAM, events),
          store.append(`${category}-1`, 0, beside.slice(1)),
        ]);
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
        expect(await store.read(`${category}-2`)).toStrictEqual({ kind: 'no-stream' });
        const stored = await eventsOf(store, `${category}-1`);
        expect(stored.map(withoutPosition)).toStrictEqual(withRevisions(`${category}-1`, beside));
      })(),
    );

    onStore('rejects at once, so that no caller waits for an outage to end', async (store) => {
      for (const events of [newEvents(MAX_APPEND_EVENTS + 1), tooBig, tooBigInBytes]) {
        const beganMs = performance.now();
        expect(await faultOf(() => store.append(`${newCategory()}-1`, NO_STREAM, events))).toBeInstanceOf(
          AppendTooLarge,
        );
        expect(performance.now() - beganMs).toBeLessThan(2_000);
      }
    });

    onStore('rejects, but 1,000 events, or nearly 1 MiB, are accepted', async (store) => {
      const category = newCategory();
      const many = newEvents(MAX_APPEND_EVENTS);
      await appended(store, `${category}-1`, NO_STREAM, many);
      const big = [newEvent({ text: 'x'.repeat(MAX_APPEND_BYTES - 1_000) })];
      await appended(store, `${category}-2`, NO_STREAM, big);
      const stored = await eventsOf(store, `${category}-1`);
      expect(stored.map(withoutPosition)).toStrictEqual(withRevisions(`${category}-1`, many));
      const storedBig = await eventsOf(store, `${category}-2`);
      expect(storedBig.map(withoutPosition)).toStrictEqual(withRevisions(`${category}-2`, big));
    });
  });

  describe('concurrent appends', () => {
    onStore('at one revision of one stream: exactly one wins', async (store) => {
      const stream = `${newCategory()}-1`;
      const rivals = newEvents(16);
      const outcomes = await Promise.all(rivals.map((event) => store.append(stream, NO_STREAM, [event])));
      const winners = rivals.filter((_, index) => outcomes[index]?.kind === 'appended');
      expect(winners).toHaveLength(1);
      expect(outcomes.filter(({ kind }) => kind === 'wrong-revision')).toHaveLength(15);
      expect((await eventsOf(store, stream)).map(withoutPosition)).toStrictEqual(withRevisions(stream, winners));
    });

    onStore(
      'by writers that retry after a conflict: every event is stored once, at its own revision',
      async (store) => {
        const stream = `${newCategory()}-1`;
        const all = newEvents(40);
        const writers = Array.from({ length: 8 }, (_, writer) => all.filter((_event, n) => n % 8 === writer));
        await Promise.all(
          writers.map(async (events) => {
            let expected = NO_STREAM;
            for (const event of events) {
              let outcome = await store.append(stream, expected, [event]);
              while (outcome.kind === 'wrong-revision') outcome = await store.append(stream, outcome.actual, [event]);
              if (outcome.kind === 'appended') expected = outcome.revision;
            }
          }),
        );
        const stored = await eventsOf(store, stream);
        expect(stored.map(({ revision }) => revision)).toEqual(all.map((_, n) => n));
        expect(stored.map(({ id }) => id).sort()).toEqual(all.map(({ id }) => id).sort());
      },
    );

    onStore('to 64 streams are all stored after the store was reopened', async (store, opened) => {
      const category = newCategory();
      const streams = Array.from({ length: 64 }, (_, n) => ({ stream: `${category}-${n}`, events: newEvents(3) }));
      await Promise.all(streams.map(({ stream, events }) => appended(store, stream, NO_STREAM, events)));
      const reopened = await opened.reopen();
      for (const { stream, events } of streams) {
        expect((await eventsOf(reopened, stream)).map(withoutPosition)).toStrictEqual(withRevisions(stream, events));
      }
    });

    onStore('with an impossible expected revision rejects at once and adds nothing', async (store) => {
      const stream = `${newCategory()}-1`;
      for (const expected of [-2, 0.5, Number.NaN]) {
        expect(await faultOf(() => store.append(stream, expected, newEvents(1)))).toBeInstanceOf(RangeError);
      }
      expect((await store.read(stream)).kind).toBe('no-stream');
    });
  });
}
