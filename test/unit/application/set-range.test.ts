import { expect, test } from 'bun:test';
import { inventoryProjection } from '../../../projections/inventory/projection.ts';
import type { InventoryDocument } from '../../../projections/inventory/read-model.ts';
import { type ChangedDate, previewRange, setRange } from '../../../src/application/allotment/set-range.ts';
import { dayOf } from '../../../src/domain/activity/schedule.ts';
import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import { dateSchedule } from '../../../src/domain/allotment/events.ts';
import type { Allotment } from '../../../src/domain/allotment/state.ts';
import { allotmentIdOf } from '../../../src/domain/ids.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import { movedClock } from '../../support/clock.ts';
import { anActivity, commandId, date, fingerprint } from '../../support/examples.ts';
import { recorder } from '../../support/recorded.ts';

const CAUSE = { correlationId: 'r', causationId: null, by: 'admin', at: '2026-11-21T03:00:00.000Z' };
const ACTIVITY = anActivity({ closedDates: [] });
const RANGE = { from: date('2026-11-22'), to: date('2027-01-20'), weekdays: null };
const CHANGE = { capacity: 77, unitPriceMinor: undefined, deal: undefined };
type Change = Parameters<typeof setRange>[2];
type Context = Parameters<typeof setRange>[4];

/** Allotments in memory. `beforeEach` runs before each command; false: the store does not answer it. */
function allotmentsWith(beforeEach: (commands: number) => boolean) {
  const clock = movedClock();
  const states = new Map<string, Allotment>();
  const documents = new Map<string, { readonly doc: InventoryDocument | null }>();
  const log = recorder();
  let commands = 0;
  const handle = async (id: string, command: AllotmentCommand) => {
    commands++;
    const number = commands;
    await Promise.resolve();
    if (!beforeEach(number)) return { kind: 'unavailable', reason: 'store-unavailable', cause: { call: 'append' } };
    const before = states.get(id) ?? allotmentDecider.initial;
    const decision = allotmentDecider.decide(command, before);
    if (decision.kind === 'rejected') return decision;
    const { events } = decision;
    const state = fold(allotmentDecider, events, before);
    states.set(id, state);
    for (const event of events) {
      const doc = documents.get(id)?.doc ?? null;
      documents.set(id, { doc: inventoryProjection.evolve(doc, log(`allotment-${id}`, event), id, String) });
    }
    const position = events.length === 0 ? null : (number as Position);
    return { kind: 'accepted', events, state, revision: 0n, position };
  };
  const entry = { activity: ACTIVITY, revision: 1, listed: true, updatedAt: '' };
  // The parts of the context that a change of a range uses.
  const context = {
    streams: { allotments: { handle } },
    catalogue: { get: () => entry },
    clock,
    limits: { daysAhead: 365, responseMs: 1_000 },
    readModels: { load: async () => documents },
    collection: async (projection: string) => projection,
  } as unknown as Context;
  return {
    clock,
    context,
    handle,
    set: (change: Change = CHANGE) => setRange(ACTIVITY.id, RANGE, change, CAUSE, context),
    preview: (change: Change) => previewRange(ACTIVITY.id, RANGE, change, context),
  };
}

function countsOf(outcome: Awaited<ReturnType<typeof setRange>>): Partial<Record<ChangedDate['result'], number>> {
  if (outcome.kind !== 'range') throw new Error('the range was refused');
  const counts: Partial<Record<ChangedDate['result'], number>> = {};
  for (const { result } of outcome.dates) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}

test('a range sends no further date after its deadline, and the repetition completes it', async () => {
  const { clock, set } = allotmentsWith((commands) => {
    if (commands === 10) clock.advance(1_000);
    return true;
  });
  const first = countsOf(await set());
  expect(first.not_done).toBeGreaterThan(0);
  expect((first.changed ?? 0) + (first.not_done ?? 0)).toBe(60);
  expect(countsOf(await set())).toEqual({ changed: first.not_done ?? 0, unchanged: first.changed ?? 0 });
});

test('a range says which dates the store did not answer, and the repetition completes it', async () => {
  let down = true;
  const { set } = allotmentsWith((commands) => !down || commands % 3 !== 0);
  expect(countsOf(await set())).toEqual({ changed: 40, not_done: 20 });
  down = false;
  expect(countsOf(await set())).toEqual({ changed: 20, unchanged: 40 });
});

test('a dry run and the change set no capacity on a cancelled date, only a price', async () => {
  const { handle, preview, set } = allotmentsWith(() => true);
  const day = dayOf(ACTIVITY, RANGE.to);
  if (day === null) throw new Error('the example is closed on the day');
  const cancellation = { commandId: commandId('c'), at: CAUSE.at } as const;
  const id = allotmentIdOf(ACTIVITY.id, RANGE.to);
  const cancelled = {
    fingerprint: fingerprint('f'),
    reason: 'weather',
    schedule: dateSchedule(ACTIVITY, 1, day),
  } as const;
  await handle(id, { type: 'CancelDate', ...cancellation, ...cancelled });
  const last = async (outcome: ReturnType<typeof set>) => {
    const range = await outcome;
    const changed = range.kind === 'range' ? range.dates.at(-1) : null;
    return [changed?.result, changed?.why];
  };
  const running = [
    'not_done',
    'All bookings of 2027-01-20 are being cancelled; set the capacity when the cancellation has finished.',
  ];
  expect([await last(preview(CHANGE)), await last(set())]).toEqual([running, running]);
  const priced = { ...CHANGE, capacity: undefined, unitPriceMinor: 5_000 };
  expect([await last(preview(priced)), await last(set(priced))]).toEqual([CHANGED, CHANGED]);
  await handle(id, { type: 'FinishCancellation', ...cancellation });
  const finished = ['refused', expect.stringContaining('All bookings of 2027-01-20 were cancelled')];
  expect([await last(preview(CHANGE)), await last(set())]).toEqual([finished, finished]);
});

const CHANGED = ['changed', null];

test('a range is in the order of its dates, and its position is the last', async () => {
  const outcome = await allotmentsWith(() => true).set();
  if (outcome.kind !== 'range') throw new Error('the range was refused');
  const dates = outcome.dates.map(({ date: on }) => on);
  expect(dates).toEqual(dates.toSorted());
  expect(outcome.position).toBe(60 as Position);
});
