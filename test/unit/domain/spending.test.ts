import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { convertUp } from '../../../src/domain/activity/exchange.ts';
import { spendingDecider, useIn } from '../../../src/domain/spending/decider.ts';
import {
  type Money,
  type SpendingCommand,
  type SpendingEvent,
  spendingDay,
  spendingIdOf,
} from '../../../src/domain/spending/spending.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { decidedTwice } from '../../support/decided-twice.ts';
import { allotment, bookingId, claimId, date, keyId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const AT = '2026-11-21T03:00:00.000Z';
const PLACE = allotment('bkk-ocean-world-2026-12-24');
const RATES = {
  asOf: date('2026-11-16'),
  microUnitsPerUsd: { THB: 32_400_000, VND: 1, IDR: 1, MYR: 1, SGD: 1_300_000, USD: 1_000_000 },
} as const;
const BOUND = { amountMinor: 100_000, currency: 'THB' } as const;
const DEADLINE_MS = 1_000;

function reserve(claim: string, amountMinor: number, more: { exact?: boolean; bound?: Money; currency?: 'SGD' } = {}) {
  const { exact = false, bound = BOUND, currency = 'THB' } = more;
  const ids = { booking: bookingId('bk_1'), claim: claimId(claim), allotment: PLACE };
  const money = { amountMinor, currency } as const;
  return { type: 'Reserve', ...ids, ...money, exact, bound, rates: RATES, deadlineMs: DEADLINE_MS, at: AT } as const;
}

function reserved(claim: string, amountMinor: number, currency: 'THB' | 'SGD' = 'THB'): SpendingEvent {
  const ids = { booking: bookingId('bk_1'), claim: claimId(claim), allotment: PLACE };
  return { type: 'SpendingReserved', data: { ...ids, amountMinor, currency, deadlineMs: DEADLINE_MS, at: AT } };
}

const released = (claim: string): SpendingEvent => ({
  type: 'SpendingReleased',
  data: { claim: claimId(claim), at: AT },
});
const release = (claim: string) => ({ type: 'Release', claim: claimId(claim), at: AT }) as const;
const warned = (useMinor: number): SpendingEvent => ({
  type: 'SpendingWarned',
  data: { useMinor, boundMinor: 100_000, currency: 'THB', rates: RATES, mailAtMs: DEADLINE_MS, at: AT },
});
const withdrawn: SpendingEvent = { type: 'SpendingWarningWithdrawn', data: { at: AT } };
const ease = (revision: number, amountMinor: number, ...claims: string[]) =>
  ({
    type: 'Ease',
    booking: bookingId('bk_1'),
    claims: claims.map(claimId),
    revision,
    amountMinor,
    currency: 'THB',
    at: AT,
  }) as const;
const eased = (revision: number, amountMinor: number): SpendingEvent => ({
  type: 'SpendingEased',
  data: { booking: bookingId('bk_1'), revision, amountMinor, currency: 'THB', at: AT },
});
const MAIL = { messageId: '<1@waymark.example>', at: AT } as const;
const mailed = { type: 'RecordWarningMailed', ...MAIL, providerId: null } as const;

describe('a reservation', () => {
  test('may use the limit up to its last unit', () => {
    given(spendingDecider, [reserved('a', 40_000)])
      .when(reserve('b', 39_999))
      .then([reserved('b', 39_999)]);
    given(spendingDecider, [reserved('a', 40_000), warned(80_000)])
      .when(reserve('b', 60_000))
      .then([reserved('b', 60_000)]);
  });

  test('is refused beyond it, with the present use', () => {
    given(spendingDecider, [reserved('a', 40_000)])
      .when(reserve('b', 60_001))
      .thenRejected({ code: 'OVER_DAY_TOTAL', useMinor: 40_000 });
  });

  test('in another currency is converted and rounded up', () => {
    // 13.01 SGD are 324.2492… THB.
    expect(convertUp({ amountMinor: 1_301, currency: 'SGD' }, 'THB', RATES)).toBe(32_425);
    given(spendingDecider, [reserved('a', 67_576)])
      .when(reserve('b', 1_301, { currency: 'SGD' }))
      .thenRejected({ code: 'OVER_DAY_TOTAL', useMinor: 67_576 });
    given(spendingDecider, [reserved('a', 67_575), warned(90_000)])
      .when(reserve('b', 1_301, { currency: 'SGD' }))
      .then([reserved('b', 1_301, 'SGD')]);
  });

  test('of a claim that is known changes only if it is exact', () => {
    const events = [reserved('a', 40_000)];
    given(spendingDecider, events).when(reserve('a', 50_000)).thenNothing();
    given(spendingDecider, events)
      .when(reserve('a', 50_000, { exact: true }))
      .then([reserved('a', 50_000)]);
    expect(useIn('THB', fold(spendingDecider, [...events, reserved('a', 50_000)]), RATES)).toBe(50_000);
  });

  test('that becomes greater is refused beyond the limit, with the use of the others', () => {
    given(spendingDecider, [reserved('a', 40_000), reserved('b', 30_000)])
      .when(reserve('a', 70_001, { exact: true }))
      .thenRejected({ code: 'OVER_DAY_TOTAL', useMinor: 30_000 });
  });

  test('that becomes smaller is accepted even if the limit was lowered below the use', () => {
    given(spendingDecider, [reserved('a', 40_000), reserved('b', 40_000), warned(80_000)])
      .when(reserve('a', 39_000, { exact: true, bound: { amountMinor: 1, currency: 'THB' } }))
      .then([reserved('a', 39_000)]);
  });

  test('of nothing is an event only if it replaces an amount', () => {
    given(spendingDecider, [])
      .when(reserve('a', 0, { exact: true }))
      .thenNothing();
    given(spendingDecider, [reserved('a', 40_000)])
      .when(reserve('a', 0, { exact: true }))
      .then([reserved('a', 0)]);
  });

  test('that was released is not made again', () => {
    given(spendingDecider, [reserved('a', 40_000), released('a')])
      .when(reserve('a', 40_000))
      .thenRejected({ code: 'RESERVATION_RELEASED' });
  });

  test('that is released no longer counts, and is released only once', () => {
    const events = [reserved('a', 40_000), released('a')];
    expect(useIn('THB', fold(spendingDecider, events), RATES)).toBe(0);
    given(spendingDecider, events).when(release('a')).thenNothing();
    given(spendingDecider, []).when(release('a')).thenNothing();
  });
});

describe('a change of a booking', () => {
  test('eases what its claims reserved, once for each event', () => {
    const events = [reserved('a', 40_000)];
    given(spendingDecider, events)
      .when(ease(3, 10_000, 'a'))
      .then([eased(3, 10_000)]);
    given(spendingDecider, [...events, eased(3, 10_000)])
      .when(ease(3, 10_000, 'a'))
      .thenNothing();
    expect(useIn('THB', fold(spendingDecider, [...events, eased(3, 10_000)]), RATES)).toBe(30_000);
  });

  test('eases no more than is left, and nothing that a later claim reserved', () => {
    given(spendingDecider, [reserved('a', 40_000), eased(3, 10_000)])
      .when(ease(4, 50_000, 'a'))
      .then([eased(4, 30_000)]);
    given(spendingDecider, [reserved('b', 40_000)])
      .when(ease(4, 10_000, 'a'))
      .thenNothing();
  });
});

describe('the warning', () => {
  test('is decided with the reservation that reaches 80 percent, once a day', () => {
    given(spendingDecider, [reserved('a', 40_000)])
      .when(reserve('b', 40_000))
      .then([reserved('b', 40_000), warned(80_000)]);
    given(spendingDecider, [reserved('a', 80_000), warned(80_000)])
      .when(reserve('b', 10_000))
      .then([reserved('b', 10_000)]);
  });

  test('is withdrawn if the reservation is released before the mail, and comes again', () => {
    const events = [reserved('a', 40_000), reserved('b', 40_000), warned(80_000)];
    given(spendingDecider, events)
      .when(release('b'))
      .then([released('b'), withdrawn]);
    given(spendingDecider, [...events, released('b'), withdrawn])
      .when(reserve('c', 50_000))
      .then([reserved('c', 50_000), warned(90_000)]);
  });

  test('stays if the use stays, or after the mail', () => {
    given(spendingDecider, [reserved('a', 80_000), warned(80_000), reserved('b', 5_000)])
      .when(release('b'))
      .then([released('b')]);
    const sent: SpendingEvent = { type: 'SpendingWarningMailed', data: { ...MAIL, providerId: null } };
    given(spendingDecider, [reserved('a', 80_000), warned(80_000), sent])
      .when(release('a'))
      .then([released('a')]);
  });

  test('is mailed once; attempts are recorded once', () => {
    const events = [reserved('a', 80_000), warned(80_000)];
    const sent: SpendingEvent = { type: 'SpendingWarningMailed', data: { ...MAIL, providerId: null } };
    given(spendingDecider, events).when(mailed).then([sent]);
    given(spendingDecider, [...events, sent])
      .when(mailed)
      .thenNothing();
    given(spendingDecider, []).when(mailed).thenNothing();
    const failure = { ...MAIL, attempt: 1, reason: 'RCPT TO 450', retryAtMs: 5 };
    const failed: SpendingEvent = { type: 'SpendingWarningMailFailed', data: failure };
    given(spendingDecider, events)
      .when({ type: 'RecordWarningMailFailed', ...failure })
      .then([failed]);
    given(spendingDecider, [...events, failed])
      .when({ type: 'RecordWarningMailFailed', ...failure })
      .thenNothing();
  });
});

test('a spending id names the key and the day in UTC', () => {
  const id = spendingIdOf(keyId('key_1'), '2026-11-21T23:59:59.999Z');
  expect([String(id), spendingDay(id)]).toEqual(['key_1-2026-11-21', { keyId: keyId('key_1'), day: '2026-11-21' }]);
});

const claims = fc.constantFrom('a', 'b', 'c');
const amount = fc.integer({ min: 1, max: 60_000 });
const command: fc.Arbitrary<SpendingCommand> = fc.oneof(
  fc.tuple(claims, amount, fc.boolean()).map(([claim, minor, exact]) => reserve(claim, minor, { exact })),
  claims.map(release),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), amount, fc.uniqueArray(claims))
    .map(([revision, minor, of]) => ease(revision, minor, ...of)),
  fc.constant(mailed),
);

test('every command decided twice adds nothing', () => {
  decidedTwice(spendingDecider, command);
});

test('no commands make the use exceed the limit or fall below zero', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      let state = spendingDecider.initial;
      for (const next of commands) {
        const decision = spendingDecider.decide(next, state);
        if (decision.kind === 'accepted') state = fold(spendingDecider, decision.events, state);
        expect(useIn('THB', state, RATES)).toBeLessThanOrEqual(BOUND.amountMinor);
      }
    }),
  );
});
