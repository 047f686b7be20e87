import { expect, test } from 'bun:test';
import { type HoldFacts, holdDecider } from '../../../src/domain/hold/hold.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { activityId, allotment, date, fingerprint, holdId, keyId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const facts: HoldFacts = {
  hold: holdId('hold_1'),
  keyId: keyId('key_1'),
  fingerprint: fingerprint('HOLDFP1'),
  activityId: activityId('bkk-ocean-world'),
  date: date('2026-12-24'),
  allotment: allotment('bkk-ocean-world-2026-12-24'),
  numAdults: 2,
  numChildren: 1,
  at: '2026-11-21T03:00:00.000Z',
};
const asked = { type: 'HoldAsked', data: facts } as const;

test('the request for a hold records its owner and its allotment', () => {
  given(holdDecider, []).when({ type: 'AskHold', facts }).then([asked]);
  expect(fold(holdDecider, [asked])).toStrictEqual({ status: 'asked', facts });
});

test('a repeated request adds no event, and the first time stays', () => {
  given(holdDecider, [asked])
    .when({ type: 'AskHold', facts: { ...facts, at: '2026-11-21T03:00:09.000Z' } })
    .thenNothing();
});

test('another request under the same key is refused', () => {
  given(holdDecider, [asked])
    .when({ type: 'AskHold', facts: { ...facts, fingerprint: fingerprint('HOLDFP2') } })
    .thenRejected({ code: 'HOLD_DIFFERS' });
});
