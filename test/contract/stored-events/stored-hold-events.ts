import type { HoldEvent } from '../../../src/domain/hold/hold.ts';
import { activityId, allotment, date, fingerprint, holdId, keyId } from '../../support/examples.ts';

const FACTS = {
  hold: holdId('hold_3h6v0yj2pd9s4qaek7m1'),
  keyId: keyId('key_4c9a1f70b2de'),
  fingerprint: fingerprint('1YJD6Q1X9T4B7M0K2V8ZR5NW3H'),
  activityId: activityId('bkk-sea-life-aquarium'),
  date: date('2026-12-24'),
  allotment: allotment('bkk-sea-life-aquarium-2026-12-24'),
  numAdults: 2,
  numChildren: 1,
  at: '2026-11-21T02:59:30.000Z',
} as const;

export const STORED_HOLD_EVENTS = {
  'HoldAsked.v1': { type: 'HoldAsked', data: { ...FACTS, offered: null, releasesSeen: 0 } },
  'HoldAsked.v2': {
    type: 'HoldAsked',
    data: {
      ...FACTS,
      offered: {
        pricing: { unitPriceMinor: 99_000, discountMinor: 29_700, currency: 'THB' },
        expiresAtMs: 1_795_230_570_000,
      },
      releasesSeen: 1_204,
    },
  },
} satisfies Record<string, HoldEvent>;
