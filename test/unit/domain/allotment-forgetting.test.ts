import { describe, expect, test } from 'bun:test';
import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import { KEPT_RELEASES } from '../../../src/domain/allotment/state.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { A_TAKER, aSchedule, bookingId, claimId, holdId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const ENDS_MS = Date.parse('2026-11-21T03:10:00Z');
const PRICE = { unitPriceMinor: 99_000, discountMinor: 0, currency: 'THB' } as const;

const opened: AllotmentEvent = { type: 'AllotmentOpened', data: aSchedule() };
const claimed = (id: string): AllotmentEvent => ({
  type: 'SlotsClaimed',
  data: {
    unpaidBy: null,
    claim: claimId(id),
    booking: bookingId('bk_1'),
    size: 2,
    deadlineMs: ENDS_MS,
    pricing: PRICE,
  },
});
const held = (id: string): AllotmentEvent => ({
  type: 'SlotsHeld',
  data: { holder: null, hold: holdId(id), size: 2, expiresAtMs: ENDS_MS, pricing: PRICE },
});
const taken = (hold: string, claim: string): AllotmentEvent => ({
  type: 'HoldTaken',
  data: {
    unpaidBy: null,
    hold: holdId(hold),
    claim: claimId(claim),
    booking: bookingId('bk_1'),
    size: 2,
    deadlineMs: ENDS_MS,
  },
});
const released = (id: string): AllotmentEvent => ({ type: 'SlotsReleased', data: { claim: claimId(id), size: 2 } });
/** Holds that are made and released one after the other. */
const churn = (count: number): readonly AllotmentEvent[] =>
  Array.from({ length: count }, (_, index) => [held(`h${index}`), released(`h${index}`)]).flat();

const claim = (id: string, releasesSeen: number): AllotmentCommand => ({
  type: 'ClaimSlots',
  unpaid: null,
  claimId: claimId(id),
  bookingId: bookingId('bk_1'),
  size: 2,
  deadlineMs: ENDS_MS,
  schedule: aSchedule(),
  hotelPercentOff: 0,
  expectedTotalMinor: null,
  nowMs: ENDS_MS - 1,
  releasesSeen,
});
const hold = (id: string, releasesSeen: number): AllotmentCommand => ({
  type: 'HoldSlots',
  holder: A_TAKER,
  holdId: holdId(id),
  size: 2,
  expiresAtMs: ENDS_MS,
  schedule: aSchedule(),
  hotelPercentOff: 0,
  nowMs: ENDS_MS - 1,
  releasesSeen,
});
const take = (from: string, as: string, releasesSeen: number, booking = 'bk_1'): AllotmentCommand => ({
  type: 'TakeHold',
  unpaid: null,
  holdId: holdId(from),
  claimId: claimId(as),
  bookingId: bookingId(booking),
  size: 2,
  deadlineMs: ENDS_MS,
  expectedTotalMinor: null,
  nowMs: ENDS_MS - 1,
  releasesSeen,
});

test('after 80,000 events of holds and releases an allotment knows its claims, and as many releases as it keeps', () => {
  const before = [opened, claimed('c'), held('used'), taken('used', 'd'), held('open')];
  const allotment = fold(allotmentDecider, [...before, ...churn(40_000)]);
  if (allotment.status === 'unopened') expect.unreachable();
  const { claims, holds, lastReleased, releases, taken: slots, held: inHolds } = allotment;
  expect([claims.size, holds.size, lastReleased.length]).toEqual([2, 2 + KEPT_RELEASES, KEPT_RELEASES]);
  expect([releases, slots, inHolds]).toEqual([40_000, 6, 2]);
});

describe('the id of a released claim', () => {
  const history = [opened, claimed('c'), released('c')];

  test('is refused as spent while the allotment knows it, and as forgotten after one more release', () => {
    given(allotmentDecider, [...history, ...churn(KEPT_RELEASES - 1)])
      .when(claim('c', 0))
      .thenRejected({ code: 'CLAIM_SPENT' });
    given(allotmentDecider, [...history, ...churn(KEPT_RELEASES)])
      .when(claim('c', 0))
      .thenRejected({ code: 'ID_FORGOTTEN', releases: KEPT_RELEASES + 1 });
  });

  test('is forgotten for every command that may have been sent before its release', () => {
    const [forgotten, newer] = [20, 7];
    const events = [
      opened,
      ...churn(forgotten - 1),
      claimed('c'),
      released('c'),
      ...churn(KEPT_RELEASES),
      ...churn(newer),
    ];
    const refused = { code: 'ID_FORGOTTEN', releases: forgotten + KEPT_RELEASES + newer } as const;
    for (const seen of [0, forgotten - 1, forgotten + newer - 1])
      given(allotmentDecider, events).when(claim('c', seen)).thenRejected(refused);
  });

  test('is no reason to refuse another claim that has seen its release', () => {
    for (const seen of [1, 1 + KEPT_RELEASES])
      given(allotmentDecider, [...history, ...churn(KEPT_RELEASES)])
        .when(claim('d', seen))
        .then([claimed('d')]);
  });

  test.each<[string, AllotmentCommand]>([
    ['release', { type: 'ReleaseSlots', claimId: claimId('c') }],
    ['shrink', { type: 'ShrinkClaim', claimId: claimId('c'), left: 1, version: 9 }],
  ])('lets a late %s of it change nothing', (_, command) => {
    given(allotmentDecider, [...history, ...churn(KEPT_RELEASES)])
      .when(command)
      .thenNothing();
  });
});

test('a claim with slots is adopted by a command that has seen no release', () => {
  given(allotmentDecider, [opened, claimed('c'), ...churn(KEPT_RELEASES + 1)])
    .when(claim('c', 0))
    .thenNothing();
});

describe('a hold', () => {
  test('that is open is known after any number of releases', () => {
    const events = [opened, held('h'), ...churn(KEPT_RELEASES + 1)];
    given(allotmentDecider, events).when(hold('h', 0)).thenNothing();
    given(allotmentDecider, events)
      .when(take('h', 'c', 1))
      .then([taken('h', 'c')]);
  });

  test('that a claim with slots took is known too', () => {
    const events = [opened, held('h'), taken('h', 'c'), ...churn(KEPT_RELEASES + 1)];
    given(allotmentDecider, events).when(hold('h', 0)).thenNothing();
    given(allotmentDecider, events)
      .when(take('h', 'c', 0))
      .thenNothing();
    given(allotmentDecider, events)
      .when(take('h', 'd', 1, 'bk_2'))
      .thenRejected({ code: 'HOLD_USED' });
  });

  test('that was used is forgotten with its claim', () => {
    const events = [opened, held('h'), taken('h', 'c'), released('c'), ...churn(KEPT_RELEASES)];
    given(allotmentDecider, events)
      .when(hold('h', 0))
      .thenRejected({ code: 'ID_FORGOTTEN', releases: KEPT_RELEASES + 1 });
    given(allotmentDecider, events)
      .when(take('h', 'd', 1))
      .thenRejected({ code: 'HOLD_UNKNOWN' });
  });

  test('that was released is forgotten after as many releases as the allotment keeps, and never held again', () => {
    const events = [opened, held('h'), released('h'), ...churn(KEPT_RELEASES - 1)];
    given(allotmentDecider, events).when(hold('h', 0)).thenNothing();
    const later = [...events, held('i'), released('i')];
    given(allotmentDecider, later)
      .when(hold('h', 0))
      .thenRejected({ code: 'ID_FORGOTTEN', releases: KEPT_RELEASES + 1 });
    given(allotmentDecider, later)
      .when({ type: 'ReleaseHold', holdId: holdId('h') })
      .thenRejected({ code: 'HOLD_UNKNOWN' });
  });

  test('is taken again by the same booking at its price while the allotment knows it', () => {
    const events = [opened, held('h'), taken('h', 'c'), released('c'), ...churn(KEPT_RELEASES - 1)];
    given(allotmentDecider, events)
      .when(take('h', 'd', 0))
      .then([claimed('d')]);
  });
});
