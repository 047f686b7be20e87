import { describe, expect, test } from 'bun:test';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import type { BookingEvent, EventData } from '../../../src/domain/booking/events.ts';
import { CODECS } from '../../../src/domain/codecs.ts';
import type { GuestEvent } from '../../../src/domain/guest/guest.ts';
import { categoryOf, type StoredEvent } from '../../../src/ports/event-store.ts';
import {
  A_VOUCHER,
  allotment,
  aSchedule,
  bookingFacts,
  bookingId,
  claimId,
  commandId,
  confirmation,
  fingerprint,
  holdId,
} from '../../support/examples.ts';
import { recorder } from '../../support/recorded.ts';
import { auditLeaks, auditLog, longestLeftAlone } from './audit.ts';
import { readHistory } from './history.ts';

const BOOKING = bookingId('bk_7gk2m0q9xw4t1zc8rb5n');
const PLACE = allotment('bkk-ocean-world-2026-12-24');
const [FIRST, MORE] = [claimId('claim_1'), claimId('claim_2')];
const [USED, LEFT] = [holdId('hd_1'), holdId('hd_2')];
const EXPIRES_MS = Date.parse('2026-11-21T03:10:00Z');
const AT = '2026-11-21T03:00:00.000Z';

type Entry = readonly [stream: string, event: AllotmentEvent | BookingEvent | GuestEvent, at?: string | undefined];
type Log = Readonly<Record<string, Entry>>;

const facts = bookingFacts();
const { keyId, pricing, hours, cancellation } = facts;
const here = (event: AllotmentEvent, at: string = AT): Entry => [`allotment-${PLACE}`, event, at];
const booking = (event: BookingEvent, at: string = AT): Entry => [`booking-${BOOKING}`, event, at];
const ref = (id: typeof FIRST, size: number) => ({ allotment: PLACE, id, size });
const money = (type: 'ChargeRecorded' | 'RefundRecorded', amountMinor: number): Entry =>
  booking({ type, data: { keyId, amountMinor, currency: 'THB' } });
const held = (hold: typeof USED, size: number): Entry =>
  here({ type: 'SlotsHeld', data: { holder: null, hold, size, expiresAtMs: EXPIRES_MS, pricing } });
const subject = {
  keyId,
  activityId: facts.activityId,
  venueId: facts.venueId,
  city: facts.city,
  category: facts.category,
  date: facts.date,
  attribution: null,
  by: 'user' as const,
};
const modification = (data: Partial<EventData<'BookingModified'>>): Entry =>
  booking({
    type: 'BookingModified',
    data: {
      ...subject,
      command: commandId('M1'),
      fingerprint: fingerprint('M1'),
      changes: {},
      numAdults: 4,
      numChildren: 1,
      numGuests: 5,
      hours,
      pricing,
      cancellation,
      claims: [ref(FIRST, 3), ref(MORE, 2)],
      dropped: [],
      shrunk: [],
      guest: null,
      version: 2,
      answerByMs: null,
      at: AT,
      ...data,
    },
  });

/** A hold becomes a booking of three, which grows to five, shrinks to two and is cancelled; another hold expires. */
const LOG: Log = {
  opened: here({ type: 'AllotmentOpened', data: aSchedule({ capacity: 7 }) }),
  held: held(USED, 3),
  other: held(LEFT, 2),
  taken: here({
    type: 'HoldTaken',
    data: { unpaidBy: null, hold: USED, claim: FIRST, booking: BOOKING, size: 3, deadlineMs: EXPIRES_MS },
  }),
  guest: [
    `guest-${FIRST}`,
    {
      type: 'GuestRecorded',
      data: { booking: BOOKING, fingerprint: facts.guest, name: 'A', email: 'a@example.com', specialRequests: null },
    },
  ],
  confirmed: booking(confirmation()),
  charged: money('ChargeRecorded', 207_000),
  voucher: booking({ type: 'VoucherIssued', data: A_VOUCHER }),
  more: here({
    type: 'SlotsClaimed',
    data: { unpaidBy: null, claim: MORE, booking: BOOKING, size: 2, deadlineMs: EXPIRES_MS, pricing: null },
  }),
  grown: modification({}),
  chargedMore: money('ChargeRecorded', 138_000),
  second: booking({ type: 'VoucherIssued', data: A_VOUCHER }),
  fewer: modification({
    command: commandId('M2'),
    numAdults: 2,
    numChildren: 0,
    numGuests: 2,
    claims: [ref(FIRST, 2)],
    dropped: [ref(MORE, 2)],
    shrunk: [ref(FIRST, 2)],
    version: 3,
  }),
  refunded: money('RefundRecorded', 207_000),
  third: booking({ type: 'VoucherIssued', data: A_VOUCHER }),
  shrunk: here({ type: 'ClaimShrunk', data: { claim: FIRST, left: 2, size: 1, version: 3 } }),
  dropped: here({ type: 'SlotsReleased', data: { claim: MORE, size: 2 } }),
  cancelled: booking({
    type: 'BookingCancelled',
    data: {
      ...subject,
      numGuests: 2,
      command: commandId('C1'),
      fingerprint: fingerprint('C1'),
      reason: 'user_requested',
      refundMinor: 138_000,
      currency: 'THB',
      dropped: [ref(FIRST, 2)],
      at: AT,
    },
  }),
  refundedAll: money('RefundRecorded', 138_000),
  released: here({ type: 'SlotsReleased', data: { claim: FIRST, size: 2 } }, '2026-11-21T03:00:02Z'),
  lapsed: here({ type: 'SlotsReleased', data: { claim: LEFT, size: 2 } }, '2026-11-21T03:10:01Z'),
};

function historyOf(log: Log) {
  const record = recorder();
  const stored = Object.values(log).map(([stream, event, at]): StoredEvent => {
    const codec = CODECS.find(({ category }) => category === categoryOf(stream));
    if (codec === undefined) throw new Error(`no codec for ${stream}`);
    return { ...record(stream, event, at === undefined ? {} : { at }), ...codec.encode(event) };
  });
  return readHistory(stored);
}

function without(...names: readonly string[]): Log {
  return Object.fromEntries(Object.entries(LOG).filter(([name]) => !names.includes(name)));
}

function changed(name: string, data: object, at?: string): Log {
  const [stream, event, before] = LOG[name] ?? held(USED, 3);
  return { ...LOG, [name]: [stream, Object.assign({ ...event }, { data: { ...event.data, ...data } }), at ?? before] };
}

test('the audit finds no fault in a correct log', () => {
  const history = historyOf(LOG);
  expect([auditLog(history), auditLeaks(history, new Set())]).toEqual([[], []]);
});

describe('the audit of a booking’s life finds', () => {
  const faulty: readonly (readonly [fault: string, log: Log])[] = [
    ['has 8 slots claimed, and a capacity of 7', { ...LOG, held: held(USED, 6) }],
    ['hd_1 was held twice', { ...LOG, again: held(USED, 1) }],
    ['hd_1 was taken for', changed('taken', { size: 2 })],
    ['hd_1 was taken for', changed('taken', {}, '2026-11-21T03:10:00Z')],
    ['hd_2 was released twice', { ...LOG, again: LOG['lapsed'] ?? held(LEFT, 2) }],
    ["hd_1 was released, and is bk_7gk2m0q9xw4t1zc8rb5n's", changed('lapsed', { claim: USED, size: 3 })],
    ['claim_1 of 3 was shrunk by 2 to 2', changed('shrunk', { size: 2 })],
    ['claim_1 of 3 was shrunk by 2 to 1, 2 are needed', changed('shrunk', { left: 1, size: 2 })],
    ['claim_2 was released before it was abandoned', without('grown', 'chargedMore', 'second', 'fewer')],
    ['holds claim_1, which was released', without('cancelled')],
    ['was modified twice by M1', changed('fewer', { command: commandId('M1') })],
    ['has version 4, and is at 3', changed('fewer', { version: 4 })],
    ['has another price on the same date', changed('grown', { pricing: { ...pricing, discountMinor: 0 } })],
    ['dropped claim_2 (2), and says nothing', changed('fewer', { dropped: [] })],
    ['relies less on claim_1 (2), and says nothing', changed('fewer', { shrunk: [] })],
    ['is charged', without('chargedMore')],
    ['is charged', { ...LOG, again: money('RefundRecorded', 207_000) }],
    ['is charged', changed('refunded', { amountMinor: 103_500 })],
    ['gives back 1, and owes 138000', changed('cancelled', { refundMinor: 1 })],
    ['has the vouchers', without('third')],
    ['is for 5 guests and claims 3 slots', changed('grown', { claims: [ref(FIRST, 3)] })],
    ['ended while cancelled', { ...LOG, again: LOG['cancelled'] ?? held(USED, 3) }],
    ['was modified while cancelled', { ...LOG, again: LOG['fewer'] ?? held(USED, 3) }],
  ];
  test.each(faulty)('%s', (fault, log) => {
    expect(auditLog(historyOf(log)).filter((found) => found.includes(fault))).not.toEqual([]);
  });

  test.each([
    ['released', 'claim_1 is nobody'],
    ['dropped', 'claim_2 is nobody'],
    ['lapsed', 'hd_2 is nobody'],
  ])('what was never given back: %s', (name, fault) => {
    expect(auditLeaks(historyOf(without(name)), new Set()).join()).toStartWith(fault);
  });

  test('a claim that was never shrunk', () => {
    const log = without('shrunk', 'cancelled', 'refundedAll', 'released');
    expect(auditLeaks(historyOf(log), new Set())).toEqual(['claim_1 was never shrunk to what is needed']);
  });

  test('the partial refund after the free period', () => {
    const late = '2026-12-23T02:00:00.000Z';
    const log = changed('cancelled', { at: late }, late);
    expect(auditLog(historyOf(log))).toContain(`${BOOKING} gives back 138000, and owes 69000`);
  });

  test('how long slots stayed unreleased: two seconds after a cancellation, one after the end of a hold', () => {
    const life = [{ fromMs: Date.parse(AT), toMs: EXPIRES_MS + 60_000 }];
    expect(longestLeftAlone(historyOf(LOG), life)).toBe(2_000);
    expect(longestLeftAlone(historyOf(changed('lapsed', {}, '2026-11-21T03:10:09Z')), life)).toBe(9_000);
  });
});
