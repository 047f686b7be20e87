import { describe, expect, test } from 'bun:test';
import {
  type BookWish,
  book,
  CLAIM_MS,
  cancel,
  confirm,
  erase,
  hold,
  letGo,
  type ModifyWish,
  modify,
  reject,
} from './life/requests.ts';
import { faultsOf, leaksOf, standing } from './life/standing.ts';
import { type Flow, type Town, town } from './life/town.ts';

const MON = '2026-12-01';
const ANN: BookWish = { booking: 'X', on: MON, guests: 3, guest: 'ann', hold: null, ends: 'confirmed' };
const CHANGE: ModifyWish = { booking: 'X', command: 'M1', on: null, guests: null, guest: null };

type Way = {
  readonly name: string;
  readonly before: readonly ((town: Town) => Flow<unknown>)[];
  /** A request as a node begins it: once more where its answer was lost. */
  readonly request: (town: Town) => Flow<unknown>;
  /** Appends of other streams, in this order. */
  readonly steps: number;
};

const booked = (here: Town) => book(here, ANN);
const pending = (here: Town) => book(here, { ...ANN, ends: 'pending' });
const held = (here: Town) => hold(here, { hold: 'H', on: MON, guests: 3 });
const grown = (here: Town) => modify(here, { ...CHANGE, command: 'M0', guests: 5 });

const WAYS: readonly Way[] = [
  { name: 'a booking', before: [], request: booked, steps: 3 },
  { name: 'a booking on request', before: [], request: pending, steps: 3 },
  { name: 'a hold', before: [], request: held, steps: 2 },
  { name: 'a booking with a hold', before: [held], request: (here) => book(here, { ...ANN, hold: 'H' }), steps: 3 },
  { name: 'the end of a hold', before: [held], request: () => letGo('H', MON), steps: 1 },
  { name: 'more guests', before: [booked], request: (here) => modify(here, { ...CHANGE, guests: 5 }), steps: 2 },
  { name: 'fewer guests', before: [booked], request: (here) => modify(here, { ...CHANGE, guests: 1 }), steps: 1 },
  {
    name: 'fewer guests over two claims',
    before: [booked, grown],
    request: (here) => modify(here, { ...CHANGE, guests: 2 }),
    steps: 1,
  },
  {
    name: 'another date',
    before: [booked],
    request: (here) => modify(here, { ...CHANGE, on: '2026-12-02' }),
    steps: 2,
  },
  { name: 'another guest', before: [booked], request: (here) => modify(here, { ...CHANGE, guest: 'bob' }), steps: 3 },
  {
    name: 'another date, another guest and more guests',
    before: [booked],
    request: (here) => modify(here, { ...CHANGE, on: '2026-12-02', guest: 'bob', guests: 5 }),
    steps: 3,
  },
  { name: 'a cancellation', before: [booked, grown], request: (here) => cancel(here, 'X', 'C1'), steps: 1 },
  { name: 'the venue’s yes', before: [pending], request: (here) => confirm(here, 'X'), steps: 1 },
  { name: 'the venue’s no', before: [pending], request: (here) => reject(here, 'X'), steps: 1 },
  { name: 'an erasure', before: [booked], request: (here) => erase(here, 'X'), steps: 1 },
];

function prepared({ before }: Way): Town {
  const here = town();
  for (const request of before) here.begin(request(here)).end();
  here.reap();
  return here;
}

/** What it comes to where nothing crashes. */
function undisturbed(way: Way) {
  const here = prepared(way);
  const outcome = here.begin(way.request(here)).end();
  here.nowMs += CLAIM_MS;
  here.reap();
  return { outcome, ...standing(here) };
}

const CRASHES = WAYS.flatMap((way) => Array.from({ length: way.steps + 1 }, (_, after) => ({ ...way, after })));

describe('a node dies, the reaper comes to rest, and the request is sent again: it ends as if nothing had happened', () => {
  test.each(CRASHES)('$name, after $after of $steps steps', (way) => {
    const here = prepared(way);
    here.begin(way.request(here)).go(way.after);
    here.nowMs += CLAIM_MS;
    here.reap();
    expect([faultsOf(here), leaksOf(here)]).toEqual([[], []]);
    const again = here.begin(way.request(here)).end();
    here.nowMs += CLAIM_MS;
    here.reap();
    expect({ outcome: again, ...standing(here) }).toEqual(undisturbed(way));
    expect([faultsOf(here), leaksOf(here)]).toEqual([[], []]);
  });

  test.each(CRASHES)('at once, and the reaper comes last: $name, after $after of $steps steps', (way) => {
    const here = prepared(way);
    here.begin(way.request(here)).go(way.after);
    const again = here.begin(way.request(here)).end();
    here.nowMs += CLAIM_MS;
    here.reap();
    expect({ outcome: again, ...standing(here) }).toEqual(undisturbed(way));
    expect([faultsOf(here), leaksOf(here)]).toEqual([[], []]);
  });
});

describe('the reaper dies after every one of its commands, and another one goes on', () => {
  test.each(CRASHES)('$name, after $after of $steps steps', (way) => {
    const here = prepared(way);
    here.begin(way.request(here)).go(way.after);
    here.nowMs += CLAIM_MS;
    // Each command is carried out, and once more by those that do not know.
    for (let owed = here.owed(); owed.length > 0; owed = here.owed()) {
      const [next] = owed;
      if (next === undefined) break;
      for (let times = 0; times < 3; times++) here.obey(next);
      expect(faultsOf(here)).toEqual([]);
    }
    expect(leaksOf(here)).toEqual([]);
    const again = here.begin(way.request(here)).end();
    here.nowMs += CLAIM_MS;
    here.reap();
    expect({ outcome: again, ...standing(here) }).toEqual(undisturbed(way));
  });
});

test.each(WAYS)('$name has $steps steps, each an append', (way) => {
  const here = prepared(way);
  const request = here.begin(way.request(here));
  const outcomes = Array.from({ length: way.steps }, () => {
    const before = here.length;
    const { outcome } = request.go(1);
    return [here.length > before, outcome === null];
  });
  expect(outcomes).toEqual(outcomes.map((_, index) => [true, index + 1 < way.steps]));
});
