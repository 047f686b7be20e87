import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { addDays } from '../../../src/domain/activity/schedule.ts';
import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import { type DealSubject, policyDeal } from '../../../src/domain/allotment/deal-policy.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import type { FlashDeal } from '../../../src/domain/allotment/terms.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/eventsourcing/durations.ts';
import { A_DEAL_POLICY, aSchedule, bookingId, claimId, date } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

/** Seven in the evening in Bangkok. */
const LAST_ENTRY_MS = Date.parse('2026-12-24T12:00:00Z');
const before = (minutes: number): number => LAST_ENTRY_MS - minutes * MINUTE_MS;

const subject = (change: Partial<DealSubject> = {}): DealSubject => ({
  id: 'bkk-ocean-world-2026-12-24',
  city: 'Bangkok',
  date: date('2026-12-24'),
  capacity: 100,
  free: 100,
  lastEntryMs: LAST_ENTRY_MS,
  ...change,
});
const offered = (change: Partial<DealSubject>, nowMs: number): FlashDeal | null =>
  policyDeal(A_DEAL_POLICY, subject(change), nowMs);
const deal = (discountPercent: number, expiresAtMs: number): FlashDeal => ({
  discountPercent,
  expiresAtMs,
  by: 'policy',
});

describe('the policy offers', () => {
  test.each([
    ['nothing while a step is a ms away', {}, before(360) - 1, null],
    ['a deal from the first instant of a step, for as long as deals last', {}, before(360), deal(30, before(240))],
    ['the deepest of the steps that apply', {}, before(120), deal(50, LAST_ENTRY_MS)],
    ['the shallow one where less than the deep one’s part is free', { free: 49 }, before(120), deal(30, LAST_ENTRY_MS)],
    ['the deep one where exactly its part is free', { free: 50 }, before(120), deal(50, LAST_ENTRY_MS)],
    ['nothing where little is free', { free: 19 }, before(120), null],
    ['nothing where nothing is free', { free: 0, capacity: 0 }, before(120), null],
    ['a deal until the last entry, never beyond', {}, before(1), deal(50, LAST_ENTRY_MS)],
    ['nothing from the last entry on', {}, LAST_ENTRY_MS, null],
  ])('%s', (_, change, nowMs, expected) => {
    expect(offered(change, nowMs)).toEqual(expected);
  });

  test('nothing before the local day has started, although the last entry is near', () => {
    // Half past midnight is the last entry of a night that begins at eleven in the evening before: two days, one date.
    const midnightMs = Date.parse('2026-12-23T17:00:00Z');
    const early = { lastEntryMs: midnightMs + HOUR_MS };
    expect(offered(early, midnightMs - 1)).toBeNull();
    expect(offered(early, midnightMs)).toEqual(deal(50, midnightMs + HOUR_MS));
  });

  test('no deal beyond the day if the last entry is after midnight', () => {
    const midnightMs = Date.parse('2026-12-24T17:00:00Z');
    const late = { lastEntryMs: midnightMs + HOUR_MS };
    expect(offered(late, midnightMs - 30 * MINUTE_MS)).toEqual(deal(50, midnightMs));
    expect(offered(late, midnightMs)).toBeNull();
  });

  test('a discount of 30 to 50 percent that never falls as free slots rise or time runs out, and ends by the last entry', () => {
    const free = fc.integer({ min: 0, max: 100 });
    const minutes = fc.integer({ min: 1, max: 700 });
    fc.assert(
      fc.property(free, free, minutes, minutes, (one, other, soon, late) => {
        const percent = (slots: number, left: number) => offered({ free: slots }, before(left))?.discountPercent ?? 0;
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        const [near, far] = [Math.min(soon, late), Math.max(soon, late)];
        expect(percent(more, near)).toBeGreaterThanOrEqual(percent(less, far));
        const found = offered({ free: one }, before(soon));
        if (found === null) return;
        expect(found.discountPercent >= 30 && found.discountPercent <= 50).toBe(true);
        expect(found.expiresAtMs > before(soon) && found.expiresAtMs <= LAST_ENTRY_MS).toBe(true);
      }),
    );
  });

  test('deals to its share of activities, different ones each day', () => {
    const policy = { ...A_DEAL_POLICY, activitiesPercent: 40 };
    const ids = Array.from({ length: 1_000 }, (_, index) => `activity-${index}`);
    const partOn = (day: string) =>
      ids.filter((id) => policyDeal(policy, subject({ id: `${id}-${day}` }), before(60)) !== null);
    const [one, other] = [partOn('2026-12-24'), partOn(addDays(date('2026-12-24'), 1))];
    for (const part of [one, other]) expect(part.length > 340 && part.length < 460).toBe(true);
    const both = one.filter((id) => other.includes(id));
    expect(both.length > 100 && both.length < 220).toBe(true);
    expect(partOn('2026-12-24')).toEqual(one);
    const none = { ...policy, activitiesPercent: 0 };
    expect(ids.some((id) => policyDeal(none, subject({ id }), before(60)) !== null)).toBe(false);
  });
});

const opened: AllotmentEvent = { type: 'AllotmentOpened', data: aSchedule() };
const started = (data: FlashDeal): AllotmentEvent => ({ type: 'FlashDealStarted', data });
const ended = (because: 'expired' | 'operator'): AllotmentEvent => ({ type: 'FlashDealEnded', data: { because } });
const claimed = (size: number): AllotmentEvent => {
  const data = { claim: claimId('c'), booking: bookingId('bk_1'), size, deadlineMs: 0, pricing: null, unpaidBy: null };
  return { type: 'SlotsClaimed', data };
};
const review = (nowMs: number): AllotmentCommand => ({
  type: 'ReviewDeal',
  policy: A_DEAL_POLICY,
  lastEntryMs: LAST_ENTRY_MS,
  nowMs,
  schedule: aSchedule(),
});

describe('a review of a date', () => {
  test('starts a deal, also on an unopened date', () => {
    given(allotmentDecider, [])
      .when(review(before(360)))
      .then([opened, started(deal(30, before(240)))]);
  });

  test('does nothing if no step applies', () => {
    given(allotmentDecider, [])
      .when(review(before(361)))
      .thenNothing();
    given(allotmentDecider, [opened, claimed(10)])
      .when(review(before(60)))
      .thenNothing();
  });

  test('replaces a deal by a larger one that lasts at least as long', () => {
    given(allotmentDecider, [opened, started(deal(30, before(1)))])
      .when(review(before(120)))
      .then([started(deal(50, LAST_ENTRY_MS))]);
    given(allotmentDecider, [opened, started(deal(30, LAST_ENTRY_MS + 1))])
      .when(review(before(120)))
      .then([started(deal(50, LAST_ENTRY_MS + 1))]);
  });

  test('keeps a deal until its end, although slots have been sold since', () => {
    given(allotmentDecider, [opened, started(deal(50, before(10))), claimed(9)])
      .when(review(before(60)))
      .thenNothing();
  });

  test('records the end of a deal, and starts the next one', () => {
    const history = [opened, started(deal(30, before(240)))];
    given(allotmentDecider, history)
      .when(review(before(240) - 1))
      .thenNothing();
    given(allotmentDecider, history)
      .when(review(before(240)))
      .then([ended('expired'), started(deal(30, before(120)))]);
    given(allotmentDecider, [...history, claimed(9)])
      .when(review(before(240)))
      .then([ended('expired')]);
  });

  test.each([
    ['has ended a deal', [opened, started(deal(30, before(240))), ended('operator')], []],
    ['has started one that stands', [opened, started({ ...deal(30, before(10)), by: 'operator' })], []],
    [
      'has started one that is over',
      [opened, started({ ...deal(30, before(60)), by: 'operator' })],
      [ended('expired')],
    ],
    [
      'has started one that was over before',
      [opened, started({ ...deal(30, before(90)), by: 'operator' }), ended('expired')],
      [],
    ],
  ] as readonly (readonly [string, readonly AllotmentEvent[], readonly AllotmentEvent[]])[])(
    'starts nothing where an operator %s',
    (_, history, events) => {
      given(allotmentDecider, history)
        .when(review(before(60)))
        .then(events);
    },
  );
});
