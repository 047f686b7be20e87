import { describe, expect, test } from 'bun:test';
import { groundTruthProjection } from '../../../projections/groundtruth/projection.ts';
import type { GroundTruthDocument } from '../../../projections/groundtruth/read-model.ts';
import type { EvidenceEvent, VisitEvidence } from '../../../src/domain/learning/evidence.ts';
import { EVERYBODY, LEVELS, levelsOf } from '../../../src/domain/recommendation/segments.ts';
import { activityId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';
import { LOG_ID, someEvidence } from '../../support/visits.ts';

const AT = '2026-12-24T03:00:01.000Z';
const STREAM = `evidence-${LOG_ID}`;
const OCEAN = activityId('bkk-ocean-world');
const WALK = activityId('river-walk');
const COUPLES = levelsOf({ travelType: 'couple', budget: null, ageGroup: null });
const credited = (evidence: VisitEvidence): EvidenceEvent => ({ type: 'VisitCredited', data: { evidence, at: AT } });

/** The given count at these levels, zero at all others. */
function at(levels: readonly number[], count: number): number[] {
  return Array.from({ length: LEVELS }, (_, level) => (levels.includes(level) ? count : 0));
}

function counted(id: typeof OCEAN, tried: readonly number[], visited: readonly number[]): GroundTruthDocument {
  return { activityId: id, tried, visited };
}

describe('the ground truth of an activity', () => {
  test('counts a credited visit, and what its answer led us to expect of each shown activity', () => {
    givenEvents(groundTruthProjection, recorder()(STREAM, credited(someEvidence())))
      .thenDocument(OCEAN, counted(OCEAN, at(COUPLES, 30.95), at(COUPLES, 1)))
      .thenDocument(WALK, counted(WALK, at(COUPLES, 19.05), at([], 0)));
  });

  test('counts a visit without an answer for everybody', () => {
    const walkIn = credited(someEvidence({ travelType: null, answer: null }));
    givenEvents(groundTruthProjection, recorder()(STREAM, walkIn)).thenDocument(
      OCEAN,
      counted(OCEAN, at([], 0), at([EVERYBODY], 1)),
    );
  });

  test('subtracts a withdrawn visit', () => {
    const log = recorder();
    const evidence = someEvidence();
    const withdrawn: EvidenceEvent = { type: 'VisitWithdrawn', data: { evidence, why: 'voided', at: AT } };
    givenEvents(groundTruthProjection, log(STREAM, credited(evidence)), log(STREAM, withdrawn))
      .thenDocument(OCEAN, counted(OCEAN, at([], 0), at([], 0)))
      .thenDocument(WALK, counted(WALK, at([], 0), at([], 0)));
  });

  test('ignores a visit that was passed over', () => {
    const { bookingId, deviceId, verifiedAtMs } = someEvidence();
    const data = { bookingId, activityId: OCEAN, deviceId, verifiedAtMs, why: 'counted', at: AT } as const;
    const log = recorder();
    expect(groundTruthProjection.idsOf(log<EvidenceEvent>(STREAM, { type: 'VisitPassedOver', data }))).toEqual([]);
  });
});
