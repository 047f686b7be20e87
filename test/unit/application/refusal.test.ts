import { describe, expect, test } from 'bun:test';
import { explainBooking } from '../../../src/application/booking/explain-booking.ts';
import { ERROR_CODES, type ErrorCode, type Resolution, refusal } from '../../../src/application/refusal.ts';
import { STATUS } from '../../../src/http/status.ts';

const codesOf = (resolution: Resolution): readonly ErrorCode[] =>
  ERROR_CODES.filter((code) => refusal(code, 'A sentence.').resolution === resolution);

describe('the resolution of a refusal', () => {
  test('is retry_later only if the same request can succeed later', () => {
    expect(codesOf('retry_later')).toEqual([
      'VOUCHER_NOT_VALID_TODAY',
      'IDEMPOTENCY_IN_PROGRESS',
      'RATE_LIMITED',
      'QUOTA_EXCEEDED',
      'INTERNAL_ERROR',
      'SERVICE_UNAVAILABLE',
    ]);
    for (const code of ERROR_CODES) {
      const { retryable, resolution } = refusal(code, 'A sentence.');
      expect([code, retryable]).toEqual([code, resolution === 'retry_later']);
    }
  });

  test('is choose_other if another date, activity or place can help', () => {
    expect(codesOf('choose_other')).toEqual([
      'WRONG_VENUE',
      'SPENDING_LIMIT',
      'NO_INVENTORY',
      'NO_ACTIVITIES',
      'ACTIVITY_NOT_FOUND',
      'ACTIVITY_UNAVAILABLE',
      'INVENTORY_EXHAUSTED',
      'BOOKING_NOT_MODIFIABLE',
      'EXPOSURE_LIMIT',
      'EXPERIMENT_RUNNING',
    ]);
  });

  test('is contact_operator if no request can help', () => {
    expect(codesOf('contact_operator')).toEqual([
      'VOUCHER_TOKEN_INVALID',
      'INVALID_DEVICE_KEY',
      'KEY_INACTIVE',
      'IP_NOT_ALLOWED',
      'ENDPOINT_NOT_ALLOWED',
      'BOOKING_NOT_CANCELLABLE',
      'VOUCHER_ALREADY_VERIFIED',
      'VOUCHER_CANCELLED',
      'VOUCHER_EXPIRED',
    ]);
  });

  test('is never retry_later if the request itself is wrong', () => {
    const faulty = ERROR_CODES.filter((code) => STATUS[code] < 409 || STATUS[code] === 413 || STATUS[code] === 422);
    expect(faulty.filter((code) => refusal(code, 'A sentence.').retryable)).toEqual([]);
  });

  test('of a revision conflict says to read the booking again', () => {
    const { refusal: answer } = explainBooking('bk_1', { code: 'REVISION_CONFLICT', version: 3 });
    expect([answer.resolution, answer.retryable, answer.details]).toEqual(['fix_request', false, 'ETag: "3"']);
  });

  test('of a booking in progress is retry_later', () => {
    for (const code of ['BOOKING_NOT_MODIFIABLE', 'BOOKING_NOT_CANCELLABLE'] as const) {
      const { refusal: answer } = explainBooking('bk_1', { code, why: 'processing' });
      expect([answer.resolution, answer.retryable]).toEqual(['retry_later', true]);
    }
  });
});
