import { describe, expect, test } from 'bun:test';
import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import { freeSlots } from '../../../src/domain/allotment/state.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { A_TAKER, aSchedule, bookingId, claimId, holdId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const ENDS_MS = Date.parse('2026-11-21T03:10:00Z');
const DEADLINE_MS = Date.parse('2026-11-21T03:11:00Z');
const HELD_PRICE = { unitPriceMinor: 99_000, discountMinor: 0, currency: 'THB' } as const;

const opened: AllotmentEvent = { type: 'AllotmentOpened', data: aSchedule() };
/** What claims have in common. */
const PAID = { deadlineMs: DEADLINE_MS, unpaidBy: null };
/** Who holds, and when. */
const HOLDER = { keyId: A_TAKER.keyId, atMs: ENDS_MS - 1 };
const held = (id: string, size: number): AllotmentEvent => ({
  type: 'SlotsHeld',
  data: { holder: HOLDER, hold: holdId(id), size, expiresAtMs: ENDS_MS, pricing: HELD_PRICE },
});
const claimed = (id: string, size: number, booking = 'bk_1'): AllotmentEvent => ({
  type: 'SlotsClaimed',
  data: { claim: claimId(id), booking: bookingId(booking), size, pricing: HELD_PRICE, ...PAID },
});
const taken = (from: string, as: string, size: number, booking = 'bk_1'): AllotmentEvent => ({
  type: 'HoldTaken',
  data: { hold: holdId(from), claim: claimId(as), booking: bookingId(booking), size, ...PAID },
});
const shrunk = (id: string, left: number, size: number, version: number): AllotmentEvent => ({
  type: 'ClaimShrunk',
  data: { claim: claimId(id), left, size, version },
});
const released = (id: string, size: number): AllotmentEvent => ({
  type: 'SlotsReleased',
  data: { claim: claimId(id), size },
});
const releasedHold = (id: string, size: number): AllotmentEvent => ({
  type: 'SlotsReleased',
  data: { claim: holdId(id), size },
});

const hold = (id: string, size: number): AllotmentCommand => ({
  type: 'HoldSlots',
  holder: A_TAKER,
  holdId: holdId(id),
  size,
  expiresAtMs: ENDS_MS,
  schedule: aSchedule(),
  hotelPercentOff: 0,
  nowMs: ENDS_MS - 1,
  releasesSeen: 0,
});
const claim = (id: string, size: number): AllotmentCommand => ({
  type: 'ClaimSlots',
  unpaid: null,
  claimId: claimId(id),
  bookingId: bookingId('bk_1'),
  size,
  deadlineMs: DEADLINE_MS,
  schedule: aSchedule(),
  hotelPercentOff: 0,
  expectedTotalMinor: null,
  nowMs: ENDS_MS - 1,
  releasesSeen: 0,
});
const take = (
  from: string,
  as: string,
  size: number,
  { booking = 'bk_1', nowMs = ENDS_MS - 1, expected = null as number | null } = {},
): AllotmentCommand => ({
  type: 'TakeHold',
  unpaid: null,
  holdId: holdId(from),
  claimId: claimId(as),
  bookingId: bookingId(booking),
  size,
  deadlineMs: DEADLINE_MS,
  expectedTotalMinor: expected,
  nowMs,
  releasesSeen: 0,
});
const release = (id: string): AllotmentCommand => ({ type: 'ReleaseSlots', claimId: claimId(id) });
const releaseHold = (id: string): AllotmentCommand => ({ type: 'ReleaseHold', holdId: holdId(id) });
const shrink = (id: string, left: number, version: number): AllotmentCommand => ({
  type: 'ShrinkClaim',
  claimId: claimId(id),
  left,
  version,
});

describe('holding slots', () => {
  test('opens the date if needed, and stores the price', () => {
    given(allotmentDecider, [])
      .when(hold('h', 4))
      .then([opened, held('h', 4)]);
  });

  test('takes up to the last free slot, and is refused beyond it', () => {
    given(allotmentDecider, [opened, claimed('c', 7)])
      .when(hold('h', 3))
      .then([held('h', 3)]);
    given(allotmentDecider, [opened, claimed('c', 7)])
      .when(hold('h', 4))
      .thenRejected({ code: 'INVENTORY_EXHAUSTED', free: 3 });
  });

  test('leaves only the other slots to claims', () => {
    given(allotmentDecider, [opened, held('h', 8)])
      .when(claim('c', 3))
      .thenRejected({ code: 'INVENTORY_EXHAUSTED', free: 2 });
  });

  test.each([
    ['open', [opened, held('h', 3)]],
    ['used', [opened, held('h', 3), taken('h', 'c', 3)]],
    ['released', [opened, held('h', 3), releasedHold('h', 3)]],
  ] as readonly (readonly [string, readonly AllotmentEvent[]])[])(
    'again under the id of a hold that is %s adds no event',
    (_, history) => {
      given(allotmentDecider, history).when(hold('h', 3)).thenNothing();
    },
  );
});

describe('using a hold', () => {
  const history = [opened, held('h', 3)];

  test('turns its slots into those of a claim, on a full date too', () => {
    given(allotmentDecider, [...history, claimed('c', 7)])
      .when(take('h', 'd', 3))
      .then([taken('h', 'd', 3)]);
  });

  test('is possible until its last millisecond, and not at its end', () => {
    given(allotmentDecider, history)
      .when(take('h', 'c', 3, { nowMs: ENDS_MS - 1 }))
      .then([taken('h', 'c', 3)]);
    given(allotmentDecider, history)
      .when(take('h', 'c', 3, { nowMs: ENDS_MS }))
      .thenRejected({ code: 'HOLD_EXPIRED', expiresAtMs: ENDS_MS });
  });

  test('is refused at another total than the price of the hold, whatever the price is now', () => {
    const repriced: AllotmentEvent[] = [opened, held('h', 2), { type: 'PriceSet', data: { unitPriceMinor: 50_000 } }];
    given(allotmentDecider, repriced)
      .when(take('h', 'c', 2, { expected: 100_000 }))
      .thenRejected({ code: 'PRICE_CHANGED', totalMinor: 198_000 });
    given(allotmentDecider, repriced)
      .when(take('h', 'c', 2, { expected: 198_000 }))
      .then([taken('h', 'c', 2)]);
    given(allotmentDecider, [...repriced, taken('h', 'c', 2)])
      .when(take('h', 'c', 2, { expected: 100_000 }))
      .thenRejected({ code: 'PRICE_CHANGED', totalMinor: 198_000 });
  });

  test('after it was released is refused, though it has not expired', () => {
    given(allotmentDecider, [...history, releasedHold('h', 3)])
      .when(take('h', 'c', 3))
      .thenRejected({ code: 'HOLD_EXPIRED', expiresAtMs: ENDS_MS });
  });

  test.each([
    ['that was never given', [opened], 3],
    ['of a date that never opened', [], 3],
    ['of other slots', history, 2],
  ] as readonly (readonly [string, readonly AllotmentEvent[], number])[])('%s is refused', (_, events, size) => {
    given(allotmentDecider, events)
      .when(take('h', 'c', size))
      .thenRejected({ code: 'HOLD_UNKNOWN' });
  });

  test('by another booking is refused, also after the first booking released its slots', () => {
    const used = [...history, taken('h', 'c', 3)];
    for (const events of [used, [...used, released('c', 3)]])
      given(allotmentDecider, events)
        .when(take('h', 'd', 3, { booking: 'bk_2' }))
        .thenRejected({ code: 'HOLD_USED' });
  });

  test('again with the same claim adds no event, also after its end', () => {
    given(allotmentDecider, [...history, taken('h', 'c', 3)])
      .when(take('h', 'c', 3, { nowMs: ENDS_MS + 1 }))
      .thenNothing();
  });

  test('with a released claim is refused, because its id is spent', () => {
    given(allotmentDecider, [...history, taken('h', 'c', 3), released('c', 3)])
      .when(take('h', 'c', 3))
      .thenRejected({ code: 'CLAIM_SPENT' });
  });

  test('by the same booking after its claim was released claims new slots, if enough are free', () => {
    const events = [...history, taken('h', 'c', 3), released('c', 3)];
    given(allotmentDecider, events)
      .when(take('h', 'd', 3, { nowMs: ENDS_MS + 1 }))
      .then([claimed('d', 3)]);
    given(allotmentDecider, [...events, claimed('e', 8, 'bk_2')])
      .when(take('h', 'd', 3))
      .thenRejected({ code: 'INVENTORY_EXHAUSTED', free: 2 });
  });
});

describe('releasing a hold', () => {
  test('frees its slots, once', () => {
    given(allotmentDecider, [opened, held('h', 3)])
      .when(releaseHold('h'))
      .then([releasedHold('h', 3)]);
    given(allotmentDecider, [opened, held('h', 3), releasedHold('h', 3)])
      .when(releaseHold('h'))
      .thenNothing();
  });

  test('that was used is refused', () => {
    given(allotmentDecider, [opened, held('h', 3), taken('h', 'c', 3)])
      .when(releaseHold('h'))
      .thenRejected({ code: 'HOLD_USED' });
  });

  test.each([
    ['that was never given', [opened]],
    ['of a date that never opened', []],
  ] as readonly (readonly [string, readonly AllotmentEvent[]])[])('%s is refused', (_, events) => {
    given(allotmentDecider, events).when(releaseHold('h')).thenRejected({ code: 'HOLD_UNKNOWN' });
  });
});

describe('shrinking a claim', () => {
  const history = [opened, claimed('c', 5)];

  test('frees all but the remaining slots, and a later release frees those', () => {
    given(allotmentDecider, history)
      .when(shrink('c', 2, 2))
      .then([shrunk('c', 2, 3, 2)]);
    given(allotmentDecider, [...history, shrunk('c', 2, 3, 2)])
      .when(release('c'))
      .then([released('c', 2)]);
  });

  test.each([
    ['an older one than the newest', [...history, shrunk('c', 3, 2, 4)], shrink('c', 2, 3)],
    ['the newest once more', [...history, shrunk('c', 3, 2, 4)], shrink('c', 3, 4)],
    ['one that leaves more than there is', [...history, shrunk('c', 3, 2, 4)], shrink('c', 4, 5)],
    ['of a released claim', [...history, released('c', 5)], shrink('c', 2, 2)],
    ['of a claim that was never made', history, shrink('d', 2, 2)],
    ['of a date that never opened', [], shrink('c', 2, 2)],
  ] as readonly (readonly [string, readonly AllotmentEvent[], AllotmentCommand])[])(
    'is ignored: %s',
    (_, events, command) => {
      given(allotmentDecider, events).when(command).thenNothing();
    },
  );

  test('makes the claim smaller, so that its id is spent for the former size', () => {
    given(allotmentDecider, [...history, shrunk('c', 2, 3, 2)])
      .when(claim('c', 5))
      .thenRejected({ code: 'CLAIM_SPENT' });
  });
});

test('a claim of zero slots is accepted on a full date too', () => {
  given(allotmentDecider, [opened, claimed('c', 10)])
    .when(claim('d', 0))
    .then([claimed('d', 0)]);
});

test('held, claimed and free slots add up to the capacity at every step', () => {
  const steps = [
    opened,
    held('h', 4),
    held('i', 2),
    taken('h', 'c', 4),
    shrunk('c', 1, 3, 2),
    releasedHold('i', 2),
    released('c', 1),
  ];
  const counted = steps.map((_, index) => {
    const allotment = fold(allotmentDecider, steps.slice(0, index + 1));
    if (allotment.status === 'unopened') expect.unreachable();
    return [allotment.taken, allotment.held, freeSlots(allotment, aSchedule())];
  });
  expect(counted).toEqual([
    [0, 0, 10],
    [4, 4, 6],
    [6, 6, 4],
    [6, 2, 4],
    [3, 2, 7],
    [1, 0, 9],
    [0, 0, 10],
  ]);
});
