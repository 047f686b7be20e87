import { expect, test } from 'bun:test';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { subjectOf } from '../../../src/domain/booking/facts.ts';
import { sendBookingMails } from '../../../src/processes/send-booking-mails/process-manager.ts';
import { A_VOUCHER, bookingFacts, commandId, fingerprint } from '../../support/examples.ts';
import { recorder } from '../../support/recorded.ts';

const AT = '2026-11-21T03:00:00.000Z';
const NOW_MS = Date.parse(AT);

const ISSUED: BookingEvent = { type: 'VoucherIssued', data: A_VOUCHER };
const FAILED: BookingEvent = {
  type: 'VoucherMailFailed',
  data: { messageId: 'mail', attempt: 1, reason: 'RCPT TO 450', retryAtMs: NOW_MS, at: AT },
};
const CANCELLED: BookingEvent = {
  type: 'BookingCancelled',
  data: {
    ...subjectOf(bookingFacts()),
    command: commandId('CMD2'),
    fingerprint: fingerprint('FP2'),
    reason: 'user_requested',
    by: 'user',
    refundMinor: 0,
    currency: 'THB',
    dropped: [],
    at: AT,
  },
};
const ERASED: BookingEvent = { type: 'GuestErased', data: { records: [], by: 'operator', at: AT } };

test.each([
  ['its booking was cancelled', CANCELLED],
  ['its guest is to be forgotten', ERASED],
])('a voucher’s mail is no longer pending once %s, attempted before or not', (_, ending) => {
  const recorded = recorder();
  const untried = [ISSUED, ending].map((event) => recorded('booking-bk_1', event));
  const tried = [ISSUED, FAILED, ending].map((event) => recorded('booking-bk_2', event));
  const state = [...untried, ...tried].reduce(
    (before, event) => sendBookingMails.react(before, event),
    sendBookingMails.initial,
  );
  expect(state.mails.size).toBe(0);
});
