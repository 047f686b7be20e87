import { describe, expect, test } from 'bun:test';
import { type Ask, Ledger, type Scan } from './ledger.ts';
import type { Answer, BookingData, VisitData } from './wire.ts';

const wish = {
  activity_id: 'kill-large-1',
  booking_date: '2026-11-21',
  num_adults: 2,
  num_children: 0,
  user_name: 'Guest quetzal-000001',
  user_email: 'quetzal-000001@example.com',
  special_requests: null,
  context_log_id: null,
};
const ASK: Ask = { number: 1, idempotencyKey: 'key-of-1', wish, hold: null };
const { activity_id: id, ...rest } = wish;
const BOOKING: BookingData = {
  ...rest,
  booking_id: 'bk_1',
  status: 'confirmed',
  voucher: { code: 'WM-1' },
  activity: { id },
  pricing: { unit_price: 123.45, total: 246.9 },
  cancellation: null,
  visit: null,
  email_sent: false,
  email_sent_at: null,
};
const SCAN: Scan = { booking: BOOKING, idempotencyKey: 'scan-1', gate: 'gate 1' };

const NONE = { kind: 'none' } as const;
const done = (change: Partial<BookingData> = {}, replayed = false): Answer<BookingData> => ({
  kind: 'done',
  data: { ...BOOKING, ...change },
  replayed,
});
const refused = (code: string) => ({ kind: 'refused', code, error: 'No.' }) as const;
const visit = (bookingId = 'bk_1'): Answer<VisitData> => ({
  kind: 'done',
  data: { booking_id: bookingId, verified_at: '2026-11-21T03:00:00.000Z', user_name: wish.user_name },
  replayed: false,
});

function faultsAfter(ask: Ask, ...answers: readonly Answer<BookingData>[]): readonly string[] {
  const ledger = new Ledger();
  for (const answer of answers) ledger.answered(ask, answer);
  return ledger.faults;
}

describe('answers agree', () => {
  const agreeing: readonly (readonly [what: string, answers: readonly Answer<BookingData>[]])[] = [
    ['when the same booking is told again, visited meanwhile', [done(), done({ status: 'completed' }, true)]],
    ['when the answer to a repetition overtakes the first', [done({}, true), done()]],
    ['when there was no answer, a later time, and no free slots', [NONE, refused('SERVICE_UNAVAILABLE'), done()]],
    ['when there are no free slots, twice', [refused('INVENTORY_EXHAUSTED'), refused('INVENTORY_EXHAUSTED')]],
  ];
  test.each(agreeing)('%s', (_what, answers) => {
    expect(faultsAfter(ASK, ...answers)).toEqual([]);
  });

  test('if a scan without a key got no answer and the next one reports that it counted', () => {
    const ledger = new Ledger();
    const scan = { ...SCAN, idempotencyKey: null };
    ledger.scanned(scan, NONE);
    expect(ledger.statusOf('bk_1')).toBeNull();
    ledger.scanned(scan, refused('VOUCHER_ALREADY_VERIFIED'));
    expect([ledger.faults, ledger.statusOf('bk_1')]).toEqual([[], 'completed']);
  });
});

describe('a fault is', () => {
  const faulty: readonly (readonly [what: string, answers: readonly Answer<BookingData>[], fault: string])[] = [
    ['one key for two bookings', [done(), done({ booking_id: 'bk_2' })], 'was answered bk_1, then bk_2'],
    ['a booking made twice', [done(), done()], 'bk_1 was made twice'],
    ['another voucher the second time', [done(), done({ voucher: { code: 'WM-2' } }, true)], 'bk_1 was {'],
    ['another guest than was asked for', [done({ user_name: 'Guest quetzal-000002' })], 'was answered {'],
    ['no slots for what was confirmed', [done(), refused('INVENTORY_EXHAUSTED')], 'then refused for lack of slots'],
    ['a refusal that nothing calls for', [refused('INTERNAL_ERROR')], 'was answered INTERNAL_ERROR'],
  ];
  test.each(faulty)('%s', (_what, answers, fault) => {
    const [found = '', ...more] = faultsAfter(ASK, ...answers);
    expect(found).toContain(fault);
    expect(more).toEqual([]);
  });

  test.each([
    ['a scan answered for another booking', [visit('bk_2')]],
    ['a visit that counts twice', [visit(), visit()]],
    ['a scan refused that nobody made before', [refused('VOUCHER_ALREADY_VERIFIED')]],
    ['a repeated scan under a key that is not answered as the first', [NONE, refused('VOUCHER_ALREADY_VERIFIED')]],
  ] as const)('%s', (_what, answers) => {
    const ledger = new Ledger();
    for (const answer of answers) ledger.scanned(SCAN, answer);
    expect(ledger.faults).toHaveLength(1);
  });
});

test('a request without an answer is repeated if it has a key, and lost otherwise', () => {
  const ledger = new Ledger();
  const bare = { ...ASK, number: 2, idempotencyKey: null };
  ledger.answered(ASK, NONE);
  ledger.answered(bare, NONE);
  ledger.scanned(SCAN, NONE);
  expect([ledger.unsure, ledger.takeUnsure(), ledger.takeUnsure()]).toEqual([2, ASK, undefined]);
  expect([ledger.takeUnsureScan(), ledger.unsure, [...ledger.lost]]).toEqual([SCAN, 0, [2]]);
});
