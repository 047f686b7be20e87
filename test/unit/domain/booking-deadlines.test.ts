import { describe, expect, test } from 'bun:test';
import type { BookingEvent } from '../../../src/domain/booking/booking.ts';
import { bookingDeadlines, type DeadlineCommand, deadlineKey } from '../../../src/domain/booking/booking-deadlines.ts';
import { subjectOf } from '../../../src/domain/booking/subject.ts';
import { roomFor } from '../../../src/eventsourcing/process-manager.ts';
import { modified } from '../../support/booking-life.ts';
import { allotment, bookingFacts, bookingId, claimId, confirmation } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';

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

const finish = (booking: string): DeadlineCommand => ({ type: 'FinishBooking', booking: bookingId(booking) });
const reject = (booking: string): DeadlineCommand => ({ type: 'RejectUnanswered', booking: bookingId(booking) });

describe('a booking that was started', () => {
  test('is left alone an instant before its time, and finished at it', () => {
    const recorded = recorder();
    givenEvents(bookingDeadlines, recorded('booking-bk_1', started))
      .thenDue(FINISH_BY_MS - 1, [])
      .thenDue(FINISH_BY_MS, [finish('bk_1')])
      .thenOldestOpen(positionAt(1));
  });

  test('is done with once it is confirmed or rejected', () => {
    for (const end of [confirmation(), rejected]) {
      const recorded = recorder();
      givenEvents(bookingDeadlines, recorded('booking-bk_1', started), recorded('booking-bk_1', end))
        .thenDue(ANSWER_BY_MS, [])
        .thenOldestOpen(null);
    }
  });

  test('waits for the venue instead, once that is asked', () => {
    const recorded = recorder();
    givenEvents(bookingDeadlines, recorded('booking-bk_1', started), recorded('booking-bk_1', placed))
      .thenDue(FINISH_BY_MS, [])
      .thenDue(ANSWER_BY_MS, [reject('bk_1')])
      .thenOldestOpen(positionAt(2));
  });
});

describe('a booking that waits for its venue', () => {
  test('is left alone an instant before the time to answer, and rejected at it', () => {
    const recorded = recorder();
    givenEvents(bookingDeadlines, recorded('booking-bk_1', placed))
      .thenDue(ANSWER_BY_MS - 1, [])
      .thenDue(ANSWER_BY_MS, [reject('bk_1')]);
  });

  test('has the time that its new date leaves, where it is moved, and is still needed from its first event on', () => {
    const recorded = recorder();
    const nearer = modified({ changes: {}, answerByMs: ANSWER_BY_MS - 3_600_000 });
    givenEvents(bookingDeadlines, recorded('booking-bk_1', placed), recorded('booking-bk_1', nearer))
      .thenDue(ANSWER_BY_MS - 3_600_001, [])
      .thenDue(ANSWER_BY_MS - 3_600_000, [reject('bk_1')])
      .thenOldestOpen(positionAt(1));
  });

  test('keeps its time where a modification says nothing of it', () => {
    const recorded = recorder();
    const grown = modified({ changes: {}, answerByMs: null });
    givenEvents(bookingDeadlines, recorded('booking-bk_1', placed), recorded('booking-bk_1', grown))
      .thenDue(ANSWER_BY_MS - 1, [])
      .thenDue(ANSWER_BY_MS, [reject('bk_1')]);
    const other = recorder();
    givenEvents(bookingDeadlines, other('booking-bk_1', confirmation()), other('booking-bk_1', grown))
      .thenDue(ANSWER_BY_MS, [])
      .thenOldestOpen(null);
  });

  test('is done with once the venue agreed, or declined, or the guests gave it up', () => {
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
      givenEvents(bookingDeadlines, recorded('booking-bk_1', placed), recorded('booking-bk_1', end))
        .thenDue(ANSWER_BY_MS, [])
        .thenOldestOpen(null);
    }
  });
});

test('what is owed comes oldest first, as much as is asked for; bookings made at once, and fences, owe nothing', () => {
  const recorded = recorder();
  const events = [
    recorded('booking-bk_0', abandoned),
    recorded('booking-bk_1', placed),
    recorded('booking-bk_2', confirmation()),
    recorded('booking-bk_3', started),
  ];
  givenEvents(bookingDeadlines, ...events)
    .thenDue(ANSWER_BY_MS, [reject('bk_1'), finish('bk_3')])
    .thenDue(ANSWER_BY_MS, [reject('bk_1')], 1)
    .thenOldestOpen(positionAt(2));
});

test('what is under way is not owed again', () => {
  const state = bookingDeadlines.react(bookingDeadlines.initial, recorder()('booking-bk_1', started));
  const room = { ...roomFor(10), busy: (key: string) => key === deadlineKey(finish('bk_1')) };
  expect(bookingDeadlines.due(state, FINISH_BY_MS, room)).toEqual([]);
});
