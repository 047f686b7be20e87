import { describe, test } from 'bun:test';
import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import type { ApiKeyEvent } from '../../../src/domain/apikey/apikey.ts';
import { type ReapClaimsCommand, reapClaims } from '../../../src/processes/reap-claims/process-manager.ts';
import { allotment, bookingId, claimId, confirmation, holdId, keyId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';

const PLACE = allotment('bkk-ocean-world-2026-12-24');
const ENDS_MS = Date.parse('2026-11-21T03:10:00Z');
const AT = '2026-11-21T03:00:00.000Z';
const pricing = { unitPriceMinor: 1, discountMinor: 0, currency: 'THB' } as const;
const held: AllotmentEvent = {
  type: 'SlotsHeld',
  data: { hold: holdId('h'), size: 3, expiresAtMs: ENDS_MS, pricing, holder: { keyId: keyId('key_1'), atMs: 0 } },
};
const deactivated: ApiKeyEvent = { type: 'KeyDeactivated', data: { at: AT } };
const activated: ApiKeyEvent = { type: 'KeyActivated', data: { at: AT } };
const release: ReapClaimsCommand = { type: 'ReleaseHold', allotmentId: PLACE, holdId: holdId('h') };

describe('a hold of a key that is deactivated', () => {
  test('is released at once, whichever came first', () => {
    const before = recorder();
    givenEvents(reapClaims, before(`allotment-${PLACE}`, held), before('apikey-key_1', deactivated))
      .thenDue(0, [release])
      .thenOldestOpen(positionAt(1));
    const after = recorder();
    givenEvents(reapClaims, after('apikey-key_1', deactivated), after(`allotment-${PLACE}`, held))
      .thenDue(0, [release])
      .thenOldestOpen(positionAt(2));
  });

  test('is kept until its end if the key is another one, or active again', () => {
    for (const events of [
      [['apikey-key_2', deactivated]],
      [
        ['apikey-key_1', deactivated],
        ['apikey-key_1', activated],
      ],
    ] as const) {
      const recorded = recorder();
      givenEvents(
        reapClaims,
        ...events.map(([stream, event]) => recorded(stream, event)),
        recorded(`allotment-${PLACE}`, held),
      )
        .thenDue(ENDS_MS - 1, [])
        .thenDue(ENDS_MS, [release]);
    }
  });

  test('leaves nothing to do afterwards', () => {
    const recorded = recorder();
    givenEvents(reapClaims, recorded('apikey-key_1', deactivated)).thenDue(ENDS_MS, []).thenOldestOpen(null);
  });
});

describe('a claim of a booking on request', () => {
  const claims = [{ allotment: PLACE, id: claimId('claim_1'), size: 3 }];
  const claimed: AllotmentEvent = {
    type: 'SlotsClaimed',
    data: {
      claim: claimId('claim_1'),
      booking: bookingId('bk_1'),
      size: 3,
      deadlineMs: 0,
      pricing,
      unpaidBy: keyId('key_1'),
    },
  };
  const paid: AllotmentEvent = { type: 'ClaimPaid', data: { claim: claimId('claim_1') } };
  const confirmed = confirmation({ claims }, 'BookingPlacedOnRequest');
  const record: ReapClaimsCommand = { type: 'RecordPaid', allotmentId: PLACE, claimId: claimId('claim_1') };

  test('is recorded as paid once the venue has confirmed', () => {
    const recorded = recorder();
    const events = [recorded(`allotment-${PLACE}`, claimed), recorded('booking-bk_1', confirmed)] as const;
    givenEvents(reapClaims, ...events)
      .thenDue(0, [record])
      .thenOldestOpen(positionAt(2));
    givenEvents(reapClaims, ...events, recorded(`allotment-${PLACE}`, paid))
      .thenDue(0, [])
      .thenOldestOpen(null);
  });

  test('that was paid at once needs no record', () => {
    const recorded = recorder();
    givenEvents(reapClaims, recorded(`allotment-${PLACE}`, claimed), recorded('booking-bk_1', confirmation({ claims })))
      .thenDue(0, [])
      .thenOldestOpen(null);
  });
});
