import type { SpendingEvent } from '../../../src/domain/spending/spending.ts';
import { allotment, bookingId, claimId, date } from '../../support/examples.ts';

/** What the golden files of spending mean today. */
export const STORED_SPENDING_EVENTS = {
  'SpendingReserved.v1': {
    type: 'SpendingReserved',
    data: {
      booking: bookingId('bk_01ktab7yjd0zzzzzzzzz'),
      claim: claimId('bk_01ktab7yjd0zzzzzzzzz.m1'),
      allotment: allotment('bkk-ocean-world-2026-12-24'),
      amountMinor: 180000,
      currency: 'THB',
      deadlineMs: 1795230030000,
      at: '2026-11-21T03:00:00.000Z',
    },
  },
  'SpendingReleased.v1': {
    type: 'SpendingReleased',
    data: { claim: claimId('bk_01ktab7yjd0zzzzzzzzz.m1'), at: '2026-11-21T03:00:30.000Z' },
  },
  'SpendingEased.v1': {
    type: 'SpendingEased',
    data: {
      booking: bookingId('bk_01ktab7yjd0zzzzzzzzz'),
      revision: 3,
      amountMinor: 90000,
      currency: 'THB',
      at: '2026-11-21T05:00:00.000Z',
    },
  },
  'SpendingWarned.v1': {
    type: 'SpendingWarned',
    data: {
      useMinor: 420000,
      boundMinor: 500000,
      currency: 'THB',
      rates: {
        asOf: date('2026-11-16'),
        microUnitsPerUsd: {
          THB: 32400000,
          VND: 26315000000,
          IDR: 16650000000,
          MYR: 4135000,
          SGD: 1302000,
          USD: 1000000,
        },
      },
      mailAtMs: 1795230030000,
      at: '2026-11-21T03:00:00.000Z',
    },
  },
  'SpendingWarningWithdrawn.v1': { type: 'SpendingWarningWithdrawn', data: { at: '2026-11-21T03:00:30.000Z' } },
  'SpendingWarningMailed.v1': {
    type: 'SpendingWarningMailed',
    data: {
      messageId: '<key_4c9a1f70b2de-2026-11-21.1@waymark.example>',
      providerId: '250 2.0.0 Ok: queued as 4D3F21',
      at: '2026-11-21T03:00:31.000Z',
    },
  },
  'SpendingWarningMailFailed.v1': {
    type: 'SpendingWarningMailFailed',
    data: {
      messageId: '<key_4c9a1f70b2de-2026-11-21.1@waymark.example>',
      attempt: 1,
      reason: 'RCPT TO 450',
      retryAtMs: 1795230041000,
      at: '2026-11-21T03:00:31.000Z',
    },
  },
} satisfies Record<string, SpendingEvent>;
