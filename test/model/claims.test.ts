import { describe, expect, test } from 'bun:test';
import { FORGETTING_MUTATIONS } from './claims/forgetting-mutations.ts';
import { LIFE_MUTATIONS } from './claims/life-mutations.ts';
import { LIFE, REMEMBERED_LIFE } from './claims/life-scenarios.ts';
import { BOOKS_ABANDONED, MUTATIONS } from './claims/mutations.ts';
import { report } from './claims/report.ts';
import { FORGETFUL, RULES, type Rules } from './claims/rules.ts';
import { REMEMBERED, RIVALS, SMALL } from './claims/scenarios.ts';
import { type Found, search } from './claims/search.ts';
import { UNPAID_MUTATIONS } from './claims/unpaid-mutations.ts';
import { INVARIANTS } from './claims/violation.ts';
import type { Scenario } from './claims/world.ts';

/** Far above the duration of one search on a slow core. */
const TIMEOUT_MS = 120_000;
const ALL_MUTATIONS = [...MUTATIONS, ...LIFE_MUTATIONS, ...FORGETTING_MUTATIONS, ...UNPAID_MUTATIONS];

describe('the claims of a booking, in every order of their steps', () => {
  const searches = new Map<Rules, Map<Scenario, Found>>([FORGETFUL, RULES].map((rules) => [rules, new Map()]));
  const searched = (scenario: Scenario, rules: Rules): Found => {
    let found = searches.get(rules)?.get(scenario);
    if (found === undefined) {
      found = search(scenario, rules);
      searches.get(rules)?.set(scenario, found);
      process.stdout.write(report(scenario, found));
    }
    return found;
  };
  const seenIn = (scenarios: readonly Scenario[], rules: Rules) =>
    [...new Set(scenarios.flatMap((scenario) => [...searched(scenario, rules).seen]))].sort();

  for (const scenario of [...SMALL, ...LIFE]) {
    test(
      `given ${scenario.name}, every invariant holds in every world`,
      () => expect(searched(scenario, FORGETFUL).fault).toBeNull(),
      TIMEOUT_MS,
    );
  }

  for (const scenario of [...REMEMBERED, ...REMEMBERED_LIFE]) {
    test(
      `given ${scenario.name}, and an allotment that still knows each released id, every invariant holds in every world`,
      () => expect(searched(scenario, RULES).fault).toBeNull(),
      TIMEOUT_MS,
    );
  }

  test(
    'booking requests receive every possible rejection and outcome, and no other',
    () => {
      expect(seenIn(SMALL, FORGETFUL)).toEqual([
        'CLAIM_ABANDONED',
        'IDEMPOTENCY_KEY_REUSED',
        'ID_FORGOTTEN',
        'INVENTORY_EXHAUSTED',
        'PRICE_CHANGED',
        'accepted',
        'booked',
        'erased',
        'exhausted',
        'key-reused',
        'price-changed',
        'stopped',
      ]);
    },
    TIMEOUT_MS,
  );

  test(
    'so do modifications, cancellations, holds and answers of the venue',
    () => {
      expect(seenIn(LIFE, FORGETFUL)).toEqual([
        'BOOKING_NOT_FOUND',
        'BOOKING_NOT_MODIFIABLE',
        'CLAIM_ABANDONED',
        'HOLD_EXPIRED',
        'HOLD_UNKNOWN',
        'HOLD_USED',
        'IDEMPOTENCY_KEY_REUSED',
        'ID_FORGOTTEN',
        'INVENTORY_EXHAUSTED',
        'REVISION_CONFLICT',
        'UNPAID_SHARE',
        'accepted',
        'booked',
        'erased',
        'exhausted',
        'hold-rejected',
        'modified',
        'over-share',
        'rejected',
        'stopped',
      ]);
    },
    TIMEOUT_MS,
  );

  test(
    'an allotment that still knows a released id refuses it',
    () => expect(seenIn(REMEMBERED, RULES)).toContain('CLAIM_SPENT'),
    TIMEOUT_MS,
  );
});

describe('with one piece of the protocol removed, the search finds the fault', () => {
  for (const { name, rules, scenario, breaks } of ALL_MUTATIONS) {
    for (const [index, invariant] of breaks.entries()) {
      test(
        `given that ${name}, it finds a violation of "${invariant}"`,
        () => {
          const found = search(scenario, rules, [invariant]);
          if (index === 0) process.stdout.write(`Given that ${name}, in ${report(scenario, found)}`);
          expect(found.fault?.invariant).toBe(invariant);
        },
        TIMEOUT_MS,
      );
    }
  }

  test('every invariant is broken by one of them', () => {
    const broken = new Set(ALL_MUTATIONS.flatMap(({ breaks }) => breaks));
    expect(INVARIANTS.filter((invariant) => !broken.has(invariant))).toEqual([]);
  });

  test('without the fence, the shortest path to a booking without slots', () => {
    expect(search(RIVALS, BOOKS_ABANDONED, ['a booking holds its claims']).fault?.steps).toEqual([
      'P1 (ann+0@mon) reads booking X: none, 0 claims abandoned',
      'P1 reads allotment rafting-mon at revision -1 and decides AllotmentOpened, SlotsClaimed',
      'P1 appends AllotmentOpened, SlotsClaimed X(book ann+0@mon: 1@rafting-mon)#0 to allotment rafting-mon',
      'P1 reads guest X(book ann+0@mon: 1@rafting-mon)#0 at revision -1 and decides GuestRecorded',
      'P1 appends GuestRecorded to guest X(book ann+0@mon: 1@rafting-mon)#0',
      'the deadline of all claims passes',
      'a reaper that has seen 2 of 2 events reads booking X at revision -1 and decides ClaimAbandoned',
      'a reaper appends ClaimAbandoned X(book ann+0@mon: 1@rafting-mon)#0 to booking X',
      'P1 reads booking X at revision 0 and decides BookingConfirmed, ChargeRecorded, VoucherIssued',
      'P1 appends BookingConfirmed with X(book ann+0@mon: 1@rafting-mon)#0, ChargeRecorded, VoucherIssued to booking X and answers booked',
      'a reaper that has seen 3 of 6 events reads allotment rafting-mon at revision 1 and decides SlotsReleased',
      'a reaper appends SlotsReleased X(book ann+0@mon: 1@rafting-mon)#0 to allotment rafting-mon',
    ]);
  });
});
