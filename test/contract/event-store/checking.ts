import { describe, expect } from 'bun:test';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import { CheckpointNotInLog, NO_STREAM } from '../../../src/ports/event-store.ts';
import { appended, eventsOf, follow, newCategory, newEvents, type OpenStore, storeTest } from './scene.ts';

/** A position of the engine far beyond the end of any test log. */
function farBeyond(position: Position): Position {
  return (position + 2 ** 41) as Position;
}

/** Whether a checkpoint belongs to the log. */
export function checking(open: OpenStore): void {
  const onStore = storeTest(open);
  describe('a checkpoint', () => {
    onStore(
      'is in the log at its start, at the position of an event, and with the last applied event',
      async (store) => {
        const stream = `${newCategory()}-1`;
        await appended(store, stream, NO_STREAM, newEvents(3));
        const [first, , last] = await eventsOf(store, stream);
        if (first === undefined || last === undefined) throw new Error('the stream lacks events');
        for (const checkpoint of [
          { position: START, lastEvent: null },
          { position: first.position, lastEvent: null },
          { position: last.position, lastEvent: { id: first.id, position: first.position } },
          { position: last.position, lastEvent: { id: last.id, position: last.position } },
          { position: await store.head(), lastEvent: null },
        ])
          expect(await store.check(checkpoint)).toEqual({ kind: 'in-log' });
      },
    );

    onStore('is not in the log if another event is at the position of the last applied one', async (store) => {
      const stream = `${newCategory()}-1`;
      await appended(store, stream, NO_STREAM, newEvents(2));
      const [first, second] = await eventsOf(store, stream);
      if (first === undefined || second === undefined) throw new Error('the stream lacks events');
      const found = await store.check({
        position: second.position,
        lastEvent: { id: second.id, position: first.position },
      });
      expect(found).toEqual({
        kind: 'not-in-log',
        reason: `the log holds event ${first.id} at ${store.positions.format(first.position)}, where event ${second.id} was applied`,
      });
    });

    onStore('beyond the end of the log is recognized, and no subscription starts from it', async (store) => {
      const { position: head } = await appended(store, `${newCategory()}-1`, NO_STREAM, newEvents(1));
      const beyond = farBeyond(head);
      expect(await store.check({ position: beyond, lastEvent: null })).toMatchObject({ kind: 'beyond-end' });
      const following = follow(store, { after: beyond }, () => true);
      expect(await following.catch((fault: unknown) => fault)).toBeInstanceOf(CheckpointNotInLog);
    });

    onStore('is in the log even if the last applied event was erased since', async (store) => {
      const [stream, other] = [`${newCategory()}-1`, `${newCategory()}-2`];
      await appended(store, stream, NO_STREAM, newEvents(1));
      const [erased] = await eventsOf(store, stream);
      if (erased === undefined) throw new Error('the stream lacks events');
      await store.erase(stream);
      await appended(store, other, NO_STREAM, newEvents(1));
      const lastEvent = { id: erased.id, position: erased.position };
      expect(await store.check({ position: erased.position, lastEvent })).toEqual({ kind: 'in-log' });
    });
  });
}
