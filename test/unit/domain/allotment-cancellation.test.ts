import { describe, expect, test } from 'bun:test';
import { leftToCancel } from '../../../src/domain/allotment/cancel-date.ts';
import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { A_TAKER, aSchedule, bookingId, claimId, commandId, fingerprint, holdId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const NOW_MS = Date.parse('2026-12-23T22:10:00Z');
const AT = new Date(NOW_MS).toISOString();
const PRICING = { unitPriceMinor: 99_000, discountMinor: 0, currency: 'THB' } as const;

const opened: AllotmentEvent = { type: 'AllotmentOpened', data: aSchedule() };
const closed: AllotmentEvent = { type: 'CapacitySet', data: { capacity: 0 } };
const claimed = (id: string, booking: string, size = 2): AllotmentEvent => ({
  type: 'SlotsClaimed',
  data: { claim: claimId(id), booking: bookingId(booking), size, deadlineMs: 1, pricing: PRICING, unpaidBy: null },
});
const held: AllotmentEvent = {
  type: 'SlotsHeld',
  data: { hold: holdId('hold_1'), size: 1, expiresAtMs: NOW_MS + 1, pricing: PRICING, holder: null },
};
const released = (id: string, size = 2): AllotmentEvent => ({
  type: 'SlotsReleased',
  data: { claim: claimId(id), size },
});
const cancelled = (bookings = 2, places = 4, holds = 0, command = 'STORM'): AllotmentEvent => ({
  type: 'DateCancelled',
  data: {
    command: commandId(command),
    fingerprint: fingerprint('FP'),
    reason: 'weather',
    bookings,
    places,
    holds,
    at: AT,
  },
});
const settled = (booking: string, outcome: 'cancelled' | 'visited' | 'gone' = 'cancelled'): AllotmentEvent => ({
  type: 'DateBookingSettled',
  data: { command: commandId('STORM'), booking: bookingId(booking), outcome, refundMinor: 0 },
});
const finished: AllotmentEvent = { type: 'DateCancellationFinished', data: { command: commandId('STORM'), at: AT } };

const cancel = (command = 'STORM', print = 'FP'): AllotmentCommand => ({
  type: 'CancelDate',
  commandId: commandId(command),
  fingerprint: fingerprint(print),
  reason: 'weather',
  at: AT,
  schedule: aSchedule(),
});
const settle = (booking: string): AllotmentCommand => ({
  type: 'SettleBooking',
  commandId: commandId('STORM'),
  bookingId: bookingId(booking),
  outcome: 'cancelled',
  refundMinor: 0,
});
const finish: AllotmentCommand = { type: 'FinishCancellation', commandId: commandId('STORM'), at: AT };
const setCapacity = (capacity: number | null): AllotmentCommand => ({
  type: 'SetTerms',
  capacity,
  schedule: aSchedule(),
});
const claim = (id: string, booking: string): AllotmentCommand => ({
  type: 'ClaimSlots',
  claimId: claimId(id),
  bookingId: bookingId(booking),
  size: 2,
  deadlineMs: 1,
  hotelPercentOff: 0,
  expectedTotalMinor: null,
  nowMs: NOW_MS,
  schedule: aSchedule(),
  releasesSeen: 0,
  unpaid: null,
});
const holdSlots: AllotmentCommand = {
  type: 'HoldSlots',
  holdId: holdId('hold_2'),
  size: 1,
  holder: A_TAKER,
  expiresAtMs: NOW_MS + 1,
  hotelPercentOff: 0,
  nowMs: NOW_MS,
  schedule: aSchedule(),
  releasesSeen: 0,
};
const takeHold: AllotmentCommand = {
  type: 'TakeHold',
  holdId: holdId('hold_1'),
  claimId: claimId('claim_9'),
  bookingId: bookingId('bk_9'),
  size: 1,
  deadlineMs: 1,
  expectedTotalMinor: null,
  nowMs: NOW_MS,
  releasesSeen: 0,
  unpaid: null,
};

const TWO_BOOKINGS = [opened, claimed('claim_1', 'bk_1'), claimed('claim_2', 'bk_2')];
const CLOSED = [...TWO_BOOKINGS, held, closed, cancelled(2, 4, 1)];
const DONE = [
  ...TWO_BOOKINGS,
  closed,
  cancelled(),
  released('claim_1'),
  settled('bk_1'),
  settled('bk_2', 'visited'),
  finished,
];

describe('the cancellation of a date', () => {
  test('closes it, and counts bookings, places and holds at that moment', () => {
    given(allotmentDecider, [...TWO_BOOKINGS, claimed('claim_3', 'bk_2', 1), held])
      .when(cancel())
      .then([closed, cancelled(2, 5, 1)]);
  });

  test('opens a date without events to close it', () => {
    given(allotmentDecider, [])
      .when(cancel())
      .then([opened, closed, cancelled(0, 0, 0)]);
  });

  test('counts no booking whose slots are released', () => {
    given(allotmentDecider, [...TWO_BOOKINGS, released('claim_1')])
      .when(cancel())
      .then([closed, cancelled(1, 2, 0)]);
  });

  test('stands: neither a repetition nor another request cancels a closed date', () => {
    given(allotmentDecider, CLOSED).when(cancel()).thenNothing();
    given(allotmentDecider, CLOSED).when(cancel('ANOTHER')).thenNothing();
    given(allotmentDecider, DONE).when(cancel('ANOTHER')).thenNothing();
  });

  test('with its Idempotency-Key and another reason is refused', () => {
    given(allotmentDecider, CLOSED).when(cancel('STORM', 'OTHER')).thenRejected({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('is not taken back by a change of many dates; a change of this date alone opens it again', () => {
    const ofRange = (capacity: number) => ({ ...setCapacity(capacity), keepsCancelled: true }) as AllotmentCommand;
    const capacitySet = (capacity: number): AllotmentEvent => ({ type: 'CapacitySet', data: { capacity } });
    given(allotmentDecider, DONE).when(ofRange(60)).thenRejected({ code: 'DATE_CANCELLED' });
    given(allotmentDecider, DONE)
      .when(setCapacity(60))
      .then([capacitySet(60)]);
    given(allotmentDecider, [...DONE, capacitySet(60)])
      .when(ofRange(50))
      .then([capacitySet(50)]);
  });

  test('can follow an earlier one after the date was opened again; no repetition of an earlier one does', () => {
    const opening: AllotmentEvent = { type: 'CapacitySet', data: { capacity: null } };
    const again = [...DONE, opening];
    given(allotmentDecider, again).when(cancel()).thenNothing();
    given(allotmentDecider, again)
      .when(cancel('SECOND'))
      .then([closed, cancelled(1, 2, 0, 'SECOND')]);
    const second = [...again, closed, cancelled(1, 2, 0, 'SECOND')];
    given(allotmentDecider, second).when(cancel()).thenNothing();
  });
});

describe('while a date is being cancelled', () => {
  test('nothing is claimed or held, no hold is taken, and no earlier claim is used by a repetition', () => {
    const full = { code: 'INVENTORY_EXHAUSTED', free: 0 } as const;
    for (const command of [claim('claim_4', 'bk_4'), holdSlots, takeHold, claim('claim_1', 'bk_1')])
      given(allotmentDecider, CLOSED).when(command).thenRejected(full);
  });

  test('it stays closed; when the cancellation has finished, an operator opens it', () => {
    given(allotmentDecider, CLOSED).when(setCapacity(10)).thenRejected({ code: 'CANCELLATION_RUNNING' });
    given(allotmentDecider, DONE)
      .when(setCapacity(10))
      .then([{ type: 'CapacitySet', data: { capacity: 10 } }]);
  });

  test('each booking is counted once', () => {
    given(allotmentDecider, CLOSED)
      .when(settle('bk_1'))
      .then([settled('bk_1')]);
    given(allotmentDecider, [...CLOSED, settled('bk_1')])
      .when(settle('bk_1'))
      .thenNothing();
    given(allotmentDecider, CLOSED).when(settle('bk_3')).thenNothing();
    given(allotmentDecider, TWO_BOOKINGS).when(settle('bk_1')).thenNothing();
  });

  test('it finishes when no booking and no hold is left', () => {
    const running = { code: 'CANCELLATION_RUNNING' } as const;
    given(allotmentDecider, CLOSED).when(finish).thenRejected(running);
    const bookingsDone = [...CLOSED, settled('bk_1'), settled('bk_2', 'gone')];
    given(allotmentDecider, bookingsDone).when(finish).thenRejected(running);
    given(allotmentDecider, [...bookingsDone, { ...released('hold_1', 1) }])
      .when(finish)
      .then([finished]);
    given(allotmentDecider, DONE).when(finish).thenNothing();
  });

  test('what is left are the bookings that are not settled, with their claims, and the open holds', () => {
    const state = fold(allotmentDecider, [...CLOSED, settled('bk_1')]);
    if (state.status !== 'open') throw new Error('the date is not open');
    expect(leftToCancel(state)).toEqual({
      bookings: [{ id: bookingId('bk_2'), claims: [claimId('claim_2')] }],
      holds: [holdId('hold_1')],
    });
  });
});
