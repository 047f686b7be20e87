import { expect, test } from 'bun:test';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { sendBookingMails } from '../../../src/processes/send-booking-mails/process-manager.ts';
import { A_VOUCHER, bookingFacts, bookingId, confirmation, fingerprint } from '../../support/examples.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';

const NOW_MS = Date.parse('2026-11-21T03:00:00Z');
const AT = '2026-11-21T03:00:00.000Z';
const PLACED: BookingEvent = {
  type: 'BookingPlacedOnRequest',
  data: { ...bookingFacts(), answerByMs: NOW_MS, follows: null },
};
const ISSUED: BookingEvent = { type: 'VoucherIssued', data: A_VOUCHER };

function mailed(kind: 'pending' | 'venue_request', replaced = false): BookingEvent {
  const recipient = fingerprint('ADA');
  const data = { kind, version: 1, replaced, messageId: 'mail', providerId: null, recipient, at: AT };
  return { type: 'NoticeMailed', data };
}

function failed(kind: 'pending' | 'venue_request', retryAtMs: number | null): BookingEvent {
  const data = { kind, version: 1, messageId: 'mail', attempt: 1, reason: 'DATA 451', retryAtMs, at: AT };
  return { type: 'NoticeMailFailed', data };
}

function after(...events: readonly (readonly [booking: number, event: BookingEvent])[]) {
  const recorded = recorder();
  return events.reduce(
    (state, [booking, event]) => sendBookingMails.react(state, recorded(`booking-bk_${booking}`, event)),
    sendBookingMails.initial,
  );
}

/** The due mails at a time, in order. */
function dueIn(state: ReturnType<typeof after>, nowMs = NOW_MS, limit = 10): readonly string[] {
  return sendBookingMails
    .due(state, nowMs, roomFor(limit))
    .map((command) => `${command.booking} ${command.type === 'MailNotice' ? command.to : 'voucher'}`);
}

test('a request for the venue calls for a notice to the guest and one to the venue', () => {
  const state = after([1, PLACED]);
  expect(dueIn(state)).toEqual(['bk_1 guest', 'bk_1 venue']);
  expect(sendBookingMails.oldestOpen(state)).toBe(positionAt(1));
});

test('an accepted notice is not due any more, one that was replaced stays', () => {
  expect(dueIn(after([1, PLACED], [1, mailed('pending')]))).toEqual(['bk_1 venue']);
  expect(dueIn(after([1, PLACED], [1, mailed('pending', true)]))).toEqual(['bk_1 venue', 'bk_1 guest'].toSorted());
  const done = after([1, PLACED], [1, mailed('pending')], [1, mailed('venue_request')]);
  expect(sendBookingMails.oldestOpen(done)).toBeNull();
});

test('a failed notice is due at its retry, and not after the last attempt', () => {
  const state = after([1, PLACED], [1, failed('pending', NOW_MS + 1)], [1, failed('venue_request', null)]);
  expect(dueIn(state)).toEqual([]);
  expect(dueIn(state, NOW_MS + 1)).toEqual(['bk_1 guest']);
});

test('a confirmation replaces the notices by the voucher', () => {
  expect(dueIn(after([1, PLACED], [1, confirmation()], [1, ISSUED]))).toEqual(['bk_1 voucher']);
});

test('vouchers come before notices, also in too little room', () => {
  const state = after([1, PLACED], [2, confirmation()], [2, ISSUED]);
  expect(dueIn(state)).toEqual(['bk_2 voucher', 'bk_1 guest', 'bk_1 venue']);
  expect(dueIn(state, NOW_MS, 1)).toEqual(['bk_2 voucher']);
});

test('a notice that is left out goes, but not the newer one in its place', () => {
  const command = (position: number) => {
    const booking = bookingId('bk_1');
    return { type: 'MailNotice', booking, to: 'guest', causedMs: NOW_MS, position: positionAt(position) } as const;
  };
  const state = after([1, PLACED]);
  expect(dueIn(sendBookingMails.done(state, command(1)))).toEqual(['bk_1 venue']);
  expect(dueIn(sendBookingMails.done(state, command(0)))).toEqual(['bk_1 guest', 'bk_1 venue']);
});
