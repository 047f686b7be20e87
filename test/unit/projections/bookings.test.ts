import { test } from 'bun:test';
import { bookingsProjection } from '../../../projections/bookings/projection.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { evolve } from '../../../src/domain/booking/evolve.ts';
import { NO_TEST_CONTACT } from '../../../src/domain/booking/mail.ts';
import type { Booking } from '../../../src/domain/booking/state.ts';
import { summaryOf } from '../../../src/domain/booking/summary.ts';
import {
  A_VOUCHER,
  aVisit,
  bookingFacts,
  bookingId,
  claimId,
  confirmation,
  fingerprint,
} from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const ID = bookingId('bk_1');
const FACTS = bookingFacts();
const AT = '2026-11-22T03:00:00.000Z';
const CHARGED: BookingEvent = {
  type: 'ChargeRecorded',
  data: { keyId: FACTS.keyId, amountMinor: 207_000, currency: 'THB' },
};
const ISSUED: BookingEvent = { type: 'VoucherIssued', data: A_VOUCHER };
const MAILED: BookingEvent = { type: 'VoucherMailed', data: { messageId: '<1@waymark>', providerId: null, at: AT } };
const REFERENCE: BookingEvent = { type: 'ReferenceRecorded', data: { reference: fingerprint('trip') } };
const ERASED: BookingEvent = { type: 'GuestErased', data: { records: [claimId('claim_1')], by: 'operator', at: AT } };
const CANCELLED: BookingEvent = {
  type: 'BookingCancelled',
  data: {
    ...FACTS,
    numGuests: 3,
    reason: 'weather',
    by: 'operator',
    refundMinor: 207_000,
    currency: 'THB',
    dropped: FACTS.claims,
    at: AT,
  },
};
const VISIT = { ...FACTS, ...aVisit(), numGuests: 3, disputed: false, opensAtMs: null };
const VISITED: BookingEvent = { type: 'VisitVerified', data: VISIT };
const VOIDED: BookingEvent = {
  type: 'VisitVoided',
  data: { visit: VISIT, reason: 'a mistake', by: 'operator', at: AT },
};

function notMailed(reason: string): BookingEvent {
  return { type: 'VoucherMailFailed', data: { messageId: '<1@waymark>', attempt: 1, reason, retryAtMs: null, at: AT } };
}

test.each<[string, readonly BookingEvent[], { reference?: string; refundedMinor?: number }]>([
  ['confirmed', [], {}],
  ['mailed', [MAILED], {}],
  ['not mailed yet', [notMailed('450 later')], {}],
  ['never mailed, without a contact', [notMailed(NO_TEST_CONTACT)], {}],
  ['mailed, with a new voucher', [MAILED, ISSUED], {}],
  ['never mailed, with a new voucher', [notMailed(NO_TEST_CONTACT), ISSUED], {}],
  ['mailed at last', [notMailed(NO_TEST_CONTACT), MAILED], {}],
  ['with a reference', [REFERENCE], { reference: 'trip' }],
  ['whose guest was erased', [REFERENCE, ERASED], {}],
  [
    'cancelled and refunded',
    [CANCELLED, { type: 'RefundRecorded', data: { keyId: FACTS.keyId, amountMinor: 207_000, currency: 'THB' } }],
    { refundedMinor: 207_000 },
  ],
  ['visited', [VISITED], {}],
  ['visited before it was cancelled', [CANCELLED, VISITED], {}],
  ['visited, which was voided', [VISITED, VOIDED], {}],
  ['visited again after a void', [VISITED, VOIDED, VISITED], {}],
  ['visited before it was cancelled, which was voided', [CANCELLED, VISITED, VOIDED], {}],
])('the document of a booking that is %s has what its stream says', (_, later, { reference, ...facts }) => {
  const record = recorder();
  const events = [confirmation(), CHARGED, ISSUED, ...later].map((event) => record(`booking-${ID}`, event));
  const booking = events.reduce<Booking>(evolve, { status: 'none', abandoned: [] });
  if (booking.status === 'none') throw new Error('there is no booking');
  givenEvents(bookingsProjection, ...events).thenDocument(ID, {
    ...summaryOf(ID, booking),
    chargedMinor: 207_000,
    refundedMinor: 0,
    currency: 'THB',
    ...facts,
    reference: reference === undefined ? null : fingerprint(reference),
  });
});
