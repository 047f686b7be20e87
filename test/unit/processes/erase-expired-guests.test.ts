import { expect, test } from 'bun:test';
import type { Streams } from '../../../src/application/streams.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { ExistingBooking } from '../../../src/domain/booking/state.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { DAY_MS, HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import type { Find, Page } from '../../../src/ports/read-model-store.ts';
import { runEraseExpiredGuests } from '../../../src/processes/erase-expired-guests/run.ts';
import { CONFIRMED } from '../../support/booking-life.ts';
import { movedClock } from '../../support/clock.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';

const CLOSES_MS = Date.parse('2026-12-24T11:00:00Z');
const RETENTION_MS = 30 * DAY_MS;
const BOOKED = fold(bookingDecider, CONFIRMED) as ExistingBooking;

/** Bookings that ended at one time, in a read model whose rows stay. */
function scene(count: number, { busy = [] as readonly string[], startMs = CLOSES_MS + RETENTION_MS } = {}) {
  const clock = movedClock(startMs);
  const log = collectedLog();
  const erased = new Set<string>();
  const finds: Find[] = [];
  const ids = Array.from({ length: count }, (_, n) => `bk_${String(n).padStart(4, '0')}`);
  const handle = async (id: string) => {
    if (busy.includes(id)) return { kind: 'rejected' };
    erased.add(id);
    return { kind: 'accepted' };
  };
  const read = async (id: string) => ({ kind: 'state', state: { ...BOOKED, guestErased: erased.has(id) } });
  const find = async (_: string, query: Find): Promise<Page> => {
    finds.push(query);
    const left = ids.filter((id) => query.after === undefined || id > query.after.id);
    const items = left.slice(0, query.limit).map((id) => ({ id, doc: { bookingId: id } }));
    const last = items.at(-1);
    const next = left.length > query.limit && last !== undefined ? { value: CLOSES_MS, id: last.id } : null;
    return { items, next };
  };
  const running = runEraseExpiredGuests({
    streams: { bookings: { handle, read } as unknown as Streams['bookings'] },
    readModels: { find },
    collection: async (name) => name,
    clock,
    ids: seededIds(),
    log,
    retentionMs: RETENTION_MS,
  });
  const settled = async (): Promise<number> => {
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
    return erased.size;
  };
  return { clock, log, erased, finds, running, settled };
}

test('many bookings are erased in steps, with lines of the progress, and a stop ends it between two steps', async () => {
  const { clock, log, finds, running, settled } = scene(1_250);
  const sizes = [await settled()];
  for (let step = 0; step < 11; step++) {
    clock.advance(1_000);
    sizes.push(await settled());
  }
  expect(sizes).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_100, 1_200]);
  const endedUntil = '2026-12-24T11:00:00.000Z';
  expect(log.lines).toEqual([
    { level: 'info', happening: 'guests erased by retention', facts: { erased: 1_000, left: 0, endedUntil } },
  ]);
  expect(finds[0]).toEqual({
    range: { field: 'endedAtMs', to: CLOSES_MS },
    sort: { field: 'endedAtMs', direction: 'asc' },
    limit: 100,
  });
  await running.stop();
  clock.advance(HOUR_MS);
  expect(await settled()).toBe(1_200);
});

test('a booking that a request still works on is left, and erased a minute later', async () => {
  const busy = ['bk_0001'];
  const { clock, log, erased, running, settled } = scene(3, { busy });
  expect(await settled()).toBe(2);
  busy.pop();
  clock.advance(59_999);
  expect(await settled()).toBe(2);
  clock.advance(1);
  expect(await settled()).toBe(3);
  expect([...erased]).toEqual(['bk_0000', 'bk_0002', 'bk_0001']);
  expect(log.lines.map(({ facts: { erased: done, left } }) => [done, left])).toEqual([
    [2, 1],
    [1, 0],
  ]);
  await running.stop();
});

test('a read model that is behind erases nothing too early: the booking decides', async () => {
  const { clock, running, settled } = scene(2, { startMs: CLOSES_MS + RETENTION_MS - 1 });
  expect(await settled()).toBe(0);
  clock.advance(HOUR_MS);
  expect(await settled()).toBe(2);
  await running.stop();
});
