import { describe, expect, test } from 'bun:test';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { CODECS } from '../../../src/domain/codecs.ts';
import type { GuestEvent } from '../../../src/domain/guest/guest.ts';
import type { EvidenceEvent } from '../../../src/domain/learning/evidence.ts';
import { categoryOf, type StoredEvent } from '../../../src/ports/event-store.ts';
import {
  A_VOUCHER,
  allotment,
  aSchedule,
  aVisit,
  bookingFacts,
  bookingId,
  claimId,
  confirmation,
  fingerprint,
} from '../../support/examples.ts';
import { recorder } from '../../support/recorded.ts';
import { someEvidence } from '../../support/visits.ts';
import { auditLog, auditSettled, auditTold, longestLeftAlone } from './audit.ts';
import { readHistory } from './history.ts';
import { Ledger } from './ledger.ts';
import type { Answer, BookingData } from './wire.ts';

const BOOKING = bookingId('bk_7gk2m0q9xw4t1zc8rb5n');
const OTHER = bookingId('bk_00000000000000000000');
const ALLOTMENT = allotment('bkk-ocean-world-2026-12-24');
const HELD = claimId('claim_1');
const LOOSE = claimId('claim_2');
const DEADLINE_MS = Date.parse('2026-11-21T03:00:00Z');

type AuditedEvent = AllotmentEvent | BookingEvent | EvidenceEvent | GuestEvent;
type Entry = readonly [stream: string, event: AuditedEvent, at?: string | undefined];
type Log = Readonly<Record<string, Entry>>;

const guest = (name: string) => ({ name, email: 'a@example.com', specialRequests: null });
const claimed = (claim: typeof HELD, booking: typeof BOOKING, size: number): Entry => [
  `allotment-${ALLOTMENT}`,
  { type: 'SlotsClaimed', data: { unpaidBy: null, claim, booking, size, deadlineMs: DEADLINE_MS, pricing: null } },
];
const facts = bookingFacts();
const { keyId, activityId, venueId, city, category } = facts;

/** Three guests booked, charged and checked in; and an abandoned claim of two. Capacity five. */
const LOG: Log = {
  opened: [`allotment-${ALLOTMENT}`, { type: 'AllotmentOpened', data: aSchedule({ capacity: 5 }) }],
  claimed: claimed(HELD, BOOKING, 3),
  guest: [
    `guest-${HELD}`,
    { type: 'GuestRecorded', data: { booking: BOOKING, fingerprint: facts.guest, ...guest('Guest quetzal-000001') } },
  ],
  confirmed: [`booking-${BOOKING}`, confirmation()],
  charged: [`booking-${BOOKING}`, { type: 'ChargeRecorded', data: { keyId, amountMinor: 207_000, currency: 'THB' } }],
  voucher: [`booking-${BOOKING}`, { type: 'VoucherIssued', data: A_VOUCHER }],
  visit: [
    `booking-${BOOKING}`,
    {
      type: 'VisitVerified',
      data: {
        ...aVisit(),
        keyId,
        activityId,
        venueId,
        city,
        category,
        numGuests: 3,
        attribution: null,
        disputed: false,
        opensAtMs: null,
      },
    },
  ],
  credited: [
    `evidence-${BOOKING}`,
    { type: 'VisitCredited', data: { evidence: walkIn(), at: '2026-12-24T03:00:01.000Z' } },
  ],
  loose: claimed(LOOSE, OTHER, 2),
  abandoned: [
    `booking-${OTHER}`,
    { type: 'ClaimAbandoned', data: { claim: LOOSE, allotment: ALLOTMENT } },
    '2026-11-21T03:00:01Z',
  ],
  released: [
    `allotment-${ALLOTMENT}`,
    { type: 'SlotsReleased', data: { claim: LOOSE, size: 2 } },
    '2026-11-21T03:00:03Z',
  ],
};

describe('the audit of a log finds no fault', () => {
  test('in a correct log', () => {
    expect(auditLog(historyOf(LOG))).toEqual([]);
    expect(auditTold(historyOf(LOG), ledgerOfAnswers())).toEqual([]);
    expect(auditSettled(historyOf(LOG), ledgerOfAnswers(), new Set([LOOSE]))).toEqual([]);
  });
});

describe('the audit of a log finds', () => {
  const second = (name: string, entry: Entry = LOG[name] ?? claimed(HELD, BOOKING, 3)): Log => ({
    ...LOG,
    again: entry,
  });
  const changed = (name: string, data: object): Log => {
    const [stream, event, at] = LOG[name] ?? claimed(HELD, BOOKING, 3);
    const entry: Entry = [stream, Object.assign({ ...event }, { data: { ...event.data, ...data } }), at];
    return { ...LOG, [name]: entry };
  };
  const { abandoned: _abandoned, ...unfenced } = LOG;
  const { guest: _guest, ...guestless } = LOG;
  const { claimed: _claimed, ...unclaimed } = LOG;
  const { confirmed: _confirmed, ...unconfirmed } = LOG;

  const faulty: readonly (readonly [fault: string, log: Log])[] = [
    ['has 6 slots claimed, and a capacity of 5', second('', claimed(claimId('claim_3'), OTHER, 3))],
    ['has 6 guests booked, and a capacity of 5', twiceBooked()],
    ['was opened twice', second('opened')],
    ['claim_1 was claimed twice', second('claimed')],
    ['claim_2 was released twice', second('released')],
    ['claim_2 was abandoned twice', second('abandoned')],
    ['claim_2 was released before it was abandoned', unfenced],
    ['claim_2 of 2 was released as 1', changed('released', { size: 1 })],
    ['was confirmed twice', second('confirmed')],
    ['stands before its confirmation', unconfirmed],
    ['the booking names claim_1, which was never claimed', unclaimed],
    ['names claim_1 otherwise than it was claimed', changed('claimed', { size: 2 })],
    [
      'holds claim_1, which was given up',
      second('', [`booking-${BOOKING}`, { type: 'ClaimAbandoned', data: { claim: HELD, allotment: ALLOTMENT } }]),
    ],
    ['is for 4 guests and claims 3 slots', changed('confirmed', { numChildren: 2 })],
    ['is charged', second('charged')],
    ['is charged', changed('charged', { amountMinor: 1 })],
    ['has the vouchers', second('voucher')],
    ['has 2 visits', second('visit')],
    ['the evidence of bk_7gk2m0q9xw4t1zc8rb5n was decided twice', second('credited')],
    ['is the second one of bk_7gk2m0q9xw4t1zc8rb5n', second('credited')],
    ['is of no visit in the log', changed('credited', { evidence: { ...walkIn(), verifiedAtMs: 1 } })],
    ['is of a disputed visit', changed('visit', { disputed: true })],
    ['has the answer', changed('credited', { evidence: { ...walkIn(), travelType: 'couple' } })],
    [
      'is in the stream of bk_1',
      { ...LOG, credited: ['evidence-bk_1', (LOG['credited'] ?? claimed(HELD, BOOKING, 3))[1]] },
    ],
    ['has lost its guest', guestless],
    ['holds personal data', changed('confirmed', { webhookUrl: 'https://example.com/Quetzal-000001' })],
    ['asked once, and has bk_7gk2m0q9xw4t1zc8rb5n and bk_00000000000000000000', twiceBooked()],
    [
      'is attributed to {"logId":"rec_1"',
      changed('confirmed', { attribution: { logId: 'rec_1', rank: 1, segment: null } }),
    ],
  ];
  test.each(faulty)('%s', (fault, log) => {
    expect(auditLog(historyOf(log)).filter((found) => found.includes(fault))).not.toEqual([]);
  });

  test('an answer that the log does not confirm', () => {
    expect(auditTold(historyOf({}), ledgerOfAnswers())).toEqual([
      `${BOOKING} was answered as confirmed, and is not in the log`,
      `${BOOKING} was told to be visited at 2026-12-24T03:00:00.000Z, and the log has []`,
    ]);
    const [fault, ...more] = auditTold(historyOf(changed('voucher', { code: 'WM-7' })), ledgerOfAnswers());
    expect(fault).toStartWith(`${BOOKING} was answered {`);
    expect(more).toEqual([]);
  });

  test('a recommendation or mail that was reported and is not in the log', () => {
    const ledger = ledgerOfAnswers();
    const [known] = ledger.bookings.values();
    if (known === undefined) throw new Error('nobody was told of a booking');
    const data = { ...known.data, email_sent: true, email_sent_at: '2026-11-21T03:00:01.000Z' };
    ledger.bookings.set(BOOKING, { ask: known.ask, data });
    const recommendations = [{ id: 'bkk-ocean-world', available_date: '2026-12-24' }];
    const answer = { recommendations, context: { log_id: 'rec_1' } };
    ledger.recommended({ kind: 'done', data: answer, replayed: false });
    const [mail = '', recommendation, ...more] = auditTold(historyOf(LOG), ledger);
    expect(mail).toContain('"mailedAt":["2026-11-21T03:00:01.000Z"]}, and the log has {');
    expect(recommendation).toBe('rec_1 was answered bkk-ocean-world, and the log has undefined');
    expect(more).toEqual([]);
  });

  test('slots that the reaper did not release', () => {
    const { released: _released, ...unreleased } = LOG;
    const open = { ...unreleased, open: claimed(claimId('claim_3'), OTHER, 0) };
    expect(auditSettled(historyOf(open), ledgerOfAnswers(), new Set())).toEqual([
      "claim_2 is nobody's, and was never released",
      "claim_2 is nobody's, and its guest was not erased",
      "claim_3 is nobody's, and was never abandoned",
      "claim_3 is nobody's, and was never released",
      "claim_3 is nobody's, and its guest was not erased",
    ]);
  });

  test('a booking without an answer, and a guest without a booking', () => {
    const left: Entry = [
      `guest-${LOOSE}`,
      { type: 'GuestRecorded', data: { booking: OTHER, fingerprint: fingerprint('F'), ...guest('B') } },
    ];
    expect(auditSettled(historyOf({ ...LOG, left }), new Ledger(), new Set([LOOSE]))).toEqual([
      'the guest of claim_2 is on record, and has no booking',
      `${BOOKING} exists, and nobody was told (ask 1)`,
    ]);
  });
});

describe('an unnamed claim is counted as unreleased', () => {
  const at = (seconds: number): number => DEADLINE_MS + seconds * 1_000;

  test('from its deadline or its abandonment, whichever is earlier', () => {
    expect(longestLeftAlone(historyOf(LOG), [{ fromMs: at(-9), toMs: at(9) }])).toBe(2_000);
  });

  test('only while a service was running', () => {
    const lives = [
      { fromMs: at(-9), toMs: at(0.25) },
      { fromMs: at(0.5), toMs: at(1.5) },
      { fromMs: at(2.75), toMs: at(9) },
    ];
    expect(longestLeftAlone(historyOf(LOG), lives)).toBe(500);
  });

  test('until it is abandoned', () => {
    const { abandoned: _abandoned, released: _released, ...left } = LOG;
    expect(longestLeftAlone(historyOf(left), [{ fromMs: at(-9), toMs: at(60) }])).toBe(60_000);
  });
});

function historyOf(log: Log) {
  const record = recorder();
  const stored = Object.values(log).map(([stream, event, at]): StoredEvent => {
    const codec = CODECS.find(({ category: name }) => name === categoryOf(stream));
    if (codec === undefined) throw new Error(`no codec for ${stream}`);
    return { ...record(stream, event, at === undefined ? {} : { at }), ...codec.encode(event) };
  });
  return readHistory(stored);
}

/** The evidence of the visit in the log. */
function walkIn() {
  return someEvidence({ bookingId: BOOKING, travelType: null, answer: null });
}

function twiceBooked(): Log {
  const claim = claimId('claim_3');
  const claims = [{ allotment: ALLOTMENT, id: claim, size: 3 }];
  const { guest: recorded, released, ...rest } = LOG;
  const name: Entry = [
    `guest-${claim}`,
    { type: 'GuestRecorded', data: { booking: OTHER, fingerprint: facts.guest, ...guest('Guest quetzal-000001') } },
  ];
  return {
    ...rest,
    ...(recorded && { recorded }),
    ...(released && { released }),
    more: claimed(claim, OTHER, 3),
    name,
    other: [`booking-${OTHER}`, confirmation({ claims })],
  };
}

/** A client's ledger that agrees with the log. */
function ledgerOfAnswers(): Ledger {
  const ledger = new Ledger();
  const wish = {
    activity_id: facts.activityId,
    booking_date: facts.date,
    num_adults: 2,
    num_children: 1,
    user_name: 'Guest quetzal-000001',
    user_email: 'a@example.com',
    special_requests: null,
    context_log_id: null,
  };
  const { activity_id, ...rest } = wish;
  const data: BookingData = {
    ...rest,
    booking_id: BOOKING,
    status: 'confirmed',
    voucher: { code: A_VOUCHER.code },
    activity: { id: activity_id },
    pricing: { unit_price: 690, total: 2_070 },
    cancellation: null,
    visit: null,
    email_sent: false,
    email_sent_at: null,
  };
  const answer: Answer<BookingData> = { kind: 'done', data, replayed: false };
  ledger.answered({ number: 1, idempotencyKey: null, wish, hold: null }, answer);
  const visit = { booking_id: BOOKING, verified_at: '2026-12-24T03:00:00.000Z', user_name: wish.user_name };
  ledger.scanned(
    { booking: data, idempotencyKey: null, gate: 'north' },
    { kind: 'done', data: visit, replayed: false },
  );
  expect(ledger.faults).toEqual([]);
  return ledger;
}
