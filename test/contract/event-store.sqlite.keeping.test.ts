import { describe, expect, test } from 'bun:test';
import { openEventStore } from '../../src/adapters/sqlite/event-store.ts';
import { CHECKPOINT_CATEGORY } from '../../src/eventsourcing/process-manager.ts';
import { NO_STREAM } from '../../src/ports/event-store.ts';
import { KEPT_CHECKPOINTS } from '../../src/runtime/low-water-checkpoint.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { appended, COUNTED, eventsOf, KEPT_EVENTS, newEvents } from './event-store/scene.ts';
import { otherProcess } from './event-store/start-other-process.ts';

describe('a stream that keeps its last events', () => {
  test('has its last answered event and the two before it after a kill', async () => {
    using directory = temporaryDirectory();
    await using writer = otherProcess('count', directory.path);
    expect(await writer.line()).toBe('held');
    let answered = -1;
    while (answered < 20) answered = Number(await writer.line());
    await writer.kill();
    for (let line = await writer.line(); line !== null; line = await writer.line()) answered = Number(line);
    const store = openEventStore(directory.file('events.db'), { keptEvents: KEPT_EVENTS });
    const events = await eventsOf(store, `${COUNTED}-1`);
    const last = events.at(-1)?.revision ?? -1;
    expect(last).toBeGreaterThanOrEqual(answered);
    expect(events.map(({ revision, data }) => ({ revision, data }))).toEqual(
      [last - 2, last - 1, last].map((revision) => ({ revision, data: { n: revision } })),
    );
    expect(await store.head()).toBe(events.at(-1)?.position as never);
    await store.close();
  });

  test('loses what an earlier release kept, a hundred appends at a time', async () => {
    using directory = temporaryDirectory();
    const before = openEventStore(directory.file('events.db'));
    for (let at = 0; at < 250; at++) await appended(before, `${COUNTED}-1`, at + NO_STREAM, newEvents(1));
    await before.close();
    const store = openEventStore(directory.file('events.db'), { keptEvents: KEPT_EVENTS });
    const left: number[] = [];
    for (let at = 250; at < 254; at++) {
      await appended(store, `${COUNTED}-1`, at + NO_STREAM, newEvents(1));
      left.push((await eventsOf(store, `${COUNTED}-1`)).length);
    }
    expect(left).toEqual([151, 52, 3, 3]);
    await store.close();
  });

  test('loses whole appends only', async () => {
    using directory = temporaryDirectory();
    const store = openEventStore(directory.file('events.db'), { keptEvents: KEPT_EVENTS });
    for (let at = 0; at < 6; at++) await appended(store, `${COUNTED}-1`, at * 2 + NO_STREAM, newEvents(2));
    expect((await eventsOf(store, `${COUNTED}-1`)).map(({ revision }) => revision)).toEqual([8, 9, 10, 11]);
    await store.close();
  });
});

test('the service keeps twenty checkpoints of each process manager', () => {
  expect(KEPT_CHECKPOINTS).toEqual({ [CHECKPOINT_CATEGORY]: 20 });
});
