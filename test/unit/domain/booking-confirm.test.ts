import { describe, expect, test } from 'bun:test';
import { amounts } from '../../../src/domain/activity/pricing.ts';
import type { BookingCommand } from '../../../src/domain/booking/commands.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { guestsOf, subjectOf } from '../../../src/domain/booking/facts.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { rejecting } from '../../support/booking-life.ts';
import { A_VOUCHER, bookingFacts, commandId, confirmation, fingerprint, ISSUED } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const OPENS_MS = Date.parse('2026-12-24T02:00:00Z');
const FACTS = bookingFacts();
const PLACED: BookingEvent = {
  type: 'BookingPlacedOnRequest',
  data: { ...FACTS, answerByMs: OPENS_MS, follows: null },
};
/** The guests add one more. */
const MODIFIED: BookingEvent = {
  type: 'BookingModified',
  data: {
    ...subjectOf(FACTS),
    command: commandId('CMD2'),
    fingerprint: fingerprint('FP2'),
    by: 'user',
    changes: { numAdults: { from: FACTS.numAdults, to: FACTS.numAdults + 1 } },
    numAdults: FACTS.numAdults + 1,
    numChildren: FACTS.numChildren,
    numGuests: guestsOf(FACTS) + 1,
    hours: FACTS.hours,
    pricing: FACTS.pricing,
    cancellation: FACTS.cancellation,
    claims: FACTS.claims,
    dropped: [],
    shrunk: [],
    guest: null,
    version: 2,
    answerByMs: null,
    at: FACTS.at,
  },
};

const confirming = (...ifVersions: readonly number[]) =>
  ({ type: 'ConfirmByVenue', ...ISSUED, ifVersions, nowMs: OPENS_MS }) as const;

describe('the venue’s confirmation', () => {
  test('applies to the version that the venue was asked about', () => {
    const { keyId, pricing } = FACTS;
    const { totalMinor: amountMinor } = amounts(pricing, guestsOf(FACTS));
    given(bookingDecider, [PLACED])
      .when(confirming(1))
      .then([
        confirmation({}, 'BookingPlacedOnRequest', OPENS_MS),
        { type: 'ChargeRecorded', data: { keyId, amountMinor, currency: pricing.currency } },
        { type: 'VoucherIssued', data: A_VOUCHER },
      ]);
  });

  test('is refused if the guests have modified the booking since', () => {
    given(bookingDecider, [PLACED, MODIFIED])
      .when(confirming(1))
      .thenRejected({ code: 'REVISION_CONFLICT', version: 2 });
  });

  test('can be repeated without effect', () => {
    const confirmed: BookingEvent = { type: 'BookingConfirmed', data: { ...FACTS, follows: 'BookingPlacedOnRequest' } };
    given(bookingDecider, [PLACED, confirmed]).when(confirming()).thenNothing();
  });
});

describe('an answer by the link in the venue’s mail', () => {
  const answering = (nowMs: number, answerByMs = OPENS_MS): readonly BookingCommand[] => [
    { type: 'ConfirmByVenue', ...ISSUED, ifVersions: [1], nowMs, answer: { nowMs, answerByMs } },
    { ...rejecting(), answer: { nowMs, answerByMs } },
  ];

  test.each([OPENS_MS, OPENS_MS + 1])('is refused at its deadline and after it: %p', (nowMs) => {
    for (const command of answering(nowMs))
      given(bookingDecider, [PLACED]).when(command).thenRejected({ code: 'ANSWER_TOO_LATE' });
  });

  test('counts until the deadline, to the ms', () => {
    for (const command of answering(OPENS_MS - 1)) {
      expect(bookingDecider.decide(command, fold(bookingDecider, [PLACED])).kind).toBe('accepted');
    }
  });

  test('is refused at the booking’s deadline if that of the link is later', () => {
    for (const command of answering(OPENS_MS, OPENS_MS + 1_000))
      given(bookingDecider, [PLACED]).when(command).thenRejected({ code: 'ANSWER_TOO_LATE' });
  });

  test('that was accepted is repeated without effect after the deadline', () => {
    const confirmed: BookingEvent = { type: 'BookingConfirmed', data: { ...FACTS, follows: 'BookingPlacedOnRequest' } };
    const [confirm] = answering(OPENS_MS + 1);
    if (confirm !== undefined) given(bookingDecider, [PLACED, confirmed]).when(confirm).thenNothing();
  });

  test('of an operator has no deadline', () => {
    for (const command of [{ ...confirming(1), nowMs: OPENS_MS + 1 }, rejecting()])
      expect(bookingDecider.decide(command, fold(bookingDecider, [PLACED])).kind).toBe('accepted');
  });
});
