import { describe, test } from 'bun:test';
import { amounts } from '../../../src/domain/activity/pricing.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { guestsOf, subjectOf } from '../../../src/domain/booking/facts.ts';
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
