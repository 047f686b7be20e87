import { describe, expect, test } from 'bun:test';
import { PROJECTIONS } from '../../../projections/index.ts';
import { bookingOfCode, voucherCode } from '../../../src/domain/booking/voucher-code.ts';
import { CODECS } from '../../../src/domain/codecs.ts';
import {
  allotmentIdOf,
  bookingIdOf,
  liveAllotmentOf,
  modeOf,
  parseBookingId,
  testAllotmentOf,
} from '../../../src/domain/ids.ts';
import { inBothModes, liveCategoryOf } from '../../../src/domain/test-streams.ts';
import { cancelDates } from '../../../src/processes/cancel-dates/process-manager.ts';
import { creditVisits } from '../../../src/processes/credit-visits/process-manager.ts';
import { deliverWebhooks } from '../../../src/processes/deliver-webhooks/process-manager.ts';
import { endOverdueBookings } from '../../../src/processes/end-overdue-bookings/process-manager.ts';
import { reapClaims } from '../../../src/processes/reap-claims/process-manager.ts';
import { recordErasures } from '../../../src/processes/record-erasures/process-manager.ts';
import { scheduleDeliveries } from '../../../src/processes/schedule-deliveries/process-manager.ts';
import { sendBookingMails } from '../../../src/processes/send-booking-mails/process-manager.ts';
import { sendSpendingMails } from '../../../src/processes/send-spending-mails/process-manager.ts';
import { sendSuspensionMails } from '../../../src/processes/send-suspension-mails/process-manager.ts';
import { settleSpending } from '../../../src/processes/settle-spending/process-manager.ts';
import { suspendEndpoints } from '../../../src/processes/suspend-endpoints/process-manager.ts';
import { activityId, date } from '../../support/examples.ts';

const MANAGERS = [
  cancelDates,
  creditVisits,
  deliverWebhooks,
  endOverdueBookings,
  reapClaims,
  recordErasures,
  scheduleDeliveries,
  sendSuspensionMails,
  sendSpendingMails,
  sendBookingMails,
  settleSpending,
  suspendEndpoints,
];
const READERS: readonly { readonly name: string; readonly categories: readonly string[] }[] = [
  ...PROJECTIONS,
  ...MANAGERS,
];
const TEST_CATEGORIES = CODECS.map(({ category }) => category).filter(
  (category) => liveCategoryOf(category) !== category,
);
const PART = 'H76CFAKT2C43VDQM2RYG';
const SECRET = 'HMGYYRT37T55MZXHFAW76JP7QM';

describe('test streams', () => {
  test('are read by what serves both modes, and by nothing that counts live bookings', () => {
    const reads = READERS.map(
      ({ name, categories }) => [name, categories.filter((each) => TEST_CATEGORIES.includes(each))] as const,
    );
    expect(Object.fromEntries(reads.filter(([, categories]) => categories.length > 0))).toEqual({
      bookings: ['bookingtest'],
      devicevisits: ['bookingtest'],
      feed: ['bookingtest'],
      guests: ['bookingtest'],
      holds: ['allotmenttest'],
      retention: ['bookingtest'],
      revocations: ['bookingtest'],
      testinventory: ['allotmenttest'],
      'claim-reaper': ['allotmenttest', 'bookingtest'],
      'booking-deadlines': ['bookingtest'],
      'voucher-mailer': ['bookingtest'],
      'webhook-fan-out': ['bookingtest'],
      [settleSpending.name]: ['bookingtest'],
      'erasure-ledger': ['bookingtest'],
    });
  });

  test('have the category of live ones and a suffix', () => {
    expect([...inBothModes('booking'), ...inBothModes('allotment')].filter((each) => each.endsWith('test'))).toEqual([
      'bookingtest',
      'allotmenttest',
    ]);
  });
});

describe('the mode', () => {
  test('is part of a booking id and of the code of its voucher', () => {
    for (const mode of ['live', 'test'] as const) {
      const id = bookingIdOf(mode, PART);
      expect([modeOf(id), parseBookingId(id)]).toEqual([mode, id]);
      expect(bookingOfCode(voucherCode(id, SECRET))).toBe(id);
    }
    expect(voucherCode(bookingIdOf('test', PART), SECRET)).toBe(`WT-${PART}-${SECRET}`);
  });

  test('is part of an allotment id, also of an activity whose id looks like one', () => {
    for (const name of ['river-walk', 'test-2026-11-21-walk']) {
      const live = allotmentIdOf(activityId(name), date('2026-12-24'));
      const ofTests = testAllotmentOf(live, date('2026-11-21'));
      expect([modeOf(live), modeOf(ofTests), liveAllotmentOf(ofTests)]).toEqual(['live', 'test', live]);
      expect(liveAllotmentOf(live)).toBe(live);
    }
  });
});
