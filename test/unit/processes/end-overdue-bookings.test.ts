import { describe, expect, test } from 'bun:test';
import type { ApiKeyEvent } from '../../../src/domain/apikey/apikey.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { subjectOf } from '../../../src/domain/booking/facts.ts';
import {
  type EndOverdueBookingsCommand,
  endOverdueBookings,
  endOverdueBookingsKey,
} from '../../../src/processes/end-overdue-bookings/process-manager.ts';
import { modified } from '../../support/booking-life.ts';
import { allotment, bookingFacts, bookingId, claimId, confirmation } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';

const FINISH_BY_MS = Date.parse('2026-11-21T03:01:00Z');
const ANSWER_BY_MS = Date.parse('2026-11-22T03:00:00Z');
const AT = '2026-11-21T03:00:30.000Z';

const facts = bookingFacts();
const started: BookingEvent = {
  type: 'BookingStarted',
  data: { ...facts, finishByMs: FINISH_BY_MS, answerByMs: null },
};
const placed: BookingEvent = {
  type: 'BookingPlacedOnRequest',
  data: { ...facts, answerByMs: ANSWER_BY_MS, follows: null },
};
const rejected: BookingEvent = {
  type: 'BookingRejected',
  data: {
    ...subjectOf(facts),
    reason: 'venue_unavailable',
    code: 'ACTIVITY_UNAVAILABLE',
    by: 'venue',
    currency: 'THB',
    dropped: facts.claims,
    at: AT,
  },
};
const abandoned: BookingEvent = {
  type: 'ClaimAbandoned',
  data: { claim: claimId('claim_0'), allotment: allotment('bkk-ocean-world-2026-12-24') },
};

const finish = (booking: string): EndOverdueBookingsCommand => ({ type: 'FinishBooking', booking: bookingId(booking) });
const reject = (booking: string): EndOverdueBookingsCommand => ({
  type: 'RejectUnanswered',
  booking: bookingId(booking),
});

describe('a booking that was started', () => {
  test('is not finished before its deadline, but at it', () => {
    const recorded = recorder();
    givenEvents(endOverdueBookings, recorded('booking-bk_1', started))
      .thenDue(FINISH_BY_MS - 1, [])
      .thenDue(FINISH_BY_MS, [finish('bk_1')])
      .thenOldestOpen(positionAt(1));
  });

  test('is closed once it is confirmed or rejected', () => {
    for (const end of [confirmation(), rejected]) {
      const recorded = recorder();
      givenEvents(endOverdueBookings, recorded('booking-bk_1', started), recorded('booking-bk_1', end))
        .thenDue(ANSWER_BY_MS, [])
        .thenOldestOpen(null);
    }
  });

  test('waits for the venue once it is placed on request', () => {
    const recorded = recorder();
    givenEvents(endOverdueBookings, recorded('booking-bk_1', started), recorded('booking-bk_1', placed))
      .thenDue(FINISH_BY_MS, [])
      .thenDue(ANSWER_BY_MS, [reject('bk_1')])
      .thenOldestOpen(positionAt(2));
  });
});

describe('a booking that waits for its venue', () => {
  test('is not rejected before the venue’s deadline, but at it', () => {
    const recorded = recorder();
    givenEvents(endOverdueBookings, recorded('booking-bk_1', placed))
      .thenDue(ANSWER_BY_MS - 1, [])
      .thenDue(ANSWER_BY_MS, [reject('bk_1')]);
  });

  test('gets the deadline of its new date when it is moved, and the checkpoint stays before its first event', () => {
    const recorded = recorder();
    const nearer = modified({ changes: {}, answerByMs: ANSWER_BY_MS - 3_600_000 });
    givenEvents(endOverdueBookings, recorded('booking-bk_1', placed), recorded('booking-bk_1', nearer))
      .thenDue(ANSWER_BY_MS - 3_600_001, [])
      .thenDue(ANSWER_BY_MS - 3_600_000, [reject('bk_1')])
      .thenOldestOpen(positionAt(1));
  });

  test('keeps its deadline if a modification does not name one', () => {
    const recorded = recorder();
    const grown = modified({ changes: {}, answerByMs: null });
    givenEvents(endOverdueBookings, recorded('booking-bk_1', placed), recorded('booking-bk_1', grown))
      .thenDue(ANSWER_BY_MS - 1, [])
      .thenDue(ANSWER_BY_MS, [reject('bk_1')]);
    const other = recorder();
    givenEvents(endOverdueBookings, other('booking-bk_1', confirmation()), other('booking-bk_1', grown))
      .thenDue(ANSWER_BY_MS, [])
      .thenOldestOpen(null);
  });

  test('is closed once it is confirmed, rejected or cancelled', () => {
    const cancelled: BookingEvent = {
      type: 'BookingCancelled',
      data: {
        ...subjectOf(facts),
        command: facts.command,
        fingerprint: facts.fingerprint,
        reason: 'user_requested',
        by: 'user',
        refundMinor: 0,
        currency: 'THB',
        dropped: facts.claims,
        at: AT,
      },
    };
    for (const end of [confirmation(), rejected, cancelled]) {
      const recorded = recorder();
      givenEvents(endOverdueBookings, recorded('booking-bk_1', placed), recorded('booking-bk_1', end))
        .thenDue(ANSWER_BY_MS, [])
        .thenOldestOpen(null);
    }
  });
});

test('commands come oldest first, up to the limit; bookings confirmed at once, and abandoned claims, need none', () => {
  const recorded = recorder();
  const events = [
    recorded('booking-bk_0', abandoned),
    recorded('booking-bk_1', placed),
    recorded('booking-bk_2', confirmation()),
    recorded('booking-bk_3', started),
  ];
  givenEvents(endOverdueBookings, ...events)
    .thenDue(ANSWER_BY_MS, [reject('bk_1'), finish('bk_3')])
    .thenDue(ANSWER_BY_MS, [reject('bk_1')], 1)
    .thenOldestOpen(positionAt(2));
});

test('commands in flight are not due again', () => {
  const state = endOverdueBookings.react(endOverdueBookings.initial, recorder()('booking-bk_1', started));
  const room = { ...roomFor(10), busy: (key: string) => key === endOverdueBookingsKey(finish('bk_1')) };
  expect(endOverdueBookings.due(state, FINISH_BY_MS, room)).toEqual([]);
});

describe('a booking on request whose key is deactivated', () => {
  const KEY = `apikey-${facts.keyId}`;
  const deactivated: ApiKeyEvent = { type: 'KeyDeactivated', data: { at: AT } };
  const end = { type: 'RejectOfInactiveKey', booking: bookingId('bk_1') } as const;

  test('is rejected at once, before or after the deactivation', () => {
    const before = recorder();
    givenEvents(endOverdueBookings, before('booking-bk_1', placed), before(KEY, deactivated))
      .thenDue(0, [end])
      .thenOldestOpen(positionAt(1));
    const after = recorder();
    givenEvents(endOverdueBookings, after(KEY, deactivated), after('booking-bk_1', placed))
      .thenDue(0, [end])
      .thenOldestOpen(positionAt(2));
  });

  test('is not rejected for another key, nor once the key is active again', () => {
    const other = recorder();
    givenEvents(endOverdueBookings, other('apikey-key_other', deactivated), other('booking-bk_1', placed)).thenDue(
      0,
      [],
    );
    const again = recorder();
    const activated: ApiKeyEvent = { type: 'KeyActivated', data: { at: AT } };
    givenEvents(endOverdueBookings, again(KEY, deactivated), again(KEY, activated), again('booking-bk_1', placed))
      .thenDue(0, [])
      .thenDue(ANSWER_BY_MS, [reject('bk_1')]);
  });

  test('is finished first if it was only started', () => {
    const recorded = recorder();
    givenEvents(endOverdueBookings, recorded('booking-bk_1', started), recorded(KEY, deactivated))
      .thenDue(0, [])
      .thenDue(FINISH_BY_MS, [finish('bk_1')]);
  });
});
