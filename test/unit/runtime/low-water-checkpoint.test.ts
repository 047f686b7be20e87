import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { type Position, START } from '../../../src/eventsourcing/message.ts';
import { type EventStore, type NewEvent, NO_STREAM } from '../../../src/ports/event-store.ts';
import { LowWaterCheckpoint } from '../../../src/runtime/low-water-checkpoint.ts';
import { newEvents } from '../../contract/event-store/scene.ts';
import { type MovedClock, movedClock } from '../../support/clock.ts';
import { faultOf } from '../../support/fault.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../../support/temporary-directory.ts';

let directory: TemporaryDirectory;
let store: EventStore;
let clock: MovedClock;
let checkpoint: LowWaterCheckpoint;
beforeEach(() => {
  directory = temporaryDirectory();
  store = openEventStore(directory.file('events.db'));
  clock = movedClock(0);
  checkpoint = new LowWaterCheckpoint('porter', { store, clock, ids: seededIds(1), log: collectedLog() });
});
afterEach(async () => {
  await store.close();
  directory[Symbol.dispose]();
});

function at(place: number): Position {
  return place as Position;
}

/** How often it was stored, and where it stands. */
async function stored(): Promise<readonly [number, Position]> {
  const read = await store.read('checkpoint-porter');
  return [read.kind === 'events' ? read.events.length : 0, checkpoint.position];
}

describe('a checkpoint', () => {
  test('is stored as a text, and read back; a text of another engine is refused', async () => {
    const { format } = store.positions;
    await store.append('elsewhere-1', NO_STREAM, newEvents(12));
    checkpoint.noteBatch(at(0), 1);
    await checkpoint.store(at(10), null);
    expect((await store.last('checkpoint-porter'))?.data).toEqual({ position: '0000000000000010' });
    const next = () => new LowWaterCheckpoint('porter', { store, clock, ids: seededIds(2), log: collectedLog() });
    const again = next();
    await again.load();
    expect(format(again.position)).toBe('0000000000000010');
    const last = await store.last('checkpoint-porter');
    const foreign = { ...newEvents(1)[0], type: last?.type ?? '', data: { position: '0/0' } } as NewEvent;
    await store.append('checkpoint-porter', 0, [foreign]);
    expect(await faultOf(() => next().load())).toBeInstanceOf(RangeError);
  });

  test('is stored after the manager folded an event, and not after ignored events', async () => {
    checkpoint.noteBatch(at(0), 3);
    await checkpoint.store(at(10), null);
    expect(await stored()).toEqual([1, at(10)]);
    for (let place = 11; place < 40; place++) {
      checkpoint.noteBatch(at(place - 1), 0);
      clock.advance(30_000);
      await checkpoint.store(at(place), null);
    }
    expect(await stored()).toEqual([1, at(10)]);
  });

  test('advances over ignored events once an hour', async () => {
    for (let hour = 1; hour <= 3; hour++) {
      clock.advance(HOUR_MS - 1);
      checkpoint.noteBatch(at(hour * 10), 0);
      await checkpoint.store(at(hour * 10 + 1), null);
      expect(await stored()).toEqual([hour - 1, hour === 1 ? START : at((hour - 1) * 10 + 2)]);
      clock.advance(1);
      await checkpoint.store(at(hour * 10 + 2), null);
      expect(await stored()).toEqual([hour, at(hour * 10 + 2)]);
    }
  });

  test('advances when an open item ends without an event', async () => {
    checkpoint.noteBatch(at(0), 1);
    checkpoint.noteBatch(at(5), 1);
    await checkpoint.store(at(10), at(6));
    expect(await stored()).toEqual([1, at(5)]);
    await checkpoint.store(at(10), null);
    expect(await stored()).toEqual([2, at(10)]);
  });

  test('is never after the oldest open item, and remembers a bounded number of positions', async () => {
    const BATCHES = 100_000;
    for (let place = 0; place < BATCHES; place++) checkpoint.noteBatch(at(place), 1);
    for (const oldest of [1, 50_000, 99_000]) {
      await checkpoint.store(at(BATCHES), at(oldest));
      expect(checkpoint.position < at(oldest)).toBe(true);
      // Of 100,000 places some thousands are remembered: not far behind.
      expect(checkpoint.position >= at(oldest - 300)).toBe(true);
    }
  });
});
