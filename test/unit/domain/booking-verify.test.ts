import { describe, test } from 'bun:test';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { CONFIRMED, cancelled, confirmedAfter, PLACED, refunded, verify, visited } from '../../support/booking-life.ts';
import { A_VOUCHER, bookingFacts } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const SCANNED_MS = A_VOUCHER.validFromMs;
const REQUESTED_MS = Date.parse(bookingFacts().at);

/** What a scan answers that is reported now. */
const outOfRange = (fromMs: number, toMs: number) => ({ code: 'SCAN_TIME_OUT_OF_RANGE', fromMs, toMs }) as const;

describe('the time of a scan', () => {
  test('lies at most 48 hours before its report, to the millisecond', () => {
    const scan = { verifiedAtMs: SCANNED_MS, reportedAtMs: SCANNED_MS + 48 * HOUR_MS };
    given(bookingDecider, CONFIRMED)
      .when(verify(scan))
      .then([visited(scan)]);
    const late = { ...scan, reportedAtMs: scan.reportedAtMs + 1 };
    given(bookingDecider, CONFIRMED)
      .when(verify(late))
      .thenRejected(outOfRange(SCANNED_MS + 1, late.reportedAtMs));
  });

  test('is not in the future', () => {
    given(bookingDecider, CONFIRMED)
      .when(verify({ verifiedAtMs: SCANNED_MS + 1, reportedAtMs: SCANNED_MS }))
      .thenRejected(outOfRange(SCANNED_MS - 48 * HOUR_MS, SCANNED_MS));
  });

  test('is not before the request that confirmed the booking at once', () => {
    const reportedAtMs = REQUESTED_MS + HOUR_MS;
    given(bookingDecider, CONFIRMED)
      .when(verify({ verifiedAtMs: REQUESTED_MS - 1, reportedAtMs }))
      .thenRejected(outOfRange(REQUESTED_MS, reportedAtMs));
  });

  test('is not before the venue’s confirmation', () => {
    const confirmedAtMs = SCANNED_MS + HOUR_MS;
    const reportedAtMs = confirmedAtMs + HOUR_MS;
    const booking = [PLACED, ...confirmedAfter('BookingPlacedOnRequest', {}, confirmedAtMs)];
    given(bookingDecider, booking)
      .when(verify({ verifiedAtMs: confirmedAtMs - 1, reportedAtMs }))
      .thenRejected(outOfRange(confirmedAtMs, reportedAtMs));
    const scan = { verifiedAtMs: confirmedAtMs, reportedAtMs };
    given(bookingDecider, booking)
      .when(verify(scan))
      .then([visited(scan)]);
  });

  test('now is accepted by a node whose clock is behind the one that confirmed', () => {
    const booking = [PLACED, ...confirmedAfter('BookingPlacedOnRequest', {}, SCANNED_MS + 500)];
    const scan = { verifiedAtMs: SCANNED_MS, reportedAtMs: SCANNED_MS };
    given(bookingDecider, booking)
      .when(verify(scan))
      .then([visited(scan)]);
  });

  test('is judged before the status, and a repetition is answered however late it comes', () => {
    const late = { reportedAtMs: SCANNED_MS + 72 * HOUR_MS, verifiedAtMs: SCANNED_MS };
    given(bookingDecider, [...CONFIRMED, visited()])
      .when(verify(late))
      .thenNothing();
    given(bookingDecider, [...CONFIRMED, cancelled(), refunded(207_000)])
      .when(verify(late))
      .thenRejected(outOfRange(SCANNED_MS + 24 * HOUR_MS, late.reportedAtMs));
  });
});

describe('a scan reported after the cancellation', () => {
  const cancelledAtMs = SCANNED_MS + HOUR_MS;
  const cancellation = { at: new Date(cancelledAtMs).toISOString() };
  const before = { verifiedAtMs: cancelledAtMs - 1, reportedAtMs: cancelledAtMs + HOUR_MS };

  test('is a disputed visit if the whole charge was refunded', () => {
    given(bookingDecider, [...CONFIRMED, cancelled(cancellation), refunded(207_000)])
      .when(verify(before))
      .then([visited(before, { disputed: true })]);
  });

  test.each([
    ['a part', 103_500],
    ['all but the smallest unit', 206_999],
  ])('is a visit if %s was refunded', (_, refundMinor) => {
    given(bookingDecider, [...CONFIRMED, cancelled({ ...cancellation, refundMinor }), refunded(refundMinor)])
      .when(verify(before))
      .then([visited(before)]);
  });

  test('is a visit if nothing was refunded', () => {
    given(bookingDecider, [...CONFIRMED, cancelled({ ...cancellation, refundMinor: 0 })])
      .when(verify(before))
      .then([visited(before)]);
  });

  test('is refused if it was at the cancellation or later', () => {
    given(bookingDecider, [...CONFIRMED, cancelled(cancellation), refunded(207_000)])
      .when(verify({ ...before, verifiedAtMs: cancelledAtMs }))
      .thenRejected({ code: 'VOUCHER_CANCELLED', cancelledAt: cancellation.at });
  });
});
