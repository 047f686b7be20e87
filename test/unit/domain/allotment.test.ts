import { describe, expect, test } from 'bun:test';
import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import { freeSlots } from '../../../src/domain/allotment/state.ts';
import { allotmentIdOf } from '../../../src/domain/ids.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { activityId, allotment, aSchedule, bookingId, claimId, date } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const NOW_MS = Date.parse('2026-11-21T03:00:00Z');
const DEADLINE_MS = Date.parse('2026-11-21T03:01:00Z');
const PRICE = { unitPriceMinor: 99_000, discountMinor: 0, currency: 'THB' } as const;

const opened = (capacity: number): AllotmentEvent => ({ type: 'AllotmentOpened', data: aSchedule({ capacity }) });

const claimed = (id: string, size: number): AllotmentEvent => ({
  type: 'SlotsClaimed',
  data: {
    unpaidBy: null,
    claim: claimId(id),
    booking: bookingId(`bk_${id}`),
    size,
    deadlineMs: DEADLINE_MS,
    pricing: PRICE,
  },
});

const released = (id: string, size: number): AllotmentEvent => ({
  type: 'SlotsReleased',
  data: { claim: claimId(id), size },
});

const claim = (id: string, size: number, capacityBySchedule = 10): AllotmentCommand => ({
  type: 'ClaimSlots',
  unpaid: null,
  claimId: claimId(id),
  bookingId: bookingId(`bk_${id}`),
  size,
  deadlineMs: DEADLINE_MS,
  hotelPercentOff: 0,
  expectedTotalMinor: null,
  nowMs: NOW_MS,
  releasesSeen: 0,
  schedule: aSchedule({ capacity: capacityBySchedule }),
});

const release = (id: string): AllotmentCommand => ({ type: 'ReleaseSlots', claimId: claimId(id) });

describe('the first claim on a date', () => {
  test('opens the allotment with the schedule, then takes the slots', () => {
    given(allotmentDecider, [])
      .when(claim('a', 3))
      .then([opened(10), claimed('a', 3)]);
  });

  test('can take the whole capacity of the schedule', () => {
    given(allotmentDecider, [])
      .when(claim('a', 10))
      .then([opened(10), claimed('a', 10)]);
  });

  test('beyond the capacity of the schedule is refused, and opens nothing', () => {
    given(allotmentDecider, []).when(claim('a', 11)).thenRejected({ code: 'INVENTORY_EXHAUSTED', free: 10 });
  });
});

describe('a claim on an open allotment', () => {
  test('takes up to the last free slot', () => {
    given(allotmentDecider, [opened(10), claimed('a', 7)])
      .when(claim('b', 3))
      .then([claimed('b', 3)]);
  });

  test('for one slot too many is refused, with the number of free slots', () => {
    given(allotmentDecider, [opened(10), claimed('a', 7)])
      .when(claim('b', 4))
      .thenRejected({ code: 'INVENTORY_EXHAUSTED', free: 3 });
  });

  test('on a full date is refused with no free slots', () => {
    given(allotmentDecider, [opened(10), claimed('a', 10)])
      .when(claim('b', 1))
      .thenRejected({ code: 'INVENTORY_EXHAUSTED', free: 0 });
  });

  test('uses the capacity that the allotment opened with, not the current schedule', () => {
    given(allotmentDecider, [opened(10), claimed('a', 10)])
      .when(claim('b', 1, 50))
      .thenRejected({ code: 'INVENTORY_EXHAUSTED', free: 0 });
  });

  test('can take released slots', () => {
    given(allotmentDecider, [opened(10), claimed('a', 10), released('a', 10)])
      .when(claim('b', 10))
      .then([claimed('b', 10)]);
  });
});

describe('a claim whose id was seen before', () => {
  const history = [opened(10), claimed('a', 3)];

  test('is adopted if it is unreleased and of the same size', () => {
    given(allotmentDecider, history).when(claim('a', 3)).thenNothing();
  });

  test('is adopted on a full date too, because it needs no further slots', () => {
    given(allotmentDecider, [...history, claimed('b', 7)])
      .when(claim('a', 3))
      .thenNothing();
  });

  test.each([2, 4])('is spent for another size: %p instead of 3', (size) => {
    given(allotmentDecider, history).when(claim('a', size)).thenRejected({ code: 'CLAIM_SPENT' });
  });

  test('is spent after its release, though slots are free', () => {
    given(allotmentDecider, [...history, released('a', 3)])
      .when(claim('a', 3))
      .thenRejected({ code: 'CLAIM_SPENT' });
  });
});

describe('releasing', () => {
  test('frees the size that was claimed', () => {
    given(allotmentDecider, [opened(10), claimed('a', 3)])
      .when(release('a'))
      .then([released('a', 3)]);
  });

  test('happens once per claim', () => {
    given(allotmentDecider, [opened(10), claimed('a', 3), released('a', 3)])
      .when(release('a'))
      .thenNothing();
  });

  test('does not change other claims', () => {
    const after = fold(allotmentDecider, [opened(10), claimed('a', 3), claimed('b', 4), released('a', 3)]);
    expect(freeSlots(after, aSchedule({ capacity: 0 }))).toBe(6);
    given(allotmentDecider, [opened(10), claimed('a', 3), claimed('b', 4), released('a', 3)])
      .when(release('b'))
      .then([released('b', 4)]);
  });

  test.each([
    ['of an allotment that never opened', []],
    ['of a claim that was never made', [opened(10), claimed('a', 3)]],
  ])('%s is nothing', (_, history) => {
    given(allotmentDecider, history).when(release('never')).thenNothing();
  });
});

describe('free slots', () => {
  test('of an unopened allotment are the capacity of the schedule', () => {
    expect(freeSlots({ status: 'unopened' }, aSchedule({ capacity: 12 }))).toBe(12);
  });

  test('of an open allotment are its capacity less the unreleased claims, under the same schedule', () => {
    expect(freeSlots(fold(allotmentDecider, [opened(10), claimed('a', 3)]), aSchedule({ capacity: 12 }))).toBe(7);
  });

  test('are never shown below zero', () => {
    expect(freeSlots(fold(allotmentDecider, [opened(2), claimed('a', 3)]), aSchedule({ capacity: 12 }))).toBe(0);
  });
});

test('an allotment is named after its activity and its date', () => {
  expect(allotmentIdOf(activityId('bkk-ocean-world'), date('2026-12-24'))).toBe(
    allotment('bkk-ocean-world-2026-12-24'),
  );
});

test('a stream that does not begin with AllotmentOpened is a fault', () => {
  expect(() => fold(allotmentDecider, [claimed('a', 3)])).toThrow('SlotsClaimed before AllotmentOpened');
});
