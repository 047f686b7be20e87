import { describe, expect, test } from 'bun:test';
import { namesClaim } from '../../../src/domain/booking/claims.ts';
import type { BookingCommand, BookingRejection } from '../../../src/domain/booking/commands.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { BookingStatus } from '../../../src/domain/booking/state.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import {
  ANOTHER_RECORD,
  book,
  CONFIRMED,
  cancel,
  cancelled,
  confirm,
  confirmedAfter,
  EARLY_MS,
  eraseGuest,
  IN_STATUS,
  LATER,
  modified,
  modify,
  PLACED,
  placeOnRequest,
  REJECTED,
  refunded,
  rejecting,
  STARTED,
  start,
  VISITED,
  VOUCHER,
  verify,
  visited,
} from '../../support/booking-life.ts';
import { A_VOUCHER, bookingFacts, claimId, commandId, date, fingerprint } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const facts = bookingFacts();
const { id: CLAIM, allotment: PLACE } = facts.claims[0] ?? expect.unreachable();
const closesAtMs = A_VOUCHER.validUntilMs;
const erased: BookingEvent = {
  type: 'GuestErased',
  data: { records: [CLAIM], by: 'operator', at: LATER },
};
const FEWER = { numChildren: 0 };

/** The result of a command in a status: events, `obeyed` for a repetition, or a refusal. */
type Comes = readonly BookingEvent[] | 'obeyed' | BookingRejection;
const notFound: BookingRejection = { code: 'BOOKING_NOT_FOUND' };
const not = (why: BookingStatus): BookingRejection => ({ code: 'BOOKING_NOT_MODIFIABLE', why });
const noEnd = (why: BookingStatus): BookingRejection => ({ code: 'BOOKING_NOT_CANCELLABLE', why });
const fewer = (answerByMs: number | null) =>
  modified({
    changes: { numChildren: { from: 1, to: 0 } },
    numChildren: 0,
    numGuests: 2,
    claims: [{ ...(facts.claims[0] ?? expect.unreachable()), size: 2 }],
    shrunk: [{ ...(facts.claims[0] ?? expect.unreachable()), size: 2 }],
    answerByMs,
  });
const noVoucher: BookingRejection = { code: 'VOUCHER_NOT_FOUND' };

const TABLE: readonly (readonly [string, BookingCommand, Readonly<Record<BookingStatus | 'none', Comes>>])[] = [
  [
    'Start',
    start(),
    {
      none: [STARTED],
      processing: 'obeyed',
      pending: 'obeyed',
      confirmed: 'obeyed',
      rejected: 'obeyed',
      cancelled: 'obeyed',
      completed: 'obeyed',
    },
  ],
  [
    'PlaceOnRequest',
    placeOnRequest(),
    {
      none: [PLACED],
      processing: [
        { type: 'BookingPlacedOnRequest', data: { ...facts, answerByMs: 86_400_000, follows: 'BookingStarted' } },
      ],
      pending: 'obeyed',
      confirmed: 'obeyed',
      rejected: 'obeyed',
      cancelled: 'obeyed',
      completed: 'obeyed',
    },
  ],
  [
    'ConfirmWithoutVenue',
    book(),
    {
      none: CONFIRMED,
      processing: confirmedAfter('BookingStarted'),
      pending: 'obeyed',
      confirmed: 'obeyed',
      rejected: 'obeyed',
      cancelled: 'obeyed',
      completed: 'obeyed',
    },
  ],
  [
    'ConfirmByVenue',
    confirm(),
    {
      none: notFound,
      processing: not('processing'),
      pending: confirmedAfter('BookingPlacedOnRequest', {}, EARLY_MS),
      confirmed: 'obeyed',
      rejected: not('rejected'),
      cancelled: not('cancelled'),
      completed: 'obeyed',
    },
  ],
  [
    'Reject',
    rejecting(),
    {
      none: notFound,
      processing: [REJECTED],
      pending: [REJECTED],
      confirmed: not('confirmed'),
      rejected: 'obeyed',
      cancelled: not('cancelled'),
      completed: not('completed'),
    },
  ],
  [
    'Modify',
    modify(FEWER),
    {
      none: notFound,
      processing: not('processing'),
      pending: [fewer(86_400_000)],
      confirmed: [fewer(null), refunded(69_000), VOUCHER],
      rejected: not('rejected'),
      cancelled: not('cancelled'),
      completed: not('completed'),
    },
  ],
  [
    'Cancel',
    cancel(),
    {
      none: notFound,
      processing: noEnd('processing'),
      pending: [cancelled({ refundMinor: 0 })],
      confirmed: [cancelled(), refunded(207_000)],
      rejected: noEnd('rejected'),
      cancelled: 'obeyed',
      completed: noEnd('completed'),
    },
  ],
  [
    'EraseGuest',
    eraseGuest(),
    {
      none: notFound,
      processing: not('processing'),
      pending: [erased],
      confirmed: [erased],
      rejected: [erased],
      cancelled: [erased],
      completed: [erased],
    },
  ],
  [
    'VerifyVisit',
    verify(),
    {
      none: noVoucher,
      processing: noVoucher,
      pending: noVoucher,
      confirmed: [VISITED],
      rejected: noVoucher,
      cancelled: { code: 'VOUCHER_CANCELLED', cancelledAt: LATER },
      completed: 'obeyed',
    },
  ],
];

const CASES = TABLE.flatMap(([name, command, row]) =>
  Object.entries(row).map(([status, comes]) => ({ name, status: status as BookingStatus | 'none', command, comes })),
);

describe('every command in every status', () => {
  test.each(CASES)('$name of a booking that is $status', ({ command, status, comes }) => {
    const decided = given(bookingDecider, IN_STATUS[status]).when(command);
    if (comes === 'obeyed') decided.thenNothing();
    else if ('code' in comes) decided.thenRejected(comes);
    else decided.then(comes);
  });

  test('each history ends in the status that it is listed under', () => {
    const statuses = Object.values(IN_STATUS).map((events) => fold(bookingDecider, events).status);
    expect(statuses).toEqual(Object.keys(IN_STATUS) as typeof statuses);
  });
});

describe('a started booking', () => {
  test('is confirmed with the claim that it was started with, not with a later claim', () => {
    const other = { ...bookingFacts(), claims: [{ ...facts.claims[0], id: claimId('claim_2') }] } as typeof facts;
    given(bookingDecider, [STARTED])
      .when({ ...book(), facts: other })
      .then(confirmedAfter('BookingStarted'));
  });

  test.each([
    ['Start', { ...start(), facts: bookingFacts({ fingerprint: fingerprint('FP2') }) }],
    ['PlaceOnRequest', { ...placeOnRequest(), facts: bookingFacts({ fingerprint: fingerprint('FP2') }) }],
    ['ConfirmWithoutVenue', { ...book(), facts: bookingFacts({ fingerprint: fingerprint('FP2') }) }],
  ] as readonly (readonly [string, BookingCommand])[])('is another request with the same key: %s', (_, command) => {
    given(bookingDecider, [STARTED]).when(command).thenRejected({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('with an abandoned claim is refused, whichever command comes first', () => {
    const abandonment: BookingEvent = {
      type: 'ClaimAbandoned',
      data: { claim: CLAIM, allotment: PLACE },
    };
    for (const command of [start(), placeOnRequest(), book()])
      given(bookingDecider, [abandonment]).when(command).thenRejected({ code: 'CLAIM_ABANDONED' });
  });
});

describe('the venue can confirm', () => {
  test('until the guests’ date has closed', () => {
    given(bookingDecider, [PLACED])
      .when(confirm({ nowMs: closesAtMs - 1 }))
      .then(confirmedAfter('BookingPlacedOnRequest', {}, closesAtMs - 1));
    given(bookingDecider, [PLACED])
      .when(confirm({ nowMs: closesAtMs }))
      .thenRejected({ code: 'BOOKING_NOT_MODIFIABLE', why: 'past' });
  });

  test('the current date of the booking, and the voucher is valid for that date', () => {
    const moved = { beginsAtMs: 1_798_500_000_000, opensAtMs: 1_798_530_000_000, closesAtMs: 1_798_560_000_000 };
    const move = modified({
      changes: { date: { from: date('2026-12-24'), to: date('2026-12-28') } },
      date: date('2026-12-28'),
      hours: moved,
    });
    given(bookingDecider, [PLACED, move])
      .when(confirm())
      .then([
        ...confirmedAfter('BookingPlacedOnRequest', { date: date('2026-12-28'), hours: moved }, EARLY_MS).slice(0, 2),
        {
          type: 'VoucherIssued',
          data: { code: A_VOUCHER.code, validFromMs: moved.beginsAtMs, validUntilMs: moved.closesAtMs },
        },
      ]);
  });
});

describe('cancelling', () => {
  test('again keeps the first cancellation, whatever the caller and the reason', () => {
    given(bookingDecider, IN_STATUS.cancelled)
      .when(cancel({ commandId: commandId('CANCEL2'), reason: 'weather', by: 'operator', nowMs: closesAtMs }))
      .thenNothing();
  });

  test('with other fields under the same key is refused', () => {
    given(bookingDecider, IN_STATUS.cancelled)
      .when(cancel({ fingerprint: fingerprint('CANCELFP2') }))
      .thenRejected({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  test('is possible until the date has closed', () => {
    given(bookingDecider, CONFIRMED)
      .when(cancel({ nowMs: closesAtMs - 1 }))
      .then([cancelled({ refundMinor: 103_500 }), refunded(103_500)]);
    given(bookingDecider, CONFIRMED)
      .when(cancel({ nowMs: closesAtMs }))
      .thenRejected({ code: 'BOOKING_NOT_CANCELLABLE', why: 'past' });
  });

  test('another version than the caller saw is refused, with the current version', () => {
    given(bookingDecider, [...CONFIRMED, modifiedOnce()])
      .when(cancel({ ifVersions: [1] }))
      .thenRejected({ code: 'REVISION_CONFLICT', version: 2 });
    given(bookingDecider, CONFIRMED)
      .when(cancel({ ifVersions: [4, 1] }))
      .then([cancelled(), refunded(207_000)]);
  });

  test('drops all claims, and keeps the record of the guest', () => {
    const booking = fold(bookingDecider, [...CONFIRMED, modifiedOnce(), cancelled()]);
    expect(booking).toMatchObject({ facts: { claims: [] }, guestRecord: 'claim_2', version: 3 });
    expect(['claim_1', 'claim_2', 'claim_3'].map((id) => namesClaim(booking, claimId(id)))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('a visit', () => {
  const gone = cancelled({ at: '2026-12-24T03:00:00.000Z' });
  const history = [...CONFIRMED, gone, refunded(207_000)];
  const cancelledAtMs = Date.parse('2026-12-24T03:00:00.000Z');

  test('before a cancellation is recorded, and the refund stays', () => {
    const scan = { verifiedAtMs: cancelledAtMs - 1, reportedAtMs: cancelledAtMs + 1 };
    const visit = visited(scan, { disputed: true });
    given(bookingDecider, history).when(verify(scan)).then([visit]);
    expect(fold(bookingDecider, [...history, visit])).toMatchObject({
      status: 'completed',
      refundedMinor: 207_000,
      cancellation: { command: 'CANCEL1', refundMinor: 207_000 },
    });
  });

  test('at the instant of the cancellation does not count', () => {
    given(bookingDecider, history)
      .when(verify({ verifiedAtMs: cancelledAtMs }))
      .thenRejected({ code: 'VOUCHER_CANCELLED', cancelledAt: '2026-12-24T03:00:00.000Z' });
  });

  test('reported after the cancellation does not change the cancellation', () => {
    const both = [...history, visited({ verifiedAtMs: cancelledAtMs - 1 })];
    given(bookingDecider, both).when(cancel()).thenNothing();
    given(bookingDecider, both)
      .when(cancel({ commandId: commandId('CANCEL2') }))
      .thenRejected({ code: 'BOOKING_NOT_CANCELLABLE', why: 'completed' });
  });
});

describe('erasing the guest', () => {
  test('names all records of the guest', () => {
    given(bookingDecider, [...CONFIRMED, modifiedOnce()])
      .when(eraseGuest())
      .then([{ type: 'GuestErased', data: { records: [CLAIM, claimId('claim_2')], by: 'operator', at: LATER } }]);
  });

  test('happens once', () => {
    given(bookingDecider, [...CONFIRMED, erased])
      .when(eraseGuest())
      .thenNothing();
  });
});

describe('the version of a booking', () => {
  test.each([
    ['its confirmation', [STARTED, { type: 'BookingConfirmed', data: { ...facts, follows: 'BookingStarted' } }], 2],
    ['its rejection', [PLACED, REJECTED], 2],
    ['a modification', [...CONFIRMED, modifiedOnce()], 2],
    ['its cancellation', IN_STATUS.cancelled, 2],
    ['the visit', IN_STATUS.completed, 2],
    ['the erasure of its guest', [...CONFIRMED, erased], 2],
  ] as readonly (readonly [string, readonly BookingEvent[], number])[])('counts %s', (_, events, version) => {
    expect(fold(bookingDecider, events)).toMatchObject({ version });
  });

  test('does not count mails or abandoned claims', () => {
    const mail: BookingEvent = {
      type: 'VoucherMailed',
      data: { messageId: 'mail_1', providerId: null, recipient: null, at: LATER },
    };
    const abandonment: BookingEvent = {
      type: 'ClaimAbandoned',
      data: { claim: claimId('claim_9'), allotment: PLACE },
    };
    expect(fold(bookingDecider, [...CONFIRMED, mail, abandonment])).toMatchObject({ version: 1 });
  });
});

/** Another guest, recorded with a claim of zero slots. */
function modifiedOnce(): BookingEvent {
  return modified({ changes: { guest: ['name'] }, guest: ANOTHER_RECORD });
}
