import { expect, test } from 'bun:test';
import { holdDecider } from '../../../src/domain/hold/hold.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { fingerprint, holdFacts } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const facts = holdFacts();
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
