import { describe, expect, test } from 'bun:test';
import { amounts } from '../../../src/domain/activity/pricing.ts';
import type { AllotmentCommand, SetTerms } from '../../../src/domain/allotment/commands.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import type { AllotmentEvent, DateSchedule } from '../../../src/domain/allotment/events.ts';
import { currentSchedule, freeSlots, quotePrice } from '../../../src/domain/allotment/state.ts';
import type { FlashDeal } from '../../../src/domain/allotment/terms.ts';
import { claimedBy } from '../../../src/domain/booking/workflow-step.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { A_TAKER, aSchedule, bookingId, claimId, holdId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

/** Four in the afternoon in Bangkok, on the date of the allotment. */
const NOW_MS = Date.parse('2026-12-24T09:00:00Z');
const ENDS_MS = Date.parse('2026-12-24T10:00:00Z');
const DEADLINE_MS = NOW_MS + 60_000;

const opened: AllotmentEvent = { type: 'AllotmentOpened', data: aSchedule() };
const capacitySet = (capacity: number | null): AllotmentEvent => ({ type: 'CapacitySet', data: { capacity } });
const priceSet = (unitPriceMinor: number | null): AllotmentEvent => ({ type: 'PriceSet', data: { unitPriceMinor } });
const dealStarted = (change: Partial<FlashDeal> = {}): AllotmentEvent => ({
  type: 'FlashDealStarted',
  data: { discountPercent: 40, expiresAtMs: ENDS_MS, by: 'policy', ...change },
});
const dealEnded = (because: 'expired' | 'operator'): AllotmentEvent => ({ type: 'FlashDealEnded', data: { because } });

/** The next revision of the catalogue entry: fewer slots, a higher price, no refund. */
const NEWER = aSchedule({
  catalogueRevision: 1,
  capacity: 6,
  unitPriceMinor: 120_000,
  cancellation: { freeUntilHours: 24, percentKept: 100 },
});
const followed: AllotmentEvent = {
  type: 'ScheduleFollowed',
  data: {
    capacity: NEWER.capacity,
    unitPriceMinor: NEWER.unitPriceMinor,
    cancellation: NEWER.cancellation,
    catalogueRevision: 1,
  },
};

type Asked = {
  readonly size?: number;
  readonly schedule?: DateSchedule;
  readonly nowMs?: number;
  readonly percent?: number;
  readonly expected?: number | null;
};

const claim = ({
  size = 2,
  schedule = aSchedule(),
  nowMs = NOW_MS,
  percent = 0,
  expected = null,
}: Asked = {}): AllotmentCommand => ({
  type: 'ClaimSlots',
  unpaid: null,
  claimId: claimId('c'),
  bookingId: bookingId('bk_1'),
  size,
  deadlineMs: DEADLINE_MS,
  hotelPercentOff: percent,
  expectedTotalMinor: expected,
  nowMs,
  releasesSeen: 0,
  schedule,
});
const claimed = (unitPriceMinor: number, discountMinor = 0, size = 2): AllotmentEvent => ({
  type: 'SlotsClaimed',
  data: {
    unpaidBy: null,
    claim: claimId('c'),
    booking: bookingId('bk_1'),
    size,
    deadlineMs: DEADLINE_MS,
    pricing: { unitPriceMinor, discountMinor, currency: 'THB' },
  },
});
const setTo = (change: Omit<SetTerms, 'type' | 'schedule'>, schedule = aSchedule()): AllotmentCommand => ({
  type: 'SetTerms',
  schedule,
  ...change,
});

/** Histories and requests, with the claim that follows. */
const PRICES = [
  ["the schedule's", [opened], {}, claimed(99_000)],
  ["the operator's", [opened, priceSet(80_000)], {}, claimed(80_000)],
  ["the schedule's again", [opened, priceSet(80_000), priceSet(null)], {}, claimed(99_000)],
  [
    "less the deal's discount one ms before its end",
    [opened, dealStarted()],
    { nowMs: ENDS_MS - 1 },
    claimed(99_000, 39_600),
  ],
  ['the full one at the end of the deal', [opened, dealStarted()], { nowMs: ENDS_MS }, claimed(99_000)],
  ['the full one the day before', [opened, dealStarted()], { nowMs: NOW_MS - 86_400_000 }, claimed(99_000)],
  [
    "less the deal's discount from the first ms of the day at the city",
    [opened, dealStarted()],
    { nowMs: Date.parse('2026-12-23T17:00:00Z') },
    claimed(99_000, 39_600),
  ],
  [
    'the full one in the last ms before it',
    [opened, dealStarted()],
    { nowMs: Date.parse('2026-12-23T17:00:00Z') - 1 },
    claimed(99_000),
  ],
  ["less the hotel's rate where that is more", [opened, dealStarted()], { percent: 45 }, claimed(99_000, 44_550)],
  ['less the deal where the hotel takes off less', [opened, dealStarted()], { percent: 10 }, claimed(99_000, 39_600)],
  ['less the newest deal', [opened, dealStarted(), dealStarted({ discountPercent: 50 })], {}, claimed(99_000, 49_500)],
  [
    'the full one after an operator ended the deal',
    [opened, dealStarted(), dealEnded('operator')],
    {},
    claimed(99_000),
  ],
  ["of the operator's price, the deal's part", [opened, priceSet(80_000), dealStarted()], {}, claimed(80_000, 32_000)],
] as const;

function totalOf(event: AllotmentEvent): number {
  if (event.type !== 'SlotsClaimed' || event.data.pricing === null) throw new Error('no price was claimed');
  return amounts(event.data.pricing, event.data.size).totalMinor;
}

describe('the price of a claim', () => {
  test.each(PRICES)('is %s', (_, history, asked, event) => {
    given(allotmentDecider, history).when(claim(asked)).then([event]);
  });

  test.each(PRICES)('is compared with the expected total: %s', (_, history, asked, event) => {
    const totalMinor = totalOf(event);
    given(allotmentDecider, history)
      .when(claim({ ...asked, expected: totalMinor }))
      .then([event]);
    for (const expected of [totalMinor - 1, totalMinor + 1, 0])
      given(allotmentDecider, history)
        .when(claim({ ...asked, expected }))
        .thenRejected({ code: 'PRICE_CHANGED', totalMinor });
  });

  test('of a claim that was made before is the one that a repetition must expect', () => {
    const history = [opened, dealStarted(), claimed(99_000, 39_600)];
    const later = { nowMs: ENDS_MS, schedule: NEWER };
    given(allotmentDecider, history)
      .when(claim({ ...later, expected: 118_800 }))
      .thenNothing();
    given(allotmentDecider, history)
      .when(claim({ ...later, expected: 198_000 }))
      .thenRejected({ code: 'PRICE_CHANGED', totalMinor: 118_800 });
  });

  test('stays the same when the claim is repeated later, at another price', () => {
    const later = claim({ nowMs: ENDS_MS, schedule: NEWER });
    given(allotmentDecider, [opened, dealStarted(), claimed(99_000, 39_600)])
      .when(later)
      .thenNothing();
  });

  test('is returned to a command that adopts the claim later, at another price', () => {
    const allotment = fold(allotmentDecider, [opened, dealStarted(), claimed(99_000, 39_600), followed]);
    if (allotment.status !== 'open') expect.unreachable();
    expect(claimedBy(allotment, claim({ nowMs: ENDS_MS, schedule: NEWER }))).toEqual({
      kind: 'claimed',
      pricing: { unitPriceMinor: 99_000, discountMinor: 39_600, currency: 'THB' },
      cancellation: NEWER.cancellation,
    });
  });

  test('of a claim of an old release is the price of the date less the hotel’s rate', () => {
    const old = claimed(0);
    if (old.type !== 'SlotsClaimed') expect.unreachable();
    const allotment = fold(allotmentDecider, [opened, { type: 'SlotsClaimed', data: { ...old.data, pricing: null } }]);
    if (allotment.status !== 'open') expect.unreachable();
    expect(claimedBy(allotment, claim({ percent: 10 }))).toMatchObject({
      pricing: { unitPriceMinor: 99_000, discountMinor: 9_900, currency: 'THB' },
    });
  });

  test('of a claim from a hold is the price of the hold, whatever has changed since', () => {
    const pricing = { unitPriceMinor: 99_000, discountMinor: 39_600, currency: 'THB' } as const;
    const slots = { size: 2, expiresAtMs: ENDS_MS + 1 };
    const hold = { type: 'HoldSlots', holder: A_TAKER, holdId: holdId('h'), ...slots } as const;
    const held: AllotmentEvent = {
      type: 'SlotsHeld',
      data: { hold: holdId('h'), ...slots, pricing, holder: { keyId: A_TAKER.keyId, atMs: NOW_MS } },
    };
    given(allotmentDecider, [opened, dealStarted()])
      .when({ ...hold, hotelPercentOff: 0, nowMs: NOW_MS, releasesSeen: 0, schedule: aSchedule() })
      .then([held]);
    const ids = { hold: holdId('h'), claim: claimId('c'), booking: bookingId('bk_1'), unpaidBy: null };
    const taken: AllotmentEvent = { type: 'HoldTaken', data: { ...ids, size: 2, deadlineMs: DEADLINE_MS } };
    const after = fold(allotmentDecider, [opened, dealStarted(), held, priceSet(120_000), dealEnded('expired'), taken]);
    expect(after.status === 'open' && after.claims.get('c')?.pricing).toEqual(pricing);
  });
});

describe('a schedule that has changed since the date was opened', () => {
  test('is stored before the next event of the date', () => {
    given(allotmentDecider, [opened])
      .when(claim({ schedule: NEWER }))
      .then([followed, claimed(120_000)]);
  });

  test('is stored once, and an older one of a node that is behind is never stored', () => {
    given(allotmentDecider, [opened, followed])
      .when(claim({ schedule: NEWER }))
      .then([claimed(120_000)]);
    given(allotmentDecider, [opened, followed])
      .when(claim())
      .then([claimed(120_000)]);
  });

  test('applies to a refusal too, which writes nothing', () => {
    given(allotmentDecider, [opened, claimed(99_000, 0, 7)])
      .when({ ...claim({ schedule: NEWER }), claimId: claimId('d') } as AllotmentCommand)
      .thenRejected({ code: 'INVENTORY_EXHAUSTED', free: 0 });
  });

  test('keeps the settings of an operator', () => {
    given(allotmentDecider, [opened, priceSet(80_000), capacitySet(12)])
      .when(claim({ size: 12, schedule: NEWER }))
      .then([followed, claimed(80_000, 0, 12)]);
  });

  test('applies to queries', () => {
    const known = fold(allotmentDecider, [opened, claimed(99_000, 0, 2)]);
    const asked = { hotelPercentOff: 0, nowMs: NOW_MS };
    expect(quotePrice(known, NEWER, asked)).toEqual({ unitPriceMinor: 120_000, discountMinor: 0, currency: 'THB' });
    expect(freeSlots(known, NEWER)).toBe(4);
    expect(currentSchedule(known, NEWER)).toEqual(NEWER);
    const since = fold(allotmentDecider, [opened, followed, claimed(99_000, 0, 2)]);
    expect(quotePrice(since, aSchedule(), asked).unitPriceMinor).toBe(120_000);
    expect(freeSlots(since, aSchedule())).toBe(4);
    expect(currentSchedule(since, aSchedule())).toEqual(NEWER);
  });
});

describe('an operator', () => {
  test('opens a date with its settings, in the order capacity, price, deal', () => {
    const deal = { discountPercent: 30, expiresAtMs: ENDS_MS };
    given(allotmentDecider, [])
      .when(setTo({ capacity: 4, unitPriceMinor: 80_000, deal }))
      .then([opened, capacitySet(4), priceSet(80_000), dealStarted({ discountPercent: 30, by: 'operator' })]);
  });

  test.each([
    ['nothing', {}],
    ['what is so already', { capacity: 4, unitPriceMinor: 80_000 }],
    ['back to the schedule, where nothing was set', { deal: null }],
  ])('who says %s changes nothing', (_, change) => {
    given(allotmentDecider, [opened, capacitySet(4), priceSet(80_000), dealEnded('operator')])
      .when(setTo(change, NEWER))
      .thenNothing();
  });

  test('can withdraw a setting, and the schedule applies again', () => {
    given(allotmentDecider, [opened, capacitySet(4), priceSet(80_000)])
      .when(setTo({ capacity: null, unitPriceMinor: null }, NEWER))
      .then([followed, capacitySet(null), priceSet(null)]);
  });

  test('cannot set a capacity below the taken slots, and gets their number', () => {
    const history = [opened, claimed(99_000, 0, 5)];
    given(allotmentDecider, history)
      .when(setTo({ capacity: 4 }))
      .thenRejected({ code: 'CAPACITY_TAKEN', taken: 5, held: 0 });
    given(allotmentDecider, history)
      .when(setTo({ capacity: 5 }))
      .then([capacitySet(5)]);
  });

  test('can return to a schedule with fewer slots than guests: bookings stay, and nothing more is sold', () => {
    const history = [opened, capacitySet(20), claimed(99_000, 0, 12)];
    given(allotmentDecider, history)
      .when(setTo({ capacity: null }))
      .then([capacitySet(null)]);
    expect(freeSlots(fold(allotmentDecider, [...history, capacitySet(null)]), aSchedule())).toBe(0);
  });

  test('ends a deal of the policy, or forbids one in advance', () => {
    given(allotmentDecider, [opened, dealStarted()])
      .when(setTo({ deal: null }))
      .then([dealEnded('operator')]);
    given(allotmentDecider, [])
      .when(setTo({ deal: null }))
      .then([opened, dealEnded('operator')]);
  });

  test('replaces a deal', () => {
    const deal = { discountPercent: 30, expiresAtMs: ENDS_MS };
    given(allotmentDecider, [opened, dealStarted()])
      .when(setTo({ deal }))
      .then([dealStarted({ discountPercent: 30, by: 'operator' })]);
  });
});
