import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import type { BookingEvent, EventData } from '../../../src/domain/booking/events.ts';
import type { ClaimRef } from '../../../src/domain/booking/facts.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import {
  type ReapClaimsCommand,
  reapClaims,
  reapClaimsKey,
} from '../../../src/processes/reap-claims/process-manager.ts';
import { cancelled, modified, PLACED, REJECTED } from '../../support/booking-life.ts';
import { erase, eraseFor } from '../../support/erasures.ts';
import {
  allotment,
  aSchedule,
  bookingFacts,
  bookingId,
  claimId,
  confirmation,
  holdId,
} from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';

const PLACE = allotment('bkk-ocean-world-2026-12-24');
const OTHER_PLACE = allotment('bkk-ocean-world-2026-12-26');
const DEADLINE_MS = Date.parse('2026-11-21T03:01:00Z');
const claim = (id: number, size: number, at = PLACE): ClaimRef => ({ allotment: at, id: claimId(`claim_${id}`), size });

type Seen = Recorded<AllotmentEvent | BookingEvent>;

/** The log of one test, of one booking and what it takes. */
function happenings() {
  const recorded = recorder();
  const inAllotment = (event: AllotmentEvent, at = PLACE): Seen => recorded(`allotment-${at}`, event);
  const inBooking = (event: BookingEvent): Seen => recorded('booking-bk_1', event);
  const change = (data: Partial<EventData<'BookingModified'>>) => inBooking(modified({ changes: {}, ...data }));
  return {
    opened: () => inAllotment({ type: 'AllotmentOpened', data: aSchedule() }),
    claimed: ({ id, size, allotment: at }: ClaimRef) => {
      const data = { claim: id, booking: bookingId('bk_1'), size, deadlineMs: DEADLINE_MS };
      return inAllotment({ type: 'SlotsClaimed', data: { ...data, pricing: null, unpaidBy: null } }, at);
    },
    held: () => {
      const pricing = { unitPriceMinor: 1, discountMinor: 0, currency: 'THB' } as const;
      return inAllotment({
        type: 'SlotsHeld',
        data: { holder: null, hold: holdId('h'), size: 3, expiresAtMs: DEADLINE_MS, pricing },
      });
    },
    taken: () => {
      const data = { booking: bookingId('bk_1'), size: 3, deadlineMs: DEADLINE_MS + 60_000 };
      const ids = { hold: holdId('h'), claim: claimId('claim_1') };
      return inAllotment({ type: 'HoldTaken', data: { ...ids, ...data, unpaidBy: null } });
    },
    letGo: () => inAllotment({ type: 'SlotsReleased', data: { claim: holdId('h'), size: 3 } }),
    released: ({ id, size, allotment: at }: ClaimRef) =>
      inAllotment({ type: 'SlotsReleased', data: { claim: id, size } }, at),
    shrunk: ({ id, size: left }: ClaimRef, version: number) =>
      inAllotment({ type: 'ClaimShrunk', data: { claim: id, left, size: 1, version } }),
    confirmed: (...claims: readonly ClaimRef[]) => inBooking(confirmation({ claims })),
    started: (...claims: readonly ClaimRef[]) =>
      inBooking({ type: 'BookingStarted', data: { ...bookingFacts({ claims }), finishByMs: 1, answerByMs: null } }),
    placed: () => inBooking(PLACED),
    rejected: () => inBooking(REJECTED),
    cancelled: (...dropped: readonly ClaimRef[]) => inBooking(cancelled({ dropped })),
    modified: change,
    abandoned: ({ id, allotment: at }: ClaimRef) =>
      inBooking({ type: 'ClaimAbandoned', data: { claim: id, allotment: at } }),
    erased: (...records: readonly ClaimRef[]) =>
      inBooking({ type: 'GuestErased', data: { records: records.map(({ id }) => id), by: 'operator', at: '' } }),
  };
}

const release = ({ id, allotment: at }: ClaimRef): ReapClaimsCommand => {
  return { type: 'ReleaseSlots', allotmentId: at, claimId: id };
};
const shrink = ({ id, size: left, allotment: at }: ClaimRef, version: number): ReapClaimsCommand => ({
  type: 'ShrinkClaim',
  allotmentId: at,
  claimId: id,
  left,
  version,
});
const abandon = ({ id, allotment: at }: ClaimRef): ReapClaimsCommand => ({
  type: 'AbandonClaim',
  bookingId: bookingId('bk_1'),
  claimId: id,
  allotmentId: at,
});
const releaseHold: ReapClaimsCommand = { type: 'ReleaseHold', allotmentId: PLACE, holdId: holdId('h') };

describe('a hold', () => {
  test('is kept until just before its expiry, and released at it', () => {
    const { opened, held } = happenings();
    givenEvents(reapClaims, opened(), held())
      .thenDue(DEADLINE_MS - 1, [])
      .thenDue(DEADLINE_MS, [releaseHold])
      .thenOldestOpen(positionAt(2));
  });

  test('that was released needs no command', () => {
    const { opened, held, letGo } = happenings();
    givenEvents(reapClaims, opened(), held(), letGo()).thenDue(DEADLINE_MS, []).thenOldestOpen(null);
  });

  test('that was used counts as a claim', () => {
    const { opened, held, taken } = happenings();
    givenEvents(reapClaims, opened(), held(), taken())
      .thenDue(DEADLINE_MS, [])
      .thenDue(DEADLINE_MS + 60_000, [abandon(claim(1, 3))])
      .thenOldestOpen(positionAt(3));
  });
});

describe('a booking that drops', () => {
  test('its claims by a cancellation releases them at once, and keeps its guest', () => {
    const { opened, claimed, confirmed, cancelled: gone, released } = happenings();
    const events = [opened(), claimed(claim(1, 3)), confirmed(claim(1, 3)), gone(claim(1, 3))];
    givenEvents(reapClaims, ...events)
      .thenDue(0, [release(claim(1, 3))])
      .thenOldestOpen(positionAt(4));
    givenEvents(reapClaims, ...events, released(claim(1, 3)))
      .thenDue(DEADLINE_MS, [])
      .thenOldestOpen(null);
  });

  test('its claims by a rejection releases them at once', () => {
    const { opened, claimed, placed, rejected } = happenings();
    givenEvents(reapClaims, opened(), claimed(claim(1, 3)), placed(), rejected()).thenDue(0, [release(claim(1, 3))]);
  });

  test('a date releases all claims on it, and closes the new claims', () => {
    const { opened, claimed, confirmed, modified: changed } = happenings();
    const other = claim(2, 3, OTHER_PLACE);
    givenEvents(
      reapClaims,
      opened(),
      claimed(claim(1, 3)),
      confirmed(claim(1, 3)),
      claimed(other),
      changed({ claims: [other], dropped: [claim(1, 3)] }),
    ).thenDue(DEADLINE_MS, [release(claim(1, 3))]);
  });

  test('some slots gets ShrinkClaim until ClaimShrunk is stored', () => {
    const { opened, claimed, confirmed, modified: changed, shrunk } = happenings();
    const left = claim(1, 2);
    const events = [
      opened(),
      claimed(claim(1, 3)),
      confirmed(claim(1, 3)),
      changed({ claims: [left], shrunk: [left], version: 2 }),
    ];
    givenEvents(reapClaims, ...events).thenDue(0, [shrink(left, 2)]);
    givenEvents(reapClaims, ...events, shrunk(left, 2))
      .thenDue(0, [])
      .thenOldestOpen(null);
  });

  test('slots twice needs the second shrink, even after the first is stored', () => {
    const { opened, claimed, confirmed, modified: changed, shrunk } = happenings();
    const events = [
      opened(),
      claimed(claim(1, 3)),
      confirmed(claim(1, 3)),
      changed({ claims: [claim(1, 2)], shrunk: [claim(1, 2)], version: 2 }),
      changed({ claims: [claim(1, 1)], shrunk: [claim(1, 1)], version: 3 }),
    ];
    givenEvents(reapClaims, ...events).thenDue(0, [shrink(claim(1, 1), 3)]);
    givenEvents(reapClaims, ...events, shrunk(claim(1, 2), 2)).thenDue(0, [shrink(claim(1, 1), 3)]);
    givenEvents(reapClaims, ...events, shrunk(claim(1, 2), 2), shrunk(claim(1, 1), 3)).thenOldestOpen(null);
  });

  test('slots, and then the whole claim, needs only the release', () => {
    const { opened, claimed, confirmed, modified: changed, cancelled: gone } = happenings();
    const left = claim(1, 2);
    givenEvents(
      reapClaims,
      opened(),
      claimed(claim(1, 3)),
      confirmed(claim(1, 3)),
      changed({ claims: [left], shrunk: [left] }),
      gone(left),
    ).thenDue(0, [release(claim(1, 3))]);
  });

  test('slots still releases them after another change', () => {
    const { opened, claimed, confirmed, modified: changed } = happenings();
    const left = claim(1, 2);
    const events = [opened(), claimed(claim(1, 3)), confirmed(claim(1, 3))];
    const more = [changed({ claims: [left], shrunk: [left], version: 2 }), changed({ claims: [left], version: 3 })];
    givenEvents(reapClaims, ...events, ...more).thenDue(0, [shrink(left, 2)]);
  });
});

describe('a claim for a modification', () => {
  test('stays open until the booking names it', () => {
    const { opened, claimed, confirmed, modified: changed } = happenings();
    const events = [opened(), claimed(claim(1, 3)), confirmed(claim(1, 3)), claimed(claim(2, 1))];
    givenEvents(reapClaims, ...events).thenDue(DEADLINE_MS, [abandon(claim(2, 1))]);
    givenEvents(reapClaims, ...events, changed({ claims: [claim(1, 3), claim(2, 1)] })).thenOldestOpen(null);
  });

  test('of no slots is released once the booking names its guest record', () => {
    const { opened, claimed, confirmed, modified: changed, released } = happenings();
    const guest = { record: claim(2, 0).id, fingerprint: bookingFacts().guest };
    const events = [opened(), claimed(claim(1, 3)), confirmed(claim(1, 3)), claimed(claim(2, 0))];
    givenEvents(reapClaims, ...events).thenDue(DEADLINE_MS, [abandon(claim(2, 0))]);
    const after = [...events, changed({ claims: [claim(1, 3)], guest }), released(claim(2, 0))];
    givenEvents(reapClaims, ...after.slice(0, -1))
      .thenDue(0, [release(claim(2, 0))])
      .thenOldestOpen(positionAt(4));
    givenEvents(reapClaims, ...after).thenOldestOpen(null);
  });

  test('is closed even if the booking was only started', () => {
    const { opened, claimed, started } = happenings();
    givenEvents(reapClaims, opened(), claimed(claim(1, 3)), started(claim(1, 3))).thenOldestOpen(null);
  });
});

describe('an erased guest', () => {
  test('has each guest stream erased, and nothing else of the booking changes', () => {
    const { opened, claimed, confirmed, erased } = happenings();
    const events = [opened(), claimed(claim(1, 3)), confirmed(claim(1, 3)), erased(claim(1, 3), claim(2, 0))];
    givenEvents(reapClaims, ...events)
      .thenDue(0, [eraseFor(claim(1, 3), 4), eraseFor(claim(2, 0), 4)])
      .whenDone(eraseFor(claim(1, 3), 4))
      .thenDue(0, [eraseFor(claim(2, 0), 4)])
      .thenOldestOpen(positionAt(4))
      .whenDone(eraseFor(claim(2, 0), 4))
      .thenOldestOpen(null);
  });

  test('of a cancelled booking needs both erasure and release', () => {
    const { opened, claimed, confirmed, erased, cancelled: gone } = happenings();
    givenEvents(
      reapClaims,
      opened(),
      claimed(claim(1, 3)),
      confirmed(claim(1, 3)),
      erased(claim(1, 3)),
      gone(claim(1, 3)),
    ).thenDue(0, [eraseFor(claim(1, 3), 4), release(claim(1, 3))]);
  });
});

test('commands for the same claim or hold have different keys', () => {
  const commands = [
    abandon(claim(1, 1)),
    release(claim(1, 1)),
    shrink(claim(1, 1), 2),
    erase(claim(1, 1)),
    releaseHold,
  ];
  expect(commands.map(reapClaimsKey)).toEqual([
    'AbandonClaim claim_1',
    'ReleaseSlots claim_1',
    'ShrinkClaim claim_1',
    'EraseGuest claim_1',
    'ReleaseHold h',
  ]);
});

test('replay from the oldest open position gives the same commands', () => {
  const log = happenings();
  const life = [
    log.opened(),
    log.held(),
    log.taken(),
    log.confirmed(claim(1, 3)),
    log.claimed(claim(2, 2)),
    log.modified({ claims: [claim(1, 3), claim(2, 2)], version: 2 }),
    log.claimed(claim(3, 0)),
    log.modified({ claims: [claim(1, 3), claim(2, 1)], shrunk: [claim(2, 1)], version: 3 }),
    log.shrunk(claim(2, 1), 3),
    log.claimed(claim(4, 4, OTHER_PLACE)),
    log.abandoned(claim(3, 0)),
    log.modified({ claims: [claim(4, 4, OTHER_PLACE)], dropped: [claim(1, 3), claim(2, 1)], version: 4 }),
    log.released(claim(1, 3)),
    log.released(claim(3, 0)),
    log.erased(claim(1, 3)),
    log.cancelled(claim(4, 4, OTHER_PLACE)),
    log.released(claim(2, 1)),
    log.released(claim(4, 4, OTHER_PLACE)),
  ];
  const fold = (events: readonly Seen[]) =>
    events.reduce((state, event) => reapClaims.react(state, event), reapClaims.initial);
  const due = (events: readonly Seen[]) => reapClaims.due(fold(events), DEADLINE_MS * 2, roomFor(100));
  fc.assert(
    fc.property(fc.integer({ min: 0, max: life.length }), (length) => {
      const seen = life.slice(0, length);
      const oldest = reapClaims.oldestOpen(fold(seen));
      expect(due(seen.filter(({ position }) => oldest !== null && position >= oldest))).toStrictEqual(due(seen));
    }),
  );
});
