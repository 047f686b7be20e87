import { describe, expect, test } from 'bun:test';
import type { AllotmentCommand } from '../../../src/domain/allotment/commands.ts';
import { allotmentDecider } from '../../../src/domain/allotment/decider.ts';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import { KEPT_LAST_HOLDS } from '../../../src/domain/allotment/state.ts';
import { placesIn } from '../../../src/domain/exposure/exposure.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { aSchedule, bookingId, claimId, holdId, keyId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const NOW_MS = Date.parse('2026-11-21T03:00:00Z');
const ENDS_MS = NOW_MS + 600_000;
const pricing = { unitPriceMinor: 99_000, discountMinor: 0, currency: 'THB' } as const;
/** 20 places, of which the key may take 5. */
const schedule = aSchedule({ capacity: 20 });
const KEY = keyId('key_1');
const TAKER = { keyId: KEY, share: 0.25 };

const opened: AllotmentEvent = { type: 'AllotmentOpened', data: schedule };
const held = (id: string, size: number, by = KEY, endsMs = ENDS_MS): AllotmentEvent => ({
  type: 'SlotsHeld',
  data: { hold: holdId(id), size, expiresAtMs: endsMs, pricing, holder: { keyId: by, atMs: NOW_MS } },
});
const claimed = (id: string, size: number): AllotmentEvent => ({
  type: 'SlotsClaimed',
  data: { claim: claimId(id), booking: bookingId('bk_1'), size, deadlineMs: ENDS_MS, pricing, unpaidBy: KEY },
});
const claim = (size: number, nowMs = NOW_MS): AllotmentCommand => ({
  type: 'ClaimSlots',
  claimId: claimId('new'),
  bookingId: bookingId('bk_2'),
  size,
  deadlineMs: ENDS_MS,
  schedule,
  hotelPercentOff: 0,
  expectedTotalMinor: null,
  nowMs,
  releasesSeen: 0,
  unpaid: TAKER,
});
const over = (used: number, wanted: number, easesAtMs: number | null) =>
  ({ code: 'UNPAID_SHARE', used, wanted, bound: 5, easesAtMs }) as const;

describe('the unpaid places of a key', () => {
  test('are those of its holds and of its bookings that wait for the venue', () => {
    given(allotmentDecider, [opened, held('h', 2), claimed('c', 2)])
      .when(claim(2))
      .thenRejected(over(4, 2, ENDS_MS));
    given(allotmentDecider, [opened, claimed('c', 4)])
      .when(claim(2))
      .thenRejected(over(4, 2, null));
  });

  test('of other keys, and of a key without a limit, do not count', () => {
    const state = fold(allotmentDecider, [opened, held('h', 5, keyId('key_2'))]);
    expect(allotmentDecider.decide(claim(5), state).kind).toBe('accepted');
    const unlimited = { ...claim(15), unpaid: { keyId: KEY, share: null } } as AllotmentCommand;
    expect(allotmentDecider.decide(unlimited, state).kind).toBe('accepted');
  });

  test.each<[string, AllotmentEvent]>([
    ['released', { type: 'SlotsReleased', data: { claim: claimId('c'), size: 5 } }],
    ['paid', { type: 'ClaimPaid', data: { claim: claimId('c') } }],
  ])('no longer count when they are %s', (_, event) => {
    const state = fold(allotmentDecider, [opened, claimed('c', 5), event]);
    expect(allotmentDecider.decide(claim(5), state).kind).toBe('accepted');
  });

  test('fall with a booking that becomes smaller, and with a hold that a paid booking uses', () => {
    const shrunk: AllotmentEvent = {
      type: 'ClaimShrunk',
      data: { claim: claimId('c'), left: 1, size: 4, version: 2 },
    };
    const used: AllotmentEvent = {
      type: 'HoldTaken',
      data: {
        hold: holdId('h'),
        claim: claimId('d'),
        booking: bookingId('bk_1'),
        size: 5,
        deadlineMs: ENDS_MS,
        unpaidBy: null,
      },
    };
    for (const events of [
      [claimed('c', 5), shrunk],
      [held('h', 5), used],
    ]) {
      const state = fold(allotmentDecider, [opened, ...events]);
      expect(allotmentDecider.decide(claim(4), state).kind).toBe('accepted');
    }
  });

  test('of an expired hold do not count, even before its release', () => {
    const state = fold(allotmentDecider, [opened, held('h', 5)]);
    expect(allotmentDecider.decide(claim(5, ENDS_MS - 1), state).kind).toBe('rejected');
    expect(allotmentDecider.decide(claim(5, ENDS_MS), state).kind).toBe('accepted');
  });

  test('may be four at least, and a share is exact', () => {
    expect([placesIn(0, 30), placesIn(0.25, 12), placesIn(0.29, 100), placesIn(0.5, 11), placesIn(1, 60)]).toEqual([
      4, 4, 29, 5, 60,
    ]);
  });
});

test('an allotment remembers the newest hold of at most 512 keys, and forgets it after a day', () => {
  const holds = Array.from({ length: KEPT_LAST_HOLDS + 50 }, (_, n): readonly AllotmentEvent[] => [
    held(`h${n}`, 1, keyId(`key_${n}`), ENDS_MS + n),
    { type: 'SlotsReleased', data: { claim: holdId(`h${n}`), size: 1 } },
  ]).flat();
  const state = fold(allotmentDecider, [opened, ...holds]);
  if (state.status !== 'open') expect.unreachable();
  expect([state.lastHolds.size, state.unpaid.size]).toEqual([KEPT_LAST_HOLDS, 0]);
  const later: AllotmentEvent = {
    type: 'SlotsHeld',
    data: {
      hold: holdId('later'),
      size: 1,
      expiresAtMs: ENDS_MS,
      pricing,
      holder: { keyId: KEY, atMs: NOW_MS + 86_400_000 },
    },
  };
  const after = allotmentDecider.evolve(state, later);
  if (after.status !== 'open') expect.unreachable();
  expect(after.lastHolds.size).toBe(1);
});
