import { expect, test } from 'bun:test';
import { bookingsProjection } from '../../../projections/bookings/projection.ts';
import { CHANGED_BY_NOBODY, evolveChangedBy } from '../../../src/domain/booking/changed-by.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { evolve } from '../../../src/domain/booking/evolve.ts';
import { NO_TEST_CONTACT } from '../../../src/domain/booking/mail.ts';
import { MAIL_LIMIT } from '../../../src/domain/booking/mail-bounds.ts';
import type { Booking } from '../../../src/domain/booking/state.ts';
import { summaryOf } from '../../../src/domain/booking/summary.ts';
import { shortCodeOf } from '../../../src/domain/booking/voucher-code.ts';
import { modified } from '../../support/booking-life.ts';
import {
  A_VOUCHER,
  aVisit,
  bookingFacts,
  bookingId,
  claimId,
  commandId,
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
const MAILED: BookingEvent = {
  type: 'VoucherMailed',
  data: { messageId: '<1@waymark>', providerId: null, recipient: null, at: AT },
};
const REQUESTED: BookingEvent = {
  type: 'VoucherMailRequested',
  data: { command: commandId('again'), by: 'operator', at: AT },
};
const REPLACED_MAILED: BookingEvent = {
  type: 'ReplacedVoucherMailed',
  data: { issue: 1, messageId: '<1@waymark>', recipient: fingerprint('ada'), at: AT },
};
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
const CHANGED_PRICING = {
  ...FACTS.pricing,
  lines: [
    { guests: 3, unitPriceMinor: 69_000, discountMinor: 0 },
    { guests: 1, unitPriceMinor: 80_000, discountMinor: 24_000 },
  ],
  retainedMinor: 103_500,
};

function notMailed(reason: string): BookingEvent {
  return { type: 'VoucherMailFailed', data: { messageId: '<1@waymark>', attempt: 1, reason, retryAtMs: null, at: AT } };
}

test.each<[string, readonly BookingEvent[], { reference?: string; refundedMinor?: number }]>([
  ['confirmed', [], {}],
  ['mailed', [MAILED], {}],
  ['not mailed yet', [notMailed('450 later')], {}],
  ['never mailed, without a contact', [notMailed(NO_TEST_CONTACT)], {}],
  ['mailed later, beyond the bounds', [notMailed(MAIL_LIMIT)], {}],
  ['mailed with a replaced voucher', [ISSUED, REPLACED_MAILED], {}],
  ['mailed, with a new voucher', [MAILED, ISSUED], {}],
  ['never mailed, with a new voucher', [notMailed(NO_TEST_CONTACT), ISSUED], {}],
  ['mailed, and to be mailed again', [MAILED, REQUESTED], {}],
  ['never mailed, and to be mailed again', [notMailed(MAIL_LIMIT), REQUESTED], {}],
  ['mailed at last', [notMailed(NO_TEST_CONTACT), MAILED], {}],
  ['with a reference', [REFERENCE], { reference: 'trip' }],
  ['whose guest was erased', [REFERENCE, ERASED], {}],
  [
    'cancelled and refunded',
    [CANCELLED, { type: 'RefundRecorded', data: { keyId: FACTS.keyId, amountMinor: 207_000, currency: 'THB' } }],
    { refundedMinor: 207_000 },
  ],
  [
    'changed, with price lines and a retained amount',
    [modified({ changes: { numAdults: { from: 2, to: 3 } }, numAdults: 3, numGuests: 4, pricing: CHANGED_PRICING })],
    {},
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
    shortCode: shortCodeOf(booking.voucher?.code ?? ''),
    chargedMinor: 207_000,
    refundedMinor: 0,
    currency: 'THB',
    ...events.reduce(evolveChangedBy, CHANGED_BY_NOBODY),
    ...facts,
    reference: reference === undefined ? null : fingerprint(reference),
  });
});

test.each([
  ['an operator with an id', 'operator', 'op_3f0d9a52c1b84e67', 'op_3f0d9a52c1b84e67'],
  ['the token of the settings', 'operator', 'admin', 'admin'],
  ['an unknown part of an earlier release', 'operator', 'desk', 'operator'],
  ['the key', 'user', 'key_1', 'user'],
  ['the service', 'system', 'booking-deadlines', 'system'],
] as const)('the document names who cancelled a booking: %s', (_, by, causedBy, expected) => {
  const record = recorder();
  const booked = record(`booking-${ID}`, confirmation());
  const event = record(`booking-${ID}`, { ...CANCELLED, data: { ...CANCELLED.data, by } });
  const cancelled = { ...event, cause: { ...event.cause, by: causedBy } };
  const document = bookingsProjection.evolve(
    bookingsProjection.evolve(null, booked, ID, String),
    cancelled,
    ID,
    String,
  );
  expect<readonly (string | null | undefined)[]>([document?.cancelledBy, document?.modifiedBy]).toEqual([
    expected,
    null,
  ]);
});
