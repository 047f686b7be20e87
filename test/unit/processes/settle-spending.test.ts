import { test } from 'bun:test';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { subjectOf } from '../../../src/domain/booking/facts.ts';
import { type SpendingEvent, spendingIdOf } from '../../../src/domain/spending/spending.ts';
import { settleSpending } from '../../../src/processes/settle-spending/process-manager.ts';
import { allotment, bookingFacts, bookingId, claimId, confirmation, keyId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';

const AT = '2026-11-21T03:00:00.000Z';
const DEADLINE_MS = Date.parse(AT) + 60_000;
const PLACE = allotment('bkk-ocean-world-2026-12-24');
const SPENDING = spendingIdOf(keyId('key_1'), AT);
const CLAIM = { booking: bookingId('bk_1'), claim: claimId('claim_1'), allotment: PLACE } as const;
const RETURN = { type: 'ReturnReservation', spending: SPENDING, ...CLAIM } as const;

/** The log of one test. */
function happenings() {
  const record = recorder();
  const inSpending = (event: SpendingEvent) => record<SpendingEvent>(`spending-${SPENDING}`, event);
  const inBooking = (event: BookingEvent) => record<BookingEvent>('booking-bk_1', event);
  const money = { amountMinor: 5_000, currency: 'THB' } as const;
  return {
    reserved: () =>
      inSpending({ type: 'SpendingReserved', data: { ...CLAIM, ...money, deadlineMs: DEADLINE_MS, at: AT } }),
    released: () => inSpending({ type: 'SpendingReleased', data: { claim: CLAIM.claim, at: AT } }),
    confirmed: () => inBooking(confirmation()),
    abandoned: () => inBooking({ type: 'ClaimAbandoned', data: { claim: CLAIM.claim, allotment: PLACE } }),
    rejected: () =>
      inBooking({
        type: 'BookingRejected',
        data: {
          ...subjectOf(bookingFacts()),
          reason: 'system',
          code: 'ACTIVITY_UNAVAILABLE',
          by: 'system',
          currency: 'THB',
          dropped: [],
          at: AT,
        },
      }),
  };
}

test('a reservation is returned at its deadline, and closed when that is stored', () => {
  const { reserved, released } = happenings();
  const first = reserved();
  givenEvents(settleSpending, first)
    .thenDue(DEADLINE_MS - 1, [])
    .thenDue(DEADLINE_MS, [RETURN])
    .thenOldestOpen(positionAt(1));
  givenEvents(settleSpending, first, released()).thenDue(DEADLINE_MS, []).thenOldestOpen(null);
});

test('a reservation whose claim a booking names is not returned', () => {
  const { reserved, confirmed } = happenings();
  givenEvents(settleSpending, reserved(), confirmed()).thenDue(DEADLINE_MS, []).thenOldestOpen(null);
});

test('a reservation of an abandoned claim is returned at once', () => {
  const { reserved, abandoned } = happenings();
  givenEvents(settleSpending, reserved(), abandoned()).thenDue(0, [RETURN]);
});

const EASE = {
  type: 'EaseSpending',
  booking: bookingId('bk_1'),
  keyId: keyId('key_1'),
  at: AT,
} as const;

test('a rejected booking eases its day, until that is done', () => {
  const { rejected } = happenings();
  const ease = { ...EASE, position: positionAt(1) };
  givenEvents(settleSpending, rejected()).thenDue(0, [ease]).whenDone(ease).thenDue(0, []).thenOldestOpen(null);
});

test('what is due first comes first, up to the limit', () => {
  const { reserved, rejected } = happenings();
  const [first, second] = [
    { ...EASE, position: positionAt(2) },
    { ...EASE, position: positionAt(3) },
  ];
  givenEvents(settleSpending, reserved(), rejected(), rejected())
    .thenDue(DEADLINE_MS - 1, [first, second])
    .thenDue(DEADLINE_MS, [first, second, RETURN])
    .thenDue(DEADLINE_MS, [first], 1)
    .thenOldestOpen(positionAt(1));
});
