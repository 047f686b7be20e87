import { describe, expect, test } from 'bun:test';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import {
  ALREADY_VERIFIED,
  CONFIRMED,
  cancel,
  cancelled,
  confirmedAfter,
  IN_STATUS,
  PLACED,
  refunded,
  VISIT,
  VISITED,
  VOIDED_AT,
  verify,
  visited,
  voided,
  voidVisit,
} from '../../support/booking-life.ts';
import { A_VOUCHER, bookingFacts, commandId, deviceId } from '../../support/examples.ts';
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

  test('is refused if it is now, although the clock of this node is behind that of the node which cancelled', () => {
    given(bookingDecider, [...CONFIRMED, cancelled(cancellation), refunded(207_000)])
      .when(verify({ verifiedAtMs: cancelledAtMs - 500, reportedAtMs: cancelledAtMs - 500 }))
      .thenRejected({ code: 'VOUCHER_CANCELLED', cancelledAt: cancellation.at });
  });
});

describe('a visit that the operator voids', () => {
  const history = [...CONFIRMED, VISITED, voided()];
  const again = { command: commandId('SCAN2') };
  /** Reported by a device that was offline, after the void. */
  const reported = { ...again, reportedAtMs: Date.parse(VOIDED_AT) + HOUR_MS };
  /** A void on the booked date, so that the voucher is still valid. */
  const soonMs = VISIT.verifiedAtMs + HOUR_MS;
  const voidedSoon = [...CONFIRMED, VISITED, voided(VISIT, new Date(soonMs).toISOString())];
  const repetition = { ...ALREADY_VERIFIED, voidedAt: VOIDED_AT };

  test('is voided once, whatever is asked later', () => {
    given(bookingDecider, [...CONFIRMED, VISITED])
      .when(voidVisit())
      .then([voided()]);
    given(bookingDecider, history).when(voidVisit(VISIT.command, '2026-12-26T03:00:00.000Z')).thenNothing();
    given(bookingDecider, history)
      .when(voidVisit(commandId('SCAN2')))
      .thenNothing();
    for (const status of ['pending', 'confirmed', 'rejected', 'cancelled'] as const)
      given(bookingDecider, IN_STATUS[status]).when(voidVisit()).thenNothing();
    given(bookingDecider, []).when(voidVisit()).thenRejected({ code: 'BOOKING_NOT_FOUND' });
  });

  test('leaves the booking as it was before the report, but for the record of the void', () => {
    const { version: _, ...before } = { version: 0, ...fold(bookingDecider, CONFIRMED) };
    const voidedVisits = [{ visit: VISIT, at: VOIDED_AT }];
    expect<object>(fold(bookingDecider, history)).toStrictEqual({ ...before, version: 3, voidedVisits });
    const ofCancelled = [...CONFIRMED, cancelled(), refunded(207_000)];
    const { version: __, ...gone } = { version: 0, ...fold(bookingDecider, ofCancelled) };
    const state = fold(bookingDecider, [...ofCancelled, visited({}, { disputed: true }), voided()]);
    expect<object>(state).toStrictEqual({ ...gone, version: 4, voidedVisits });
  });

  test('does not come back if the device reports the scan again, also under another command', () => {
    given(bookingDecider, history).when(verify()).thenNothing();
    given(bookingDecider, history).when(verify(reported)).thenRejected(repetition);
    given(bookingDecider, history)
      .when(verify({ ...reported, verifiedAtMs: VISIT.verifiedAtMs - 1 }))
      .thenRejected(repetition);
  });

  test('can be followed by a visit: a later scan, or a scan of another device', () => {
    const later = { ...again, verifiedAtMs: soonMs };
    given(bookingDecider, voidedSoon)
      .when(verify(later))
      .then([visited(later)]);
    const behind = { ...again, verifiedAtMs: soonMs - 500 };
    given(bookingDecider, voidedSoon)
      .when(verify(behind))
      .then([visited(behind)]);
    const ofOther = { ...reported, verifiedAtMs: VISIT.verifiedAtMs, deviceId: deviceId('dev_2') };
    given(bookingDecider, history)
      .when(verify(ofOther))
      .then([visited(ofOther)]);
    given(bookingDecider, [...voidedSoon, visited(later)])
      .when(voidVisit())
      .thenNothing();
  });

  test('can be refunded by the operator after the date, and not by the key', () => {
    const after = { nowMs: A_VOUCHER.validUntilMs, reason: 'system' } as const;
    given(bookingDecider, history)
      .when(cancel({ ...after, by: 'operator' }))
      .then([cancelled({ by: 'operator', reason: 'system' }), refunded(207_000)]);
    const past = { code: 'BOOKING_NOT_CANCELLABLE', why: 'past' } as const;
    given(bookingDecider, history).when(cancel(after)).thenRejected(past);
    given(bookingDecider, CONFIRMED)
      .when(cancel({ ...after, by: 'operator' }))
      .thenRejected(past);
  });
});
