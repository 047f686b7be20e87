import { expect, test } from 'bun:test';
import { START } from '../../../src/eventsourcing/message.ts';
import { CatchUps, type CaughtUpPart } from '../../../src/runtime/catch-up.ts';
import { scene } from './follower-scene.ts';

test.each([0, 1, 2, 3, 4, 5, 6, 7, 8])(
  'a reader that comes %i steps after the last one leaves reads on, once for each event',
  async (steps) => {
    await using at = scene();
    const position = await at.append('a', 'b', 'a');
    const { signal } = new AbortController();
    const readers = new CatchUps(at.store);
    const first = readers.read({ categories: ['a'], after: START, signal });
    const part: CaughtUpPart | undefined = (await first.next()).value;
    expect(part?.entries.map(({ stored }) => stored.id)).toEqual(at.idsOf(['a']));
    const leaving = first.return(undefined);
    for (let step = 0; step < steps; step++) await Promise.resolve();
    const second = readers.read({ categories: ['a'], after: position, signal });
    expect((await second.next()).value).toEqual({ entries: [], upTo: position, caughtUp: true });
    const more = second.next();
    const later = await at.append('a');
    const last: CaughtUpPart | undefined = (await more).value;
    expect(last?.entries.map(({ stored }) => stored.position)).toEqual([later]);
    await second.return(undefined);
    await leaving;
  },
);

test('a reader that begins at the end of a reading receives the present end of the log', async () => {
  await using at = scene();
  const position = await at.append('a');
  const { signal } = new AbortController();
  const readers = new CatchUps(at.store);
  const first = readers.read({ categories: ['a'], after: START, signal });
  const end: CaughtUpPart | undefined = (await first.next()).value;
  expect([end?.upTo, end?.caughtUp]).toEqual([position, true]);
  const later = await at.append('b');
  const second = readers.read({ categories: ['a'], after: position, signal });
  expect((await second.next()).value).toEqual({ entries: [], upTo: later, caughtUp: true });
  await Promise.all([first.return(undefined), second.return(undefined)]);
});

test('a reader gets what follows after the end of the log was reached, although the subscription says nothing of an end again', async () => {
  await using at = scene();
  const position = await at.append('a');
  const readers = new CatchUps({
    async *subscribe(options) {
      let first = true;
      for await (const batch of at.store.subscribe(options)) {
        yield { ...batch, caughtUp: first };
        first = false;
      }
    },
  });
  const { signal } = new AbortController();
  const reader = readers.read({ categories: ['a'], after: START, signal });
  expect((await reader.next()).value).toMatchObject({ upTo: position });
  const later = await at.append('a');
  const part: CaughtUpPart | undefined = (await reader.next()).value;
  expect([part?.upTo, part?.entries.length]).toEqual([later, 1]);
  await reader.return(undefined);
});
