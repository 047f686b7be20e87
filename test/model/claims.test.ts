import { describe, expect, test } from 'bun:test';
import { LIFE_MUTATIONS } from './claims/life-mutations.ts';
import { LIFE } from './claims/life-scenarios.ts';
import { BOOKS_ABANDONED, MUTATIONS } from './claims/mutations.ts';
import { report } from './claims/report.ts';
import { RULES } from './claims/rules.ts';
import { RIVALS, SMALL } from './claims/scenarios.ts';
import { type Found, search } from './claims/search.ts';
import { INVARIANTS } from './claims/violation.ts';
import type { Scenario } from './claims/world.ts';

/** Far beyond what one search takes on a slow core. */
const PATIENCE_MS = 120_000;

describe('the claims of a booking, in every order in which their steps can come', () => {
  const searches = new Map<Scenario, Found>();
  const searched = (scenario: Scenario): Found => {
    let found = searches.get(scenario);
    if (found === undefined) {
      found = search(scenario, RULES);
      searches.set(scenario, found);
      process.stdout.write(report(scenario, found));
    }
    return found;
  };

  for (const scenario of [...SMALL, ...LIFE]) {
    test(
      `given ${scenario.name}, every invariant holds in every world`,
      () => expect(searched(scenario).fault).toBeNull(),
      PATIENCE_MS,
    );
  }

  test(
    'requests to book meet with every refusal, and give every answer, that there can be, and no other',
    () => {
      const seen = new Set(SMALL.flatMap((scenario) => [...searched(scenario).seen]));
      expect([...seen].sort()).toEqual([
        'CLAIM_ABANDONED',
        'CLAIM_SPENT',
        'IDEMPOTENCY_KEY_REUSED',
        'INVENTORY_EXHAUSTED',
        'booked',
        'erased',
        'exhausted',
        'key-reused',
        'stopped',
      ]);
    },
    PATIENCE_MS,
  );

  test(
    'so do requests to modify, to cancel and to hold, and a venue that answers',
    () => {
      const seen = new Set(LIFE.flatMap((scenario) => [...searched(scenario).seen]));
      expect([...seen].sort()).toEqual([
        'BOOKING_NOT_MODIFIABLE',
        'CLAIM_ABANDONED',
        'CLAIM_SPENT',
        'HOLD_EXPIRED',
        'HOLD_UNKNOWN',
        'HOLD_USED',
        'IDEMPOTENCY_KEY_REUSED',
        'INVENTORY_EXHAUSTED',
        'REVISION_CONFLICT',
        'booked',
        'erased',
        'exhausted',
        'hold-rejected',
        'modified',
        'obeyed',
        'rejected',
        'stopped',
      ]);
    },
    PATIENCE_MS,
  );
});

describe('with one piece taken out, the search finds the fault', () => {
  for (const { says, rules, from, breaks } of [...MUTATIONS, ...LIFE_MUTATIONS]) {
    for (const [index, invariant] of breaks.entries()) {
      test(
        `given that ${says}, it is not so that ${invariant}`,
        () => {
          const found = search(from, rules, [invariant]);
          if (index === 0) process.stdout.write(`Given that ${says}, in ${report(from, found)}`);
          expect(found.fault?.invariant).toBe(invariant);
        },
        PATIENCE_MS,
      );
    }
  }

  test('every invariant is broken by one of them', () => {
    const broken = new Set([...MUTATIONS, ...LIFE_MUTATIONS].flatMap(({ breaks }) => breaks));
    expect(INVARIANTS.filter((invariant) => !broken.has(invariant))).toEqual([]);
  });

  test('the shortest way to a booking without slots, were it not for the fence', () => {
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
