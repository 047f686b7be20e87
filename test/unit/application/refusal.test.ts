import { describe, expect, test } from 'bun:test';
import { explainBooking } from '../../../src/application/explain-booking.ts';
import { ERROR_CODES, type ErrorCode, type Resolution, refusal } from '../../../src/application/refusal.ts';
import { STATUS } from '../../../src/http/status.ts';

const codesOf = (resolution: Resolution): readonly ErrorCode[] =>
  ERROR_CODES.filter((code) => refusal(code, 'A sentence.').resolution === resolution);

describe('what a refusal says to do next', () => {
  test('is to come again with the same request where time alone can help, and nowhere else', () => {
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

  test('is to choose another date, activity or place where this one cannot be had', () => {
    expect(codesOf('choose_other')).toEqual([
      'WRONG_VENUE',
      'NO_INVENTORY',
      'NO_ACTIVITIES',
      'ACTIVITY_NOT_FOUND',
      'ACTIVITY_UNAVAILABLE',
      'INVENTORY_EXHAUSTED',
      'BOOKING_NOT_MODIFIABLE',
    ]);
  });

  test('is to ask the operator where no request can help', () => {
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

  test('never is to send the same again where the request itself is at fault', () => {
    const faulty = ERROR_CODES.filter((code) => STATUS[code] < 409 || STATUS[code] === 413 || STATUS[code] === 422);
    expect(faulty.filter((code) => refusal(code, 'A sentence.').retryable)).toEqual([]);
  });

  test('of a change that came too late is to read the booking again', () => {
    const { refusal: told } = explainBooking('bk_1', { code: 'REVISION_CONFLICT', version: 3 });
    expect([told.resolution, told.retryable, told.details]).toEqual(['fix_request', false, 'ETag: "3"']);
  });

  test('of a booking that is still worked on is to come again', () => {
    for (const code of ['BOOKING_NOT_MODIFIABLE', 'BOOKING_NOT_CANCELLABLE'] as const) {
      const { refusal: told } = explainBooking('bk_1', { code, why: 'processing' });
      expect([told.resolution, told.retryable]).toEqual(['retry_later', true]);
    }
  });
});
