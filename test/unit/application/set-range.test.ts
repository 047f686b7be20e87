import { expect, test } from 'bun:test';
import { type ChangedDate, setRange } from '../../../src/application/allotment/set-range.ts';
import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import type { Allotment } from '../../../src/domain/allotment/state.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import type { Position } from '../../../src/eventsourcing/message.ts';
import { movedClock } from '../../support/clock.ts';
import { anActivity, date } from '../../support/examples.ts';

const CAUSE = { correlationId: 'r', causationId: null, by: 'admin', at: '2026-11-21T03:00:00.000Z' };
const ACTIVITY = anActivity({ closedDates: [] });
const RANGE = { from: date('2026-11-22'), to: date('2027-01-20'), weekdays: null };
const CHANGE = { capacity: 77, unitPriceMinor: undefined, deal: undefined };
type Context = Parameters<typeof setRange>[4];

/** Allotments in memory. `beforeEach` runs before each command; false: the store does not answer it. */
function allotmentsWith(beforeEach: (commands: number) => boolean) {
  const clock = movedClock();
  const states = new Map<string, Allotment>();
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
  } as unknown as Context;
  return { clock, context, set: () => setRange(ACTIVITY.id, RANGE, CHANGE, CAUSE, context) };
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

test('a range is in the order of its dates, and its position is the last', async () => {
  const outcome = await allotmentsWith(() => true).set();
  if (outcome.kind !== 'range') throw new Error('the range was refused');
  const dates = outcome.dates.map(({ date: on }) => on);
  expect(dates).toEqual(dates.toSorted());
  expect(outcome.position).toBe(60 as Position);
});
