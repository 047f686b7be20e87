import { expect, test } from 'bun:test';
import { bookingCodec } from '../../../src/domain/booking/events.ts';
import type { Erasure } from '../../../src/ports/erasure-ledger.ts';
import type { DecodedEventStore } from '../../../src/ports/event-store.ts';
import type { LogReading } from '../../../src/ports/log-follower.ts';
import { StoreUnavailable } from '../../../src/ports/store-unavailable.ts';
import { runRecordErasures } from '../../../src/processes/record-erasures/run.ts';
import { LATER } from '../../support/booking-life.ts';
import { seededIds } from '../../support/ids.ts';
import { recorder } from '../../support/recorded.ts';
import { openMailScene } from './mail-scene.ts';

test('while the ledger is unavailable, the log is read no further than about 1,000 erasures', async () => {
  await using scene = openMailScene();
  const readings: LogReading[] = [];
  const following = Promise.withResolvers<void>();
  const follower: DecodedEventStore['follower'] = {
    ...scene.store.follower,
    follow(reading) {
      readings.push(reading);
      reading.signal.addEventListener('abort', () => following.resolve());
      return following.promise;
    },
  };
  let unavailable = true;
  const recorded: Erasure[] = [];
  const running = await runRecordErasures({
    streams: scene.streams,
    clock: scene.clock,
    log: scene.log,
    ids: seededIds(),
    store: { ...scene.store, follower },
    erasures: {
      async record(erasure) {
        if (unavailable) throw new StoreUnavailable('erasure ledger', 'gone');
        recorded.push(erasure);
      },
      async *newestFirst() {},
    },
    intervalMs: 1_000,
    onFatal: () => {},
  });
  const log = recorder();
  const events = Array.from({ length: 1_001 }, (_, n) =>
    log(`${bookingCodec.category}-bk_${n}`, { type: 'GuestErased', data: { records: [], by: 'user', at: LATER } }),
  );
  const [after, upTo] = [events[0]?.position, events.at(-1)?.position];
  if (after === undefined || upTo === undefined) throw new Error('no events');
  const folding = Promise.resolve(readings[0]?.apply({ events, upTo, after, caughtUp: false })).then(() => 'folded');
  const turns = async (): Promise<string> => {
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    return 'waits';
  };
  expect([await Promise.race([folding, turns()]), recorded]).toEqual(['waits', []]);
  unavailable = false;
  scene.clock.advance(1_000);
  expect(await Promise.race([folding, turns()])).toBe('folded');
  expect(recorded.length).toBeGreaterThan(0);
  await running.stop();
});
