import { describe, expect } from 'bun:test';
import fc from 'fast-check';
import type { Cause } from '../../../src/eventsourcing/message.ts';
import { NO_STREAM } from '../../../src/ports/event-store.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import {
  appended,
  eventsOf,
  logOf,
  newCategory,
  newEvent,
  newEvents,
  type OpenStore,
  storeTest,
  withoutPosition,
  withRevisions,
} from './scene.ts';

/** Any JSON value that a round trip through text keeps (it turns -0 into 0). */
const anyData = fc
  .dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ stringUnit: 'grapheme' }), {
    maxKeys: 5,
    noNullPrototype: true,
  })
  .map((data) => JSON.parse(JSON.stringify(data)) as object);

export function reading(open: OpenStore): void {
  const onStore = storeTest(open);
  describe('a stream', () => {
    onStore('without events does not exist', async (store) => {
      const stream = `${newCategory()}-1`;
      expect(await store.read(stream)).toStrictEqual({ kind: 'no-stream' });
      expect(await store.read(stream, 3)).toStrictEqual({ kind: 'no-stream' });
      expect(await store.last(stream)).toBeNull();
    });

    onStore('can be read from any revision, also within an append', async (store) => {
      const stream = `${newCategory()}-1`;
      const events = newEvents(7);
      await appended(store, stream, NO_STREAM, events.slice(0, 4));
      await appended(store, stream, 3, events.slice(4));
      const all = withRevisions(stream, events);
      for (let from = 0; from <= 7; from++) {
        expect((await eventsOf(store, stream, from)).map(withoutPosition)).toStrictEqual(all.slice(from));
      }
    });

    onStore('is read up to maxCount events, also within an append', async (store) => {
      const stream = `${newCategory()}-1`;
      const events = newEvents(7);
      await appended(store, stream, NO_STREAM, events.slice(0, 4));
      await appended(store, stream, 3, events.slice(4, 5));
      await appended(store, stream, 4, events.slice(5));
      const all = withRevisions(stream, events);
      for (let from = 0; from <= 7; from++) {
        for (const most of [1, 2, 3, 7, 100]) {
          const read = await store.read(stream, from, most);
          const found = read.kind === 'events' ? read.events.map(withoutPosition) : read.kind;
          expect(found).toStrictEqual(all.slice(from, from + most));
          expect(read).toMatchObject({ upTo: Math.min(6, from + most - 1) });
        }
      }
      expect(await store.read(`${stream}-none`, 0, 1)).toStrictEqual({ kind: 'no-stream' });
    });

    onStore('read past its end has no events, but exists', async (store) => {
      const stream = `${newCategory()}-1`;
      await appended(store, stream, NO_STREAM, newEvents(2));
      expect(await store.read(stream, 2)).toStrictEqual({ kind: 'events', events: [], upTo: 1 });
      expect(await store.read(stream, 50)).toStrictEqual({ kind: 'events', events: [], upTo: 49 });
    });

    onStore('has a last event', async (store, opened) => {
      const stream = `${newCategory()}-1`;
      await appended(store, stream, NO_STREAM, newEvents(1));
      await appended(store, stream, 0, newEvents(3));
      const last = (await eventsOf(store, stream))[3] ?? null;
      expect(last).not.toBeNull();
      expect(await store.last(stream)).toStrictEqual(last);
      const reopened = await opened.reopen();
      expect(await reopened.last(stream)).toStrictEqual(last);
    });

    onStore('is distinct from a stream whose name has the same prefix', async (store) => {
      const category = newCategory();
      const names = [`${category}-1`, `${category}-10`, `${category}-1-1`, `${category}x-1`];
      const histories = names.map((stream) => ({ stream, events: newEvents(2) }));
      for (const { stream, events } of histories) await appended(store, stream, NO_STREAM, events);
      for (const { stream, events } of histories) {
        expect((await eventsOf(store, stream)).map(withoutPosition)).toStrictEqual(withRevisions(stream, events));
      }
    });

    onStore('reads the same after the store was reopened', async (store, opened) => {
      const stream = `${newCategory()}-1`;
      await appended(store, stream, NO_STREAM, newEvents(3));
      await appended(store, stream, 2, newEvents(2));
      const before = await store.read(stream);
      const reopened = await opened.reopen();
      expect(await reopened.read(stream)).toStrictEqual(before);
    });
  });

  describe('an event', () => {
    onStore('keeps every character of its data and cause', async (store, opened) => {
      const stream = `${newCategory()}-1`;
      const text = 'Đà Nẵng · ร้านอาหาร · 寺院 · 👩‍👩‍👧 · "quoted" · \\ · \u0000\u001f\u2028';
      const events = [newEvent({ [text]: text }, { ...SOME_CAUSE, by: text })];
      await appended(store, stream, NO_STREAM, events);
      const expected = withRevisions(stream, events);
      expect((await eventsOf(store, stream)).map(withoutPosition)).toStrictEqual(expected);
      const reopened = await opened.reopen();
      expect((await eventsOf(reopened, stream)).map(withoutPosition)).toStrictEqual(expected);
    });

    onStore('is read back as the same JSON, from stream and log', async (store) => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyData, { minLength: 1, maxLength: 4 }), async (datas) => {
          const category = newCategory();
          const events = datas.map((data) => newEvent(data));
          await appended(store, `${category}-1`, NO_STREAM, events);
          const expected = withRevisions(`${category}-1`, events);
          const byStream = await eventsOf(store, `${category}-1`);
          expect(byStream.map(withoutPosition)).toStrictEqual(expected);
          const after = await store.head();
          const more = events.map(({ data }) => newEvent(data));
          await appended(store, `${category}-2`, NO_STREAM, more);
          const byLog = await logOf(store, category, more.length, { after });
          expect(byLog.map(({ data }) => data)).toStrictEqual(expected.map(({ data }) => data));
        }),
        { numRuns: 40 },
      );
    });

    onStore('keeps its cause, whether or not its neighbours share it', async (store, opened) => {
      const stream = `${newCategory()}-1`;
      const first: Cause = { ...SOME_CAUSE, correlationId: 'req_first', causationId: 'cmd_1' };
      const second: Cause = { ...SOME_CAUSE, correlationId: 'req_second' };
      const causes = [first, first, second, first, { ...first }, second];
      const events = causes.map((cause, n) => newEvent({ n }, cause));
      await appended(store, stream, NO_STREAM, events);
      expect((await eventsOf(store, stream)).map(({ cause }) => cause)).toStrictEqual(causes);
      const reopened = await opened.reopen();
      expect((await eventsOf(reopened, stream)).map(({ cause }) => cause)).toStrictEqual(causes);
    });
  });
}
