import type { AllotmentEvent } from '../../../src/domain/allotment/events.ts';
import { activityId, bookingId, claimId, commandId, date, fingerprint, holdId, keyId } from '../../support/examples.ts';

export const STORED_ALLOTMENT_EVENTS = {
  'AllotmentOpened.v1': {
    type: 'AllotmentOpened',
    data: {
      activityId: activityId('bkk-sea-life-aquarium'),
      city: 'Bangkok',
      date: date('2026-12-24'),
      capacity: 60,
      unitPriceMinor: 129_000,
      currency: 'THB',
      cancellation: { freeUntilHours: 24, percentKept: 50 },
      catalogueRevision: 2,
    },
  },
  'ScheduleFollowed.v1': {
    type: 'ScheduleFollowed',
    data: {
      capacity: 80,
      unitPriceMinor: 135_000,
      cancellation: { freeUntilHours: 48, percentKept: 30 },
      catalogueRevision: 3,
    },
  },
  'CapacitySet.v1': { type: 'CapacitySet', data: { capacity: 40 } },
  'PriceSet.v1': { type: 'PriceSet', data: { unitPriceMinor: null } },
  'FlashDealStarted.v1': {
    type: 'FlashDealStarted',
    data: { discountPercent: 40, expiresAtMs: 1_798_106_400_000, by: 'policy' },
  },
  'FlashDealEnded.v1': { type: 'FlashDealEnded', data: { because: 'expired' } },
  'SlotsClaimed.v1': {
    type: 'SlotsClaimed',
    data: {
      claim: claimId('bk_7gk2m0q9xw4t1zc8rb5n.k3v9q2m1x7p4t8w6'),
      booking: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'),
      size: 3,
      deadlineMs: 1_795_230_060_000,
      pricing: null,
      unpaidBy: null,
    },
  },
  'SlotsClaimed.v2': {
    type: 'SlotsClaimed',
    data: {
      claim: claimId('bk_7gk2m0q9xw4t1zc8rb5n.k3v9q2m1x7p4t8w6'),
      booking: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'),
      size: 3,
      deadlineMs: 1_795_230_060_000,
      pricing: { unitPriceMinor: 129_000, discountMinor: 51_600, currency: 'THB' },
      unpaidBy: null,
    },
  },
  'SlotsClaimed.v3': {
    type: 'SlotsClaimed',
    data: {
      claim: claimId('bk_7gk2m0q9xw4t1zc8rb5n.k3v9q2m1x7p4t8w6'),
      booking: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'),
      size: 3,
      deadlineMs: 1_795_230_060_000,
      pricing: { unitPriceMinor: 129_000, discountMinor: 51_600, currency: 'THB' },
      unpaidBy: keyId('key_8m2q6x0vt4rz'),
    },
  },
  'SlotsHeld.v1': {
    type: 'SlotsHeld',
    data: {
      hold: holdId('hold_3h6v0yj2pd9s4qaek7m1'),
      size: 3,
      expiresAtMs: 1_795_230_600_000,
      pricing: { unitPriceMinor: 129_000, discountMinor: 0, currency: 'THB' },
      holder: null,
    },
  },
  'SlotsHeld.v2': {
    type: 'SlotsHeld',
    data: {
      hold: holdId('hold_3h6v0yj2pd9s4qaek7m1'),
      size: 3,
      expiresAtMs: 1_795_230_600_000,
      pricing: { unitPriceMinor: 129_000, discountMinor: 0, currency: 'THB' },
      holder: { keyId: keyId('key_8m2q6x0vt4rz'), atMs: 1_795_230_000_000 },
    },
  },
  'HoldTaken.v1': {
    type: 'HoldTaken',
    data: {
      hold: holdId('hold_3h6v0yj2pd9s4qaek7m1'),
      claim: claimId('bk_7gk2m0q9xw4t1zc8rb5n.k3v9q2m1x7p4t8w6'),
      booking: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'),
      size: 3,
      deadlineMs: 1_795_230_060_000,
      unpaidBy: null,
    },
  },
  'HoldTaken.v2': {
    type: 'HoldTaken',
    data: {
      hold: holdId('hold_3h6v0yj2pd9s4qaek7m1'),
      claim: claimId('bk_7gk2m0q9xw4t1zc8rb5n.k3v9q2m1x7p4t8w6'),
      booking: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'),
      size: 3,
      deadlineMs: 1_795_230_060_000,
      unpaidBy: keyId('key_8m2q6x0vt4rz'),
    },
  },
  'ClaimPaid.v1': { type: 'ClaimPaid', data: { claim: claimId('bk_7gk2m0q9xw4t1zc8rb5n.k3v9q2m1x7p4t8w6') } },
  'ClaimShrunk.v1': {
    type: 'ClaimShrunk',
    data: { claim: claimId('bk_7gk2m0q9xw4t1zc8rb5n.k3v9q2m1x7p4t8w6'), left: 1, size: 2, version: 3 },
  },
  'SlotsReleased.v1': {
    type: 'SlotsReleased',
    data: { claim: claimId('bk_7gk2m0q9xw4t1zc8rb5n.k3v9q2m1x7p4t8w6'), size: 3 },
  },
  'DateCancelled.v1': {
    type: 'DateCancelled',
    data: {
      command: commandId('8QK3V9M1X7P4T8W6RZ2N'),
      fingerprint: fingerprint('5D8Q2M0X7V4T1ZC9RB6NKW3HJ0'),
      reason: 'weather',
      bookings: 2,
      places: 5,
      holds: 1,
      at: '2026-12-23T22:10:00.000Z',
    },
  },
  'DateBookingSettled.v1': {
    type: 'DateBookingSettled',
    data: {
      command: commandId('8QK3V9M1X7P4T8W6RZ2N'),
      booking: bookingId('bk_7gk2m0q9xw4t1zc8rb5n'),
      outcome: 'cancelled',
      refundMinor: 387_000,
    },
  },
  'DateCancellationFinished.v1': {
    type: 'DateCancellationFinished',
    data: { command: commandId('8QK3V9M1X7P4T8W6RZ2N'), at: '2026-12-23T22:10:04.000Z' },
  },
} satisfies Record<string, AllotmentEvent>;
