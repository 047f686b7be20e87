import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import {
  type ReapClaimsCommand,
  type ReapClaimsState,
  reapClaims,
} from '../../../src/processes/reap-claims/process-manager.ts';
import { allotment, aSchedule, bookingId, claimId, confirmation } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';

const PLACE = allotment('bkk-ocean-world-2026-12-24');
const DEADLINE_MS = Date.parse('2026-11-21T03:01:00Z');

type Seen = Recorded<AllotmentEvent | BookingEvent>;

/** The log of one test: events of claims `1`, `2`, … of bookings `bk_1`, `bk_2`, …, all on one date. */
function happenings() {
  const recorded = recorder();
  const inAllotment = (event: AllotmentEvent): Seen => recorded(`allotment-${PLACE}`, event);
  const inBooking = (claim: number, event: BookingEvent): Seen => recorded(`booking-bk_${claim}`, event);
  const id = (claim: number) => claimId(`claim_${claim}`);
  return {
    opened: () => inAllotment({ type: 'AllotmentOpened', data: aSchedule() }),
    claimed: (claim: number, deadlineMs = DEADLINE_MS) =>
      inAllotment({
        type: 'SlotsClaimed',
        data: {
          unpaidBy: null,
          claim: id(claim),
          booking: bookingId(`bk_${claim}`),
          size: 3,
          deadlineMs,
          pricing: null,
        },
      }),
    released: (claim: number) => inAllotment({ type: 'SlotsReleased', data: { claim: id(claim), size: 3 } }),
    confirmed: (claim: number) =>
      inBooking(claim, confirmation({ claims: [{ allotment: PLACE, id: id(claim), size: 3 }] })),
    abandoned: (claim: number) =>
      inBooking(claim, { type: 'ClaimAbandoned', data: { claim: id(claim), allotment: PLACE } }),
  };
}

function foldAll(events: readonly Seen[]): ReapClaimsState {
  return events.reduce((state, event) => reapClaims.react(state, event), reapClaims.initial);
}

function dueOf(state: ReapClaimsState): readonly ReapClaimsCommand[] {
  return reapClaims.due(state, DEADLINE_MS, roomFor(100));
}

const abandon = (claim: number): ReapClaimsCommand => ({
  type: 'AbandonClaim',
  bookingId: bookingId(`bk_${claim}`),
  claimId: claimId(`claim_${claim}`),
  allotmentId: PLACE,
});
const release = (claim: number): ReapClaimsCommand => ({
  type: 'ReleaseSlots',
  allotmentId: PLACE,
  claimId: claimId(`claim_${claim}`),
});
const erase = (claim: number): ReapClaimsCommand => ({ type: 'EraseGuest', claimId: claimId(`claim_${claim}`) });

describe('a claim that no booking names', () => {
  test('is left alone an instant before its deadline, and abandoned at it', () => {
    const { opened, claimed } = happenings();
    givenEvents(reapClaims, opened(), claimed(1))
      .thenDue(DEADLINE_MS - 1, [])
      .thenDue(DEADLINE_MS, [abandon(1)]);
  });

  test('gets AbandonClaim until ClaimAbandoned is stored', () => {
    const { opened, claimed } = happenings();
    givenEvents(reapClaims, opened(), claimed(1)).thenDue(DEADLINE_MS, [abandon(1)]);
  });

  test('and that the booking had abandoned before it was made is released', () => {
    const { opened, claimed, abandoned } = happenings();
    givenEvents(reapClaims, opened(), abandoned(1), claimed(1))
      .thenDue(DEADLINE_MS, [abandon(1)])
      .whenDone(abandon(1))
      .thenDue(DEADLINE_MS, [release(1), erase(1)]);
  });

  test('has its slots released and its guest erased only after ClaimAbandoned is stored', () => {
    const { opened, claimed, abandoned } = happenings();
    givenEvents(reapClaims, opened(), claimed(1), abandoned(1)).thenDue(DEADLINE_MS, [release(1), erase(1)]);
  });

  test('abandoned before its deadline by another node is released at once', () => {
    const { opened, claimed, abandoned } = happenings();
    givenEvents(reapClaims, opened(), claimed(1), abandoned(1)).thenDue(DEADLINE_MS - 1, [release(1), erase(1)]);
  });

  test('once released still needs the erasure of its guest', () => {
    const { opened, claimed, abandoned, released } = happenings();
    givenEvents(reapClaims, opened(), claimed(1), abandoned(1), released(1))
      .thenDue(DEADLINE_MS, [erase(1)])
      .whenDone(erase(1))
      .thenDue(DEADLINE_MS, [])
      .thenOldestOpen(null);
  });

  test('once its guest is erased still needs the release of its slots', () => {
    const { opened, claimed, abandoned } = happenings();
    givenEvents(reapClaims, opened(), claimed(1), abandoned(1))
      .whenDone(erase(1))
      .thenDue(DEADLINE_MS, [release(1)])
      .thenOldestOpen(positionAt(2));
  });

  test('that was released without an abandonment still gets AbandonClaim', () => {
    const { opened, claimed, released } = happenings();
    givenEvents(reapClaims, opened(), claimed(1), released(1)).thenDue(DEADLINE_MS, [abandon(1)]);
  });
});

describe('a claim that its booking names', () => {
  test('needs no command', () => {
    const { opened, claimed, confirmed } = happenings();
    givenEvents(reapClaims, opened(), claimed(1), confirmed(1)).thenDue(DEADLINE_MS, []).thenOldestOpen(null);
  });

  test('leaves an earlier claim of the same booking to be released', () => {
    const { opened, claimed, abandoned, confirmed } = happenings();
    givenEvents(reapClaims, opened(), claimed(1), abandoned(1), claimed(2), confirmed(2)).thenDue(DEADLINE_MS, [
      release(1),
      erase(1),
    ]);
  });
});

describe('many open claims', () => {
  test('are due oldest first', () => {
    const { opened, claimed } = happenings();
    const claims = Array.from({ length: 20 }, (_, index) => index);
    givenEvents(reapClaims, opened(), ...claims.map((claim) => claimed(claim))).thenDue(
      DEADLINE_MS,
      claims.map(abandon),
    );
  });

  test('are due when their own deadline has come', () => {
    const { opened, claimed } = happenings();
    givenEvents(reapClaims, opened(), claimed(1, DEADLINE_MS + 1), claimed(2)).thenDue(DEADLINE_MS, [abandon(2)]);
  });

  test.each([1, 2, 3])('give no more commands than asked for: %p of 4', (limit) => {
    const { opened, claimed, abandoned } = happenings();
    const events = [opened(), claimed(1), claimed(2), abandoned(1), abandoned(2)];
    const owed = [release(1), erase(1), release(2), erase(2)];
    givenEvents(reapClaims, ...events).thenDue(DEADLINE_MS, owed.slice(0, limit), limit);
  });
});

describe('the oldest event still needed', () => {
  test('is none in an empty log', () => {
    givenEvents(reapClaims).thenOldestOpen(null);
  });

  test('is the claim that has been open for longest, not the one due first', () => {
    const { opened, claimed, confirmed } = happenings();
    givenEvents(
      reapClaims,
      opened(),
      claimed(1),
      claimed(2, DEADLINE_MS + 60_000),
      claimed(3),
      confirmed(1),
    ).thenOldestOpen(positionAt(3));
  });

  test('is a sufficient checkpoint: the same commands are due', () => {
    const claims = fc.integer({ min: 0, max: 5 });
    const steps = fc.array(fc.tuple(fc.constantFrom('claimed', 'released', 'confirmed', 'abandoned'), claims));
    fc.assert(
      fc.property(steps, (history) => {
        const log = happenings();
        // Each claim is made once; what comes before its making cannot have happened.
        const made = new Set<number>();
        const events = history.flatMap(([what, claim]) => {
          if ((what === 'claimed') === made.has(claim)) return [];
          made.add(claim);
          return [log[what](claim)];
        });
        const state = foldAll(events);
        const oldest = reapClaims.oldestOpen(state);
        const again = foldAll(events.filter((event) => oldest !== null && event.position >= oldest));
        expect(dueOf(again)).toStrictEqual(dueOf(state));
      }),
    );
  });
});
