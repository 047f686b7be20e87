import { describe, expect, test } from 'bun:test';
import {
  type EvidenceCommand,
  type EvidenceEvent,
  evidenceDecider,
  type VisitEvidence,
  type VisitRef,
} from '../../../src/domain/learning/evidence.ts';
import { isExcluded } from '../../../src/domain/learning/exclusions.ts';
import { decidedTwice } from '../../support/decided-twice.ts';
import { activityId, bookingId, deviceId, keyId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';
import { evidenceCommand } from '../../support/learning-commands.ts';
import { excluding, someEvidence } from '../../support/visits.ts';

const AT = '2026-12-24T03:00:01.000Z';
const FIRST = someEvidence();
const SECOND = someEvidence({ bookingId: bookingId('bk_2'), verifiedAtMs: FIRST.verifiedAtMs + 60_000 });
const THIRD = someEvidence({
  bookingId: bookingId('bk_3'),
  verifiedAtMs: FIRST.verifiedAtMs + 120_000,
  deviceId: deviceId('dev_2'),
});
const ELSEWHERE = someEvidence({ bookingId: bookingId('bk_4'), activityId: activityId('river-walk') });

function ref({ bookingId: booking, activityId: activity, deviceId: device, verifiedAtMs }: VisitEvidence): VisitRef {
  return { bookingId: booking, activityId: activity, deviceId: device, verifiedAtMs };
}
type Exclusions = EvidenceCommand['exclusions'];
const credit = (evidence: VisitEvidence, exclusions: Exclusions = [], disputed = false): EvidenceCommand => ({
  type: 'CreditVisit',
  evidence,
  disputed,
  exclusions,
  at: AT,
});
const withdraw = (
  evidence: VisitEvidence,
  why: 'voided' | 'excluded' = 'voided',
  exclusions: Exclusions = [],
): EvidenceCommand => ({ type: 'WithdrawVisit', visit: ref(evidence), why, exclusions, at: AT });
const credited = (evidence: VisitEvidence): EvidenceEvent => ({ type: 'VisitCredited', data: { evidence, at: AT } });
const withdrawn = (evidence: VisitEvidence, why: 'voided' | 'excluded' = 'voided'): EvidenceEvent => ({
  type: 'VisitWithdrawn',
  data: { evidence, why, at: AT },
});
const passedOver = (
  evidence: VisitEvidence,
  why: 'counted' | 'excluded' | 'disputed' | 'voided' = 'counted',
): EvidenceEvent => ({ type: 'VisitPassedOver', data: { ...ref(evidence), why, at: AT } });

describe('the visits of an answer', () => {
  test('count once for each activity; a further one waits', () => {
    given(evidenceDecider, [])
      .when(credit(FIRST))
      .then([credited(FIRST)]);
    given(evidenceDecider, [credited(FIRST)])
      .when(credit(SECOND))
      .then([passedOver(SECOND)]);
    given(evidenceDecider, [credited(FIRST)])
      .when(credit(ELSEWHERE))
      .then([credited(ELSEWHERE)]);
  });

  test('count once however often they are reported, and in whatever state they are', () => {
    const again = (events: readonly EvidenceEvent[]) => given(evidenceDecider, events).when(credit(FIRST));
    again([credited(FIRST)]).thenNothing();
    again([credited(SECOND), passedOver(FIRST)]).thenNothing();
    again([credited(FIRST), withdrawn(FIRST)]).thenNothing();
    again([passedOver(FIRST, 'disputed')]).thenNothing();
  });

  test('do not count if the booking was refunded in full, or if an exclusion covers them', () => {
    given(evidenceDecider, [])
      .when(credit(FIRST, [], true))
      .then([passedOver(FIRST, 'disputed')]);
    const exclusions = [excluding({ keyId: keyId('key_9') }), excluding({ deviceId: deviceId('dev_1') })];
    given(evidenceDecider, [])
      .when(credit(FIRST, exclusions))
      .then([passedOver(FIRST, 'excluded')]);
    given(evidenceDecider, [passedOver(FIRST, 'disputed'), passedOver(SECOND, 'excluded')])
      .when(credit(THIRD))
      .then([credited(THIRD)]);
  });
});

describe('a visit that is withdrawn', () => {
  test('no longer counts; a second withdrawal changes nothing', () => {
    given(evidenceDecider, [credited(FIRST)])
      .when(withdraw(FIRST))
      .then([withdrawn(FIRST)]);
    given(evidenceDecider, [credited(FIRST), withdrawn(FIRST)])
      .when(withdraw(FIRST, 'excluded'))
      .thenNothing();
  });

  test('is replaced by the waiting visit of the earliest scan to the same activity', () => {
    given(evidenceDecider, [credited(FIRST), passedOver(THIRD), credited(ELSEWHERE), passedOver(SECOND)])
      .when(withdraw(FIRST))
      .then([withdrawn(FIRST), credited(SECOND)]);
    given(evidenceDecider, [credited(FIRST), passedOver(SECOND), withdrawn(FIRST), credited(SECOND)])
      .when(withdraw(SECOND))
      .then([withdrawn(SECOND)]);
  });

  test('is not replaced by one that is excluded, disputed or voided', () => {
    const before = [credited(FIRST), passedOver(SECOND), passedOver(THIRD)];
    given(evidenceDecider, before)
      .when(withdraw(FIRST, 'excluded', [excluding({ deviceId: deviceId('dev_1') })]))
      .then([withdrawn(FIRST, 'excluded'), credited(THIRD)]);
    given(evidenceDecider, before)
      .when(withdraw(FIRST, 'excluded', [excluding({ keyId: keyId('key_1') })]))
      .then([withdrawn(FIRST, 'excluded')]);
    given(evidenceDecider, [credited(FIRST), passedOver(SECOND, 'disputed'), passedOver(THIRD, 'voided')])
      .when(withdraw(FIRST))
      .then([withdrawn(FIRST)]);
  });

  test('while it waits, or before it was credited, never counts', () => {
    given(evidenceDecider, [credited(FIRST), passedOver(SECOND)])
      .when(withdraw(SECOND))
      .then([passedOver(SECOND, 'voided')]);
    given(evidenceDecider, [credited(FIRST), passedOver(SECOND)])
      .when(withdraw(SECOND, 'excluded'))
      .thenNothing();
    given(evidenceDecider, [])
      .when(withdraw(FIRST))
      .then([passedOver(FIRST, 'voided')]);
    given(evidenceDecider, [passedOver(FIRST, 'voided')])
      .when(credit(FIRST))
      .thenNothing();
  });

  test('can be followed by another visit of the booking, which counts', () => {
    const again = someEvidence({ verifiedAtMs: FIRST.verifiedAtMs + 3_600_000 });
    given(evidenceDecider, [credited(FIRST), withdrawn(FIRST)])
      .when(credit(again))
      .then([credited(again)]);
    given(evidenceDecider, [credited(FIRST), withdrawn(FIRST), credited(again)])
      .when(withdraw(FIRST))
      .thenNothing();
  });
});

test('a command decided twice adds nothing the second time', () => decidedTwice(evidenceDecider, evidenceCommand));

test('an exclusion covers the visits that meet all its conditions; its span is half-open', () => {
  const { verifiedAtMs } = FIRST;
  const of = (conditions: Parameters<typeof excluding>[0]) => isExcluded(FIRST, [excluding(conditions)]);
  expect(of({ keyId: keyId('key_1') })).toBe(true);
  expect(of({ keyId: keyId('key_1'), deviceId: deviceId('dev_2') })).toBe(false);
  expect(of({ fromMs: verifiedAtMs, toMs: verifiedAtMs + 1 })).toBe(true);
  expect(of({ fromMs: verifiedAtMs + 1 })).toBe(false);
  expect(of({ toMs: verifiedAtMs })).toBe(false);
  expect(isExcluded({ ...FIRST, keyId: null }, [excluding({ keyId: keyId('key_1') })])).toBe(false);
  expect(isExcluded(FIRST, [])).toBe(false);
});
