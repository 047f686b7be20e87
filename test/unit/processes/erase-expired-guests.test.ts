import { expect, test } from 'bun:test';
import type { Streams } from '../../../src/application/streams.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { ExistingBooking } from '../../../src/domain/booking/state.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { DAY_MS, HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import type { Find, Page } from '../../../src/ports/read-model-store.ts';
import { runEraseExpiredGuests } from '../../../src/processes/erase-expired-guests/run.ts';
import { CONFIRMED, modified, visited } from '../../support/booking-life.ts';
import { movedClock } from '../../support/clock.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';

const CLOSES_MS = Date.parse('2026-12-24T11:00:00Z');
const RETENTION_MS = 30 * DAY_MS;
/** The first moment at which the read model lists a booking of that time. */
const DUE_MS = CLOSES_MS + RETENTION_MS + 1;

type Options = {
  readonly busy?: readonly string[];
  readonly startMs?: number;
  /** Whether the read model has applied the whole log. */
  readonly caughtUp?: () => boolean;
  /** Events of all bookings that the read model has not applied. */
  readonly notApplied?: readonly BookingEvent[];
};

/** Bookings that ended at one time, in a read model whose rows stay. */
function scene(count: number, { busy = [], startMs = DUE_MS, caughtUp = () => true, notApplied = [] }: Options = {}) {
  const booked = fold(bookingDecider, [...CONFIRMED, ...notApplied]) as ExistingBooking;
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
  const read = async (id: string) => ({ kind: 'state', state: { ...booked, guestErased: erased.has(id) } });
  const find = async (_: string, query: Find): Promise<Page> => {
    finds.push(query);
    const due = query.range?.to !== undefined && CLOSES_MS < Number(query.range.to) ? ids : [];
    const left = due.filter((id) => query.after === undefined || id > query.after.id);
    const items = left.slice(0, query.limit).map((id) => ({ id, doc: { bookingId: id, endedAtMs: CLOSES_MS } }));
    const last = items.at(-1);
    const next = left.length > query.limit && last !== undefined ? { value: CLOSES_MS, id: last.id } : null;
    return { items, next };
  };
  const running = runEraseExpiredGuests({
    streams: { bookings: { handle, read } as unknown as Streams['bookings'] },
    readModels: { find },
    collection: async (name) => name,
    caughtUp: async () => caughtUp(),
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
  const endedUntil = '2026-12-24T11:00:00.001Z';
  expect(log.lines).toEqual([
    { level: 'info', happening: 'guests erased by retention', facts: { erased: 1_000, left: 0, endedUntil } },
  ]);
  expect(finds[0]).toEqual({
    range: { field: 'endedAtMs', to: CLOSES_MS + 1 },
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

test('no booking is read while the read model is filled', async () => {
  let isFilled = false;
  const { clock, finds, running, settled } = scene(2, { caughtUp: () => isFilled });
  expect([await settled(), finds.length]).toEqual([0, 0]);
  isFilled = true;
  clock.advance(59_999);
  expect([await settled(), finds.length]).toEqual([0, 0]);
  clock.advance(1);
  expect([await settled(), finds.length]).toEqual([2, 1]);
  await running.stop();
});

test('nothing is erased before its time', async () => {
  const { clock, running, settled } = scene(2, { startMs: DUE_MS - 1 });
  expect(await settled()).toBe(0);
  clock.advance(HOUR_MS);
  expect(await settled()).toBe(2);
  await running.stop();
});

const NEXT_DAY_MS = CLOSES_MS + DAY_MS;
const MOVED = modified({ changes: {}, hours: { beginsAtMs: 1, opensAtMs: 2, closesAtMs: NEXT_DAY_MS } });
const VISITED_LATER = visited({ verifiedAtMs: NEXT_DAY_MS });

test.each([
  ['moved to a later date', MOVED],
  ['visited later', VISITED_LATER],
] as const)(
  'a booking that was %s, which its row in the read model does not say, is erased by its own time',
  async (_, event) => {
    const { clock, finds, running, settled } = scene(2, { notApplied: [event] });
    expect([await settled(), finds.length]).toEqual([0, 1]);
    clock.advance(DAY_MS - HOUR_MS);
    expect([await settled(), finds.length]).toEqual([0, 2]);
    clock.advance(HOUR_MS);
    expect([await settled(), finds.length]).toEqual([2, 3]);
    await running.stop();
  },
);
