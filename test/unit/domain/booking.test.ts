import { describe, expect, test } from 'bun:test';
import { OrderedMap } from '../../../src/collections/ordered-map.ts';
import { namesClaim } from '../../../src/domain/booking/claims.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent, ReportedVisit } from '../../../src/domain/booking/events.ts';
import { publicFactsOf } from '../../../src/domain/booking/facts.ts';
import type { LogId } from '../../../src/domain/ids.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { ALREADY_VERIFIED, VISIT, visited as verified } from '../../support/booking-life.ts';
import {
  A_VOUCHER,
  allotment,
  aVisit,
  bookingFacts,
  claimId,
  commandId,
  confirmation,
  date,
  fingerprint,
  ISSUED,
  venueId,
} from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const facts = bookingFacts();
const place = allotment('bkk-ocean-world-2026-12-24');

const abandoned = (claim: string): BookingEvent => {
  return { type: 'ClaimAbandoned', data: { claim: claimId(claim), allotment: place } };
};

/** Three guests at 990.00 less 300.00 each. */
const booked: readonly BookingEvent[] = [
  confirmation(),
  { type: 'ChargeRecorded', data: { keyId: facts.keyId, amountMinor: 207_000, currency: 'THB' } },
  { type: 'VoucherIssued', data: A_VOUCHER },
];

const AT = '2026-11-21T03:00:05.000Z';
const RECIPIENT = fingerprint('ADA');
const mailed: BookingEvent = {
  type: 'VoucherMailed',
  data: { messageId: 'mail_1', providerId: null, recipient: RECIPIENT, at: AT, publicFacts: publicFactsOf(facts) },
};
const mailFailed = (attempt: number): BookingEvent => ({
  type: 'VoucherMailFailed',
  data: { messageId: 'mail_1', attempt, reason: '451 try again', retryAtMs: attempt * 60_000, at: AT },
});

const book = (change: Parameters<typeof bookingFacts>[0] = {}) =>
  ({ type: 'ConfirmWithoutVenue', facts: bookingFacts(change), ...ISSUED }) as const;
const abandon = (claim: string) => ({ type: 'AbandonClaim', claimId: claimId(claim), allotmentId: place }) as const;
const verify = (change: Partial<ReportedVisit> = {}, venue = 'siam-ocean-world') =>
  ({ type: 'VerifyVisit', venueId: venueId(venue), visit: aVisit(change), activityRevision: 5 }) as const;
const WRONG_VENUE = { code: 'WRONG_VENUE', venueId: venueId('siam-ocean-world') } as const;

describe('booking', () => {
  test('confirms, charges price less discount for every guest, and issues the voucher, in one write', () => {
    given(bookingDecider, []).when(book()).then(booked);
  });

  test('again with the same command answers from the stored booking', () => {
    given(bookingDecider, booked).when(book()).thenNothing();
  });

  test('again with the same command but a new claim keeps the first claim', () => {
    const other = { allotment: place, id: claimId('claim_2'), size: 3 };
    given(bookingDecider, booked)
      .when(book({ claims: [other] }))
      .thenNothing();
  });

  test.each([
    ['other fields under the same key', { fingerprint: fingerprint('FP2') }],
    ['another command', { command: commandId('CMD2') }],
  ])('again with %s is refused', (_, change) => {
    given(bookingDecider, booked).when(book(change)).thenRejected({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('after the visit still answers the same command', () => {
    given(bookingDecider, [...booked, verified()])
      .when(book())
      .thenNothing();
  });

  test('with an abandoned claim is refused: the fence', () => {
    given(bookingDecider, [abandoned('claim_1')])
      .when(book())
      .thenRejected({ code: 'CLAIM_ABANDONED' });
  });

  test('with one abandoned claim among several is refused', () => {
    const claims = ['claim_2', 'claim_1'].map((id) => ({ allotment: place, id: claimId(id), size: 3 }));
    given(bookingDecider, [abandoned('claim_1')])
      .when(book({ claims }))
      .thenRejected({ code: 'CLAIM_ABANDONED' });
  });

  test('after an abandonment goes on with a new claim', () => {
    const claims = [{ allotment: place, id: claimId('claim_2'), size: 3 }];
    const [, charge, voucher] = booked as [BookingEvent, BookingEvent, BookingEvent];
    given(bookingDecider, [abandoned('claim_1')])
      .when(book({ claims }))
      .then([confirmation({ claims }), charge, voucher]);
  });
});

describe('abandoning a claim', () => {
  test('is recorded if nothing was booked', () => {
    given(bookingDecider, [])
      .when(abandon('claim_1'))
      .then([abandoned('claim_1')]);
  });

  test('happens once', () => {
    given(bookingDecider, [abandoned('claim_1')])
      .when(abandon('claim_1'))
      .thenNothing();
  });

  test('is refused while the booking holds the claim', () => {
    given(bookingDecider, booked).when(abandon('claim_1')).thenRejected({ code: 'CLAIM_NAMED' });
  });

  test('is refused after the visit too', () => {
    given(bookingDecider, [...booked, verified()])
      .when(abandon('claim_1'))
      .thenRejected({ code: 'CLAIM_NAMED' });
  });

  test('that the booking does not name is recorded', () => {
    given(bookingDecider, booked)
      .when(abandon('claim_2'))
      .then([abandoned('claim_2')]);
  });
});

describe('verifying a visit', () => {
  test('records the facts that its readers group by', () => {
    given(bookingDecider, booked).when(verify()).then([verified()]);
  });

  test('records the context log of the booking', () => {
    const attribution = {
      logId: 'log_1' as LogId,
      rank: 2,
      segment: { travelType: 'family', budget: 'mid', ageGroup: null },
    } as const;
    const attributed: BookingEvent = confirmation({ attribution });
    const visited = verified();
    given(bookingDecider, [attributed, ...booked.slice(1)])
      .when(verify())
      .then([{ ...visited, data: { ...visited.data, attribution } }]);
  });

  test.each([
    ['at the first instant of the date', A_VOUCHER.validFromMs],
    ['an instant before the voucher ends', A_VOUCHER.validUntilMs - 1],
  ])('%s is in time', (_, verifiedAtMs) => {
    given(bookingDecider, booked)
      .when(verify({ verifiedAtMs }))
      .then([verified(aVisit({ verifiedAtMs }))]);
  });

  test('an instant before the date begins is too early', () => {
    given(bookingDecider, booked)
      .when(verify({ verifiedAtMs: A_VOUCHER.validFromMs - 1 }))
      .thenRejected({
        code: 'VOUCHER_NOT_VALID_TODAY',
        date: date('2026-12-24'),
        validFromMs: A_VOUCHER.validFromMs,
      });
  });

  test('at the instant that the voucher ends is too late', () => {
    given(bookingDecider, booked)
      .when(verify({ verifiedAtMs: A_VOUCHER.validUntilMs }))
      .thenRejected({ code: 'VOUCHER_EXPIRED', date: date('2026-12-24'), validUntilMs: A_VOUCHER.validUntilMs });
  });

  test('without a booking finds no voucher', () => {
    given(bookingDecider, []).when(verify()).thenRejected({ code: 'VOUCHER_NOT_FOUND' });
    given(bookingDecider, [abandoned('claim_1')])
      .when(verify())
      .thenRejected({ code: 'VOUCHER_NOT_FOUND' });
  });

  test('of a booking without a voucher finds none', () => {
    given(bookingDecider, booked.slice(0, 2)).when(verify()).thenRejected({ code: 'VOUCHER_NOT_FOUND' });
  });

  test('at another venue is refused, with the right one', () => {
    given(bookingDecider, booked).when(verify({}, 'another-venue')).thenRejected(WRONG_VENUE);
  });
});

describe('a second scan', () => {
  const visited = [...booked, verified()];

  test('by another command is refused with time and gate of the first', () => {
    given(bookingDecider, visited)
      .when(verify({ command: commandId('SCAN2'), gate: 'south' }))
      .thenRejected(ALREADY_VERIFIED);
  });

  test('by the same command is accepted', () => {
    given(bookingDecider, visited).when(verify()).thenNothing();
  });

  test('by the same command with other fields is refused', () => {
    given(bookingDecider, visited)
      .when(verify({ fingerprint: fingerprint('SCANFP2') }))
      .thenRejected({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('by the same command after the end of the voucher is accepted', () => {
    given(bookingDecider, visited)
      .when(verify({ verifiedAtMs: A_VOUCHER.validUntilMs }))
      .thenNothing();
  });

  test('is checked by venue first, by date last', () => {
    const late = { command: commandId('SCAN2'), verifiedAtMs: A_VOUCHER.validUntilMs };
    given(bookingDecider, visited).when(verify(late, 'another-venue')).thenRejected(WRONG_VENUE);
    given(bookingDecider, visited).when(verify(late)).thenRejected(ALREADY_VERIFIED);
  });
});

describe('the state of a booking', () => {
  test('holds the claims that its facts name, and no others', () => {
    const booking = fold(bookingDecider, booked);
    expect([namesClaim(booking, claimId('claim_1')), namesClaim(booking, claimId('claim_2'))]).toEqual([true, false]);
    expect(namesClaim(bookingDecider.initial, claimId('claim_1'))).toBe(false);
  });

  test('after booking and visit contains all their facts', () => {
    expect(fold(bookingDecider, [abandoned('claim_0'), ...booked, mailFailed(1), mailed, verified()])).toStrictEqual({
      abandoned: [claimId('claim_0')],
      status: 'completed',
      facts,
      hours: facts.hours,
      guestRecord: claimId('claim_1'),
      guestRecords: [claimId('claim_1')],
      guestErased: false,
      chargedMinor: 207_000,
      refundedMinor: 0,
      version: 2,
      publicByRecord: false,
      modifications: new OrderedMap(),
      cancellation: null,
      voucher: A_VOUCHER,
      confirmedAtMs: Date.parse(facts.at),
      mail: { issue: 1, status: 'sent', messageId: 'mail_1', at: AT },
      sentMails: { last: [{ of: 'voucher', issue: 1, atMs: Date.parse(AT) }], recipients: [RECIPIENT], voucher: true },
      notices: { guest: null, venue: null },
      mailRequests: [],
      visit: VISIT,
      guestsPresent: 3,
      voidedVisits: [],
    });
  });

  test('that does not begin with a booking event is a fault', () => {
    for (const event of [...booked.slice(1), mailFailed(1), mailed, verified()]) {
      expect(() => fold(bookingDecider, [event])).toThrow(`${event.type} before the booking began`);
    }
  });
});

describe('a started booking', () => {
  const late = { finishByMs: Date.parse('2026-11-21T03:01:00Z'), answerByMs: null };
  const started: BookingEvent = { type: 'BookingStarted', data: { ...facts, ...late } };

  test('holds its claim, and is confirmed as it was started', () => {
    given(bookingDecider, [])
      .when({ type: 'Start', facts, ...late })
      .then([started]);
    given(bookingDecider, [started])
      .when(book())
      .then([confirmation({}, 'BookingStarted'), ...booked.slice(1)]);
    expect(namesClaim(fold(bookingDecider, [started]), claimId('claim_1'))).toBe(true);
  });

  test('is not confirmed by a command whose own claim was abandoned, because its guest record is another one', () => {
    const claims = [{ allotment: place, id: claimId('claim_0'), size: 3 }];
    given(bookingDecider, [abandoned('claim_0'), started])
      .when(book({ claims }))
      .thenRejected({ code: 'CLAIM_ABANDONED' });
    given(bookingDecider, [abandoned('claim_0')])
      .when({ type: 'Start', facts: bookingFacts({ claims }), ...late })
      .thenRejected({ code: 'CLAIM_ABANDONED' });
  });

  test('that has ended is not started again', () => {
    given(bookingDecider, booked)
      .when({ type: 'Start', facts, ...late })
      .thenNothing();
  });
});
