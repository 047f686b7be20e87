import { groundTruthProjection } from '../../projections/groundtruth/projection.ts';
import type { GroundTruthDocument } from '../../projections/groundtruth/read-model.ts';
import { newLogId } from '../../src/domain/ids.ts';
import type { EvidenceEvent, VisitEvidence } from '../../src/domain/learning/evidence.ts';
import { expectedShares, PLACES } from '../../src/domain/learning/places.ts';
import { activityId, bookingId, keyId } from './examples.ts';
import { recorder } from './recorded.ts';

const AT = '2026-11-21T03:00:00.000Z';

/** A walk-in of one key to the aquarium. */
export function aVisitEvidence(change: Partial<VisitEvidence> = {}): VisitEvidence {
  return {
    bookingId: bookingId('bk_1'),
    activityId: activityId('bkk-ocean-world'),
    city: 'Bangkok',
    category: 'aquarium',
    keyId: keyId('key-1'),
    deviceId: null,
    verifiedAtMs: Date.parse(AT),
    travelType: null,
    answer: null,
    ...change,
  };
}

/** The answer that showed these activities, in this order. */
export function answerShowing(shown: readonly string[]): VisitEvidence['answer'] {
  const expected = expectedShares(shown.map((_, index) => index + 1));
  return { logId: newLogId('live', 0, new Uint8Array(6)), ids: shown.map(activityId), expected, places: PLACES };
}

export function credited(evidence: VisitEvidence): EvidenceEvent {
  return { type: 'VisitCredited', data: { evidence, at: AT } };
}

export function withdrawn(evidence: VisitEvidence): EvidenceEvent {
  return { type: 'VisitWithdrawn', data: { evidence, why: 'voided', at: AT } };
}

/** The documents of the projection, folded one event at a time. */
export function foldedEvidence(): {
  readonly documents: ReadonlyMap<string, GroundTruthDocument>;
  readonly apply: (event: EvidenceEvent) => void;
} {
  const documents = new Map<string, GroundTruthDocument>();
  const log = recorder();
  return {
    documents,
    apply(event) {
      const recorded = log('evidence-a', event);
      for (const id of groundTruthProjection.idsOf(recorded)) {
        const doc = groundTruthProjection.evolve(documents.get(id) ?? null, recorded, id, String);
        if (doc === null) documents.delete(id);
        else documents.set(id, doc);
      }
    },
  };
}
