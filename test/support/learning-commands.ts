import fc from 'fast-check';
import type { EvidenceCommand } from '../../src/domain/learning/evidence.ts';
import type { ExclusionId, LearningCommand } from '../../src/domain/learning/exclusions.ts';
import { activityId, bookingId, deviceId, fingerprint, keyId } from './examples.ts';
import { excluding, someEvidence } from './visits.ts';

/** Few different ids and values, so that commands are often equal or similar. */
const few = <Name>(brand: (text: string) => Name, prefix: string) =>
  fc.integer({ min: 1, max: 3 }).map((number) => brand(`${prefix}${number}`));
const at = fc.constant('2026-11-21T03:00:00.000Z');

const visitOf = fc
  .record({
    bookingId: few(bookingId, 'bk_'),
    activityId: few(activityId, 'activity_'),
    deviceId: few(deviceId, 'dev_'),
    verifiedAtMs: fc.integer({ min: 1, max: 3 }),
  })
  .map(someEvidence);
const covering = fc.array(
  fc.record({ keyId: fc.option(fc.constant(keyId('key_1'))), deviceId: few(deviceId, 'dev_') }).map(excluding),
  { maxLength: 1 },
);
/** A command to the evidence of an answer. */
export const evidenceCommand: fc.Arbitrary<EvidenceCommand> = fc.oneof(
  fc.record({
    type: fc.constant('CreditVisit' as const),
    evidence: visitOf,
    disputed: fc.boolean(),
    exclusions: covering,
    at,
  }),
  fc.record({
    type: fc.constant('WithdrawVisit' as const),
    visit: visitOf,
    why: fc.constantFrom('voided' as const, 'excluded' as const),
    exclusions: covering,
    at,
  }),
);

const exclusion = few((name) => name as ExclusionId, 'exc_');
const affected = { activityId: activityId('river-walk'), visits: 1, groundTruthBefore: 700, groundTruthAfter: 500 };
const counts = { exclusion, visits: fc.nat(3), activities: fc.constant([affected]), at };
/** A command to the exclusions from learning. */
export const learningCommand: fc.Arbitrary<LearningCommand> = fc.oneof(
  fc.record({
    type: fc.constant('ExcludeFromLearning' as const),
    exclusion,
    excluded: fc.constant(excluding({ keyId: keyId('key_1') }).excluded),
    reason: fc.constant('Scripted bookings.'),
    fingerprint: few(fingerprint, 'FP'),
    at,
  }),
  fc.record({ type: fc.constant('RecordExclusionCounted' as const), ...counts }),
  fc.record({ type: fc.constant('RecordExclusionApplied' as const), ...counts }),
);
