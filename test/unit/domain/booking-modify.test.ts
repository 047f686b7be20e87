import { describe, expect, test } from 'bun:test';
import { planClaims } from '../../../src/domain/booking/claims.ts';
import type { Modification } from '../../../src/domain/booking/commands.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { ClaimRef } from '../../../src/domain/booking/facts.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import {
  ANOTHER_RECORD,
  CONFIRMED,
  charged,
  IN_STATUS,
  LATER,
  modified,
  modify,
  PLACED,
  refunded,
  slots,
  VOUCHER,
} from '../../support/booking-life.ts';
import { A_VOUCHER, allotment, claimId, commandId, confirmation, date, fingerprint } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const PLACE = allotment('bkk-ocean-world-2026-12-24');
const OTHER_PLACE = allotment('bkk-ocean-world-2026-12-26');
const claim = (id: string, size: number, at = PLACE): ClaimRef => ({ allotment: at, id: claimId(id), size });
const FIRST = claim('claim_1', 3);
function abandonment(id: string): BookingEvent {
  return { type: 'ClaimAbandoned', data: { claim: claimId(id), allotment: PLACE } };
}
const HOURS = { beginsAtMs: 1_798_218_000_000, opensAtMs: 1_798_250_400_000, closesAtMs: 1_798_282_800_000 };
const MOVE: NonNullable<Modification['move']> = {
  date: date('2026-12-26'),
  hours: HOURS,
  lastEntryMs: HOURS.closesAtMs,
  cancellation: { freeUntilHours: 48, percentKept: 100 },
};
const THERE = { unitPriceMinor: 80_000, discountMinor: 0, currency: 'THB' as const };
const CHEAPER = { ...THERE, unitPriceMinor: 50_000 };
const there = (id: string, size: number, price = THERE) => slots(claim(id, size, OTHER_PLACE), price);
const moved = { date: MOVE.date, hours: HOURS, pricing: THERE, cancellation: MOVE.cancellation };
const MOVED_VOUCHER: BookingEvent = {
  type: 'VoucherIssued',
  data: { code: A_VOUCHER.code, validFromMs: HOURS.beginsAtMs, validUntilMs: HOURS.closesAtMs },
};
const DATES = { from: date('2026-12-24'), to: date('2026-12-26') };

/** Five guests with two claims: three slots first, then two more. */
const GROWN = modified({
  command: commandId('GROW'),
  changes: { numAdults: { from: 2, to: 4 } },
  numAdults: 4,
  numGuests: 5,
  claims: [FIRST, claim('claim_2', 2)],
});
const FIVE = [...CONFIRMED, GROWN, charged(138_000), VOUCHER];

describe('more guests', () => {
  test('claim the difference, are charged at the price of the booking, and get a new voucher', () => {
    given(bookingDecider, CONFIRMED)
      .when(modify({ numAdults: 4 }, { taken: slots(claim('claim_2', 2)) }))
      .then([
        modified({
          changes: { numAdults: { from: 2, to: 4 } },
          numAdults: 4,
          numGuests: 5,
          claims: [FIRST, claim('claim_2', 2)],
        }),
        charged(138_000),
        VOUCHER,
      ]);
  });

  test('of an unconfirmed booking are not charged, and get no voucher', () => {
    given(bookingDecider, [PLACED])
      .when(modify({ numAdults: 3 }, { taken: slots(claim('claim_2', 1)) }))
      .then([
        modified({
          changes: { numAdults: { from: 2, to: 3 } },
          numAdults: 3,
          numGuests: 4,
          claims: [FIRST, claim('claim_2', 1)],
          answerByMs: 86_400_000,
        }),
      ]);
  });

  test.each([
    ['none', null],
    ['too few', claim('claim_2', 1)],
    ['too many', claim('claim_2', 3)],
    ['slots of another date', claim('claim_2', 2, OTHER_PLACE)],
  ])('with %s of the slots that they need are refused', (_, taken) => {
    given(bookingDecider, CONFIRMED)
      .when(modify({ numAdults: 4 }, { taken: taken && slots(taken) }))
      .thenRejected({ code: 'REVISION_CONFLICT', version: 1 });
  });

  test('with an abandoned claim are refused: the fence', () => {
    given(bookingDecider, [...CONFIRMED, abandonment('claim_2')])
      .when(modify({ numAdults: 4 }, { taken: slots(claim('claim_2', 2)) }))
      .thenRejected({ code: 'CLAIM_ABANDONED' });
  });
});

describe('fewer guests', () => {
  const fewerThanFive = (numAdults: number, numChildren: number) =>
    modify({ numAdults, numChildren }, { plannedOn: 2 });
  const fact = (numAdults: number, change: Partial<Parameters<typeof modified>[0]>) =>
    modified({
      changes: { numAdults: { from: 4, to: numAdults } },
      numAdults,
      numGuests: numAdults + 1,
      version: 3,
      ...change,
    });

  test('release slots of the newest claim first', () => {
    given(bookingDecider, FIVE)
      .when(fewerThanFive(3, 1))
      .then([
        fact(3, { claims: [FIRST, claim('claim_2', 1)], shrunk: [claim('claim_2', 1)] }),
        refunded(69_000),
        VOUCHER,
      ]);
  });

  test('release a whole claim that is not needed any more', () => {
    given(bookingDecider, FIVE)
      .when(fewerThanFive(2, 1))
      .then([fact(2, { claims: [FIRST], dropped: [claim('claim_2', 2)] }), refunded(138_000), VOUCHER]);
  });

  test('release slots of several claims', () => {
    const kept = claim('claim_1', 2);
    given(bookingDecider, FIVE)
      .when(fewerThanFive(1, 1))
      .then([fact(1, { claims: [kept], dropped: [claim('claim_2', 2)], shrunk: [kept] }), refunded(207_000), VOUCHER]);
  });

  test('and then more claim new slots: a slot whose release is pending is not reused', () => {
    const kept = claim('claim_1', 2);
    const shrunk = modified({
      changes: { numChildren: { from: 1, to: 0 } },
      command: commandId('SHRINK'),
      numChildren: 0,
      numGuests: 2,
      claims: [kept],
      shrunk: [kept],
    });
    given(bookingDecider, [...CONFIRMED, shrunk, refunded(69_000), VOUCHER])
      .when(modify({ numChildren: 1 }, { plannedOn: 2, taken: slots(claim('claim_2', 1)) }))
      .then([
        modified({
          changes: { numChildren: { from: 0, to: 1 } },
          claims: [kept, claim('claim_2', 1)],
          version: 3,
        }),
        charged(69_000),
        VOUCHER,
      ]);
  });
});

describe('another date', () => {
  test('is claimed for all guests, has its own price and policy, and drops every claim of the old date', () => {
    given(bookingDecider, FIVE)
      .when(modify({ move: MOVE, numAdults: 4 }, { plannedOn: 2, taken: there('claim_3', 5) }))
      .then([
        modified({
          ...moved,
          changes: { date: DATES },
          numAdults: 4,
          numGuests: 5,
          claims: [claim('claim_3', 5, OTHER_PLACE)],
          dropped: [FIRST, claim('claim_2', 2)],
          version: 3,
        }),
        charged(55_000),
        MOVED_VOUCHER,
      ]);
  });

  test('with more guests is one change', () => {
    given(bookingDecider, CONFIRMED)
      .when(modify({ move: MOVE, numChildren: 2 }, { taken: there('claim_2', 4) }))
      .then([
        modified({
          ...moved,
          changes: { date: DATES, numChildren: { from: 1, to: 2 } },
          numChildren: 2,
          numGuests: 4,
          claims: [claim('claim_2', 4, OTHER_PLACE)],
          dropped: [FIRST],
        }),
        charged(113_000),
        MOVED_VOUCHER,
      ]);
  });

  test('that is cheaper is refunded by the policy of the old date', () => {
    given(bookingDecider, CONFIRMED)
      .when(modify({ move: MOVE }, { taken: there('claim_2', 3, CHEAPER), nowMs: Date.parse('2026-12-24T00:00:00Z') }))
      .then([
        modified({
          ...moved,
          pricing: { ...CHEAPER, retainedMinor: 103_500 },
          changes: { date: DATES },
          claims: [claim('claim_2', 3, OTHER_PLACE)],
          dropped: [FIRST],
        }),
        refunded(28_500),
        MOVED_VOUCHER,
      ]);
  });

  test('equal to the current date is ignored: the price stays, and nothing is claimed', () => {
    const move = { ...MOVE, date: date('2026-12-24') };
    given(bookingDecider, CONFIRMED).when(modify({ move })).thenNothing();
    const booking = fold(bookingDecider, CONFIRMED);
    if (booking.status === 'none') expect.unreachable();
    expect(planClaims(booking, { move, numAdults: 2, numChildren: 1 })).toStrictEqual({
      take: null,
      kept: [FIRST],
      dropped: [],
      shrunk: [],
    });
  });
});

describe('other personal data', () => {
  const guest = { ...ANOTHER_RECORD, fields: ['name', 'email'] } as const;
  const renamed = modified({ changes: { guest: ['name', 'email'] }, guest: ANOTHER_RECORD });

  test('are only named, cost nothing and take no slots; the voucher is mailed again', () => {
    given(bookingDecider, CONFIRMED).when(modify({ guest })).then([renamed, VOUCHER]);
  });

  test('make another record the current one, and keep the earlier one', () => {
    expect(fold(bookingDecider, [...CONFIRMED, renamed, VOUCHER])).toMatchObject({
      facts: { guest: fingerprint('GUEST2') },
      guestRecord: 'claim_2',
      guestRecords: ['claim_1', 'claim_2'],
      mail: { issue: 2, status: 'unsent' },
    });
  });

  test('in an abandoned record are refused: the fence', () => {
    given(bookingDecider, [...CONFIRMED, abandonment(ANOTHER_RECORD.record)])
      .when(modify({ guest }))
      .thenRejected({ code: 'CLAIM_ABANDONED' });
  });

  test('of an erased guest are refused, other changes are not', () => {
    const erased: BookingEvent = {
      type: 'GuestErased',
      data: { records: [claimId('claim_1')], by: 'operator', at: LATER },
    };
    given(bookingDecider, [...CONFIRMED, erased])
      .when(modify({ guest }, { plannedOn: 2 }))
      .thenRejected({ code: 'BOOKING_NOT_MODIFIABLE', why: 'erased' });
    const kept = claim('claim_1', 2);
    given(bookingDecider, [...CONFIRMED, erased])
      .when(modify({ numChildren: 0 }, { plannedOn: 2 }))
      .then([
        modified({
          changes: { numChildren: { from: 1, to: 0 } },
          numChildren: 0,
          numGuests: 2,
          claims: [kept],
          shrunk: [kept],
          version: 3,
        }),
        refunded(69_000),
        VOUCHER,
      ]);
  });
});

describe('a modification', () => {
  test('that changes nothing adds no event', () => {
    given(bookingDecider, CONFIRMED).when(modify({})).thenNothing();
  });

  test('repeated adds no event, also after the booking has changed or ended', () => {
    const again = modify({ numAdults: 4 }, { commandId: commandId('GROW'), taken: slots(claim('claim_2', 2)) });
    given(bookingDecider, FIVE).when(again).thenNothing();
    const end = IN_STATUS.cancelled.slice(CONFIRMED.length);
    given(bookingDecider, [...FIVE, ...end])
      .when(again)
      .thenNothing();
  });

  test('under the key of another modification is refused', () => {
    given(bookingDecider, FIVE)
      .when(modify({ numAdults: 3 }, { commandId: commandId('GROW'), fingerprint: fingerprint('OTHER'), plannedOn: 2 }))
      .thenRejected({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('planned on an old version is refused: of two concurrent ones one wins', () => {
    given(bookingDecider, FIVE)
      .when(modify({ numAdults: 1 }, { plannedOn: 1 }))
      .thenRejected({ code: 'REVISION_CONFLICT', version: 2 });
  });

  test('of another version than the caller saw is refused', () => {
    given(bookingDecider, FIVE)
      .when(modify({ numAdults: 1 }, { plannedOn: 2, ifVersions: [1] }))
      .thenRejected({ code: 'REVISION_CONFLICT', version: 2 });
  });

  test('is possible until the date has closed', () => {
    given(bookingDecider, CONFIRMED)
      .when(modify({ numChildren: 0 }, { nowMs: A_VOUCHER.validUntilMs }))
      .thenRejected({ code: 'BOOKING_NOT_MODIFIABLE', why: 'past' });
    expect(
      bookingDecider.decide(
        modify({ numChildren: 0 }, { nowMs: A_VOUCHER.validUntilMs - 1 }),
        fold(bookingDecider, CONFIRMED),
      ).kind,
    ).toBe('accepted');
  });

  test('of a booking that an older release confirmed uses the hours of its voucher', () => {
    const old = confirmation({ hours: null });
    const [, charge, voucher] = CONFIRMED as readonly [BookingEvent, BookingEvent, BookingEvent];
    const hours = { ...hoursOfVoucher(), opensAtMs: A_VOUCHER.validUntilMs };
    given(bookingDecider, [old, charge, voucher])
      .when(modify({ guest: { ...ANOTHER_RECORD, fields: ['name'] } }))
      .then([modified({ changes: { guest: ['name'] }, guest: ANOTHER_RECORD, hours }), VOUCHER]);
  });
});

function hoursOfVoucher() {
  return { beginsAtMs: A_VOUCHER.validFromMs, closesAtMs: A_VOUCHER.validUntilMs };
}

describe('while the venue has not answered', () => {
  const pendingMove = (lastEntryMs: number, answerByMs: number) =>
    given(bookingDecider, [PLACED])
      .when(modify({ move: { ...MOVE, lastEntryMs } }, { taken: there('claim_2', 3) }))
      .then([
        modified({
          changes: { date: DATES },
          ...moved,
          claims: [claim('claim_2', 3, OTHER_PLACE)],
          dropped: [FIRST],
          answerByMs,
        }),
      ]);

  test('a move to an earlier date shortens the time to answer, and a later date does not extend it', () => {
    pendingMove(86_399_999, 86_399_999);
    pendingMove(86_400_001, 86_400_000);
  });

  test('the shortened time to answer stays', () => {
    const booking = fold(bookingDecider, [PLACED, modified({ changes: {}, answerByMs: 86_000_000 })]);
    expect(booking).toMatchObject({ status: 'pending', answerByMs: 86_000_000 });
    const kept = fold(bookingDecider, [PLACED, modified({ changes: {}, answerByMs: null })]);
    expect(kept).toMatchObject({ status: 'pending', answerByMs: 86_400_000 });
  });
});
