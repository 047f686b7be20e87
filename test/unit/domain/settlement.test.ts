import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { amounts, freeUntilMs, priceOf, refundableMinor } from '../../../src/domain/activity/pricing.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { cancellationRefundMinor, modificationSettlement } from '../../../src/domain/booking/settlement.ts';
import type { ExistingBooking } from '../../../src/domain/booking/state.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { CONFIRMED, charged, PLACED, refunded } from '../../support/booking-life.ts';
import { bookingFacts, confirmation } from '../../support/examples.ts';

const { pricing, hours } = bookingFacts();
const opensAtMs = hours?.opensAtMs ?? expect.unreachable();
const FREE_UNTIL_MS = opensAtMs - 24 * 3_600_000;
const LATE_MS = FREE_UNTIL_MS;

function bookingOf(events: readonly BookingEvent[]): ExistingBooking {
  const booking = fold(bookingDecider, events);
  return booking.status === 'none' ? expect.unreachable() : booking;
}

const same = { move: null, numAdults: 2, numChildren: 1 };

describe('the refund by a policy', () => {
  const policy = { freeUntilHours: 24, percentKept: 50 };

  test('is everything until the free period ends, and a part from that instant on', () => {
    expect(freeUntilMs(policy, opensAtMs)).toBe(FREE_UNTIL_MS);
    expect(refundableMinor(207_000, policy, opensAtMs, FREE_UNTIL_MS - 1)).toBe(207_000);
    expect(refundableMinor(207_000, policy, opensAtMs, FREE_UNTIL_MS)).toBe(103_500);
  });

  test.each([
    [1, 50, 1],
    [3, 50, 2],
    [99, 33, 67],
    [100, 0, 100],
    [100, 100, 0],
  ])('of %p, where %p percent are kept, is %p: what is kept is rounded down', (amount, percentKept, back) => {
    expect(refundableMinor(amount, { freeUntilHours: 0, percentKept }, 0, 0)).toBe(back);
  });
});

describe('the price of a date', () => {
  test('is the full one without a hotel', () => {
    const price = { unitPriceMinor: 99_999, currency: 'THB' } as const;
    expect(priceOf(price, 0)).toStrictEqual({ unitPriceMinor: 99_999, discountMinor: 0, currency: 'THB' });
    expect(priceOf(price, 15)).toStrictEqual({ unitPriceMinor: 99_999, discountMinor: 14_999, currency: 'THB' });
  });

  test('without a minor unit is calculated in whole units', () => {
    const dong = priceOf({ unitPriceMinor: 350_001, currency: 'VND' }, 10);
    expect(amounts(dong, 3)).toStrictEqual({ subtotalMinor: 1_050_003, discountMinor: 105_000, totalMinor: 945_003 });
    expect(refundableMinor(945_003, { freeUntilHours: 24, percentKept: 50 }, 0, 0)).toBe(472_502);
  });
});

describe('a modification', () => {
  const booking = bookingOf(CONFIRMED);

  test('costs the difference, at the price of the booking', () => {
    expect(modificationSettlement(booking, { ...same, numAdults: 4 }, pricing, FREE_UNTIL_MS - 1)).toStrictEqual({
      pricing,
      chargeMinor: 138_000,
      refundMinor: 0,
    });
  });

  test.each([
    ['an instant before the hours begin in which it is not free', FREE_UNTIL_MS - 1, 69_000, {}],
    ['at that instant', FREE_UNTIL_MS, 34_500, { retainedMinor: 103_500 }],
  ])('gives back the difference by the policy, and retains the rest: %s', (_, nowMs, refundMinor, retained) => {
    expect(modificationSettlement(booking, { ...same, numChildren: 0 }, null, nowMs)).toStrictEqual({
      pricing: { ...pricing, ...retained },
      chargeMinor: 0,
      refundMinor,
    });
  });

  test('of an uncharged booking has no charge and no refund', () => {
    for (const numAdults of [1, 9])
      expect(modificationSettlement(bookingOf([PLACED]), { ...same, numAdults }, pricing, LATE_MS)).toStrictEqual({
        pricing,
        chargeMinor: 0,
        refundMinor: 0,
      });
  });
});

describe('a cancellation', () => {
  test.each([
    ['an instant before the hours begin in which it is not free', FREE_UNTIL_MS - 1, 207_000],
    ['at that instant', FREE_UNTIL_MS, 103_500],
  ])('by the guest gives back by the policy: %s', (_, nowMs, refundMinor) => {
    expect(cancellationRefundMinor(bookingOf(CONFIRMED), 'user_requested', nowMs)).toBe(refundMinor);
  });

  test.each(['venue_unavailable', 'weather', 'system'] as const)('for %s refunds everything', (reason) => {
    expect(cancellationRefundMinor(bookingOf(CONFIRMED), reason, LATE_MS)).toBe(207_000);
  });

  test('for another reason than the guest’s also refunds what was kept before', () => {
    // One of three guests cancelled, and half of that price was kept.
    const kept = bookingOf([...CONFIRMED, refunded(34_500)]);
    expect(cancellationRefundMinor(kept, 'weather', LATE_MS)).toBe(172_500);
  });

  test('of an uncharged booking refunds nothing', () => {
    expect(cancellationRefundMinor(bookingOf([PLACED]), 'user_requested', FREE_UNTIL_MS - 1)).toBe(0);
    expect(cancellationRefundMinor(bookingOf([PLACED]), 'system', LATE_MS)).toBe(0);
  });
});

test('a refund never exceeds what is still charged, whatever was changed before and when', () => {
  const change = fc.record({
    numAdults: fc.integer({ min: 1, max: 9 }),
    unitPriceMinor: fc.option(fc.integer({ min: 1, max: 1_000_003 })),
    nowMs: fc.constantFrom(FREE_UNTIL_MS - 1, FREE_UNTIL_MS),
  });
  const percent = fc.integer({ min: 0, max: 100 });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), percent, (changes, percentKept) => {
      const cancellation = { freeUntilHours: 24, percentKept };
      let booking = bookingOf([confirmation({ cancellation }), ...CONFIRMED.slice(1)]);
      for (const { numAdults, unitPriceMinor, nowMs } of changes) {
        const { facts } = booking;
        const more = numAdults > facts.numAdults;
        const price = { unitPriceMinor: unitPriceMinor ?? 70_000, discountMinor: 0, currency: 'THB' as const };
        // Each price of a move belongs to another date with the same hours and policy.
        const move =
          unitPriceMinor === null || facts.hours === null
            ? null
            : { date: facts.date, hours: facts.hours, lastEntryMs: facts.hours.closesAtMs, cancellation };
        const modification = { move, numAdults, numChildren: 1 };
        const settled = modificationSettlement(booking, modification, move !== null || more ? price : null, nowMs);
        expect(Math.min(settled.chargeMinor, settled.refundMinor)).toBe(0);
        booking = {
          ...booking,
          facts: { ...facts, numAdults, numChildren: 1, pricing: settled.pricing },
          chargedMinor: booking.chargedMinor + settled.chargeMinor,
          refundedMinor: booking.refundedMinor + settled.refundMinor,
        };
        const stillCharged = booking.chargedMinor - booking.refundedMinor;
        // The current total is always paid.
        expect(stillCharged).toBeGreaterThanOrEqual(amounts(settled.pricing, numAdults + 1).totalMinor);
        for (const reason of ['user_requested', 'weather'] as const) {
          const refundMinor = cancellationRefundMinor(booking, reason, nowMs);
          expect(refundMinor >= 0 && refundMinor <= stillCharged).toBe(true);
        }
        expect(cancellationRefundMinor(booking, 'weather', nowMs)).toBe(stillCharged);
      }
    }),
  );
});

test('a charge after a refund is charged in full, and both are recorded', () => {
  const { chargedMinor, refundedMinor } = bookingOf([...CONFIRMED, refunded(69_000), charged(69_000)]);
  expect([chargedMinor, refundedMinor]).toEqual([276_000, 69_000]);
});

test('amounts: the discount is per guest, and the total is what remains', () => {
  const price = { unitPriceMinor: 12_050, discountMinor: 3_615, currency: 'THB' } as const;
  expect(amounts(price, 3)).toStrictEqual({ subtotalMinor: 36_150, discountMinor: 10_845, totalMinor: 25_305 });
});
