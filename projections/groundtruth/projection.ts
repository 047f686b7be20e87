import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { EvidenceEvent, VisitEvidence } from '../../src/domain/learning/evidence.ts';
import { type Span, weightAt } from '../../src/domain/learning/fading.ts';
import { expectedVisits } from '../../src/domain/learning/places.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import { boundedSums, bucketOf, zeros } from './key-shares.ts';
import { EVERYBODY, type GroundTruthDocument, type KeySums, type Sums, sumOf } from './read-model.ts';

/** Expected visits that a walk-in adds to its activity: about those of the first place among ten. */
const EXPECTED_OF_WALK_IN = 0.25;

/** Credited visits, less those that were withdrawn (docs/decisions/0078). */
export const groundTruthProjection: Projection<GroundTruthDocument, EvidenceEvent> = {
  name: 'groundtruth',
  version: 3,
  categories: ['evidence'],
  indexes: [],
  idsOf(event) {
    if (event.type === 'VisitPassedOver') return [];
    const { evidence } = event.data;
    return answerOf(evidence)?.ids ?? [evidence.activityId];
  },
  evolve: (doc, event, id) => countVisits(doc, [event], id),
  evolveAll: countVisits,
};

/** Bounds the shares of keys once for a whole batch. Null: all visits were withdrawn. */
function countVisits(
  doc: GroundTruthDocument | null,
  events: readonly EvidenceEvent[],
  id: string,
): GroundTruthDocument | null {
  const keys = new Map(Object.entries(doc?.keys ?? {}));
  let latestMs = doc?.latestMs ?? 0;
  for (const event of events) {
    if (event.type === 'VisitPassedOver') continue;
    const { evidence } = event.data;
    const bucket = bucketOf(evidence.keyId);
    const sums = withVisit(keys.get(bucket), evidence, id, event.type === 'VisitCredited' ? 1 : -1);
    // Exactly as before the visit, without the rounding of a subtraction.
    if (sums.visits === 0) keys.delete(bucket);
    else keys.set(bucket, sums);
    latestMs = Math.max(latestMs, evidence.verifiedAtMs);
  }
  if (keys.size === 0) return null;
  // In the order in which the document is read again, so that the sums do not depend on the batches.
  const stored = Object.fromEntries(keys);
  const bounded = (span: Span): Sums =>
    boundedSums(
      Object.values(stored).map((bucket) => bucket[span]),
      weightAt(span, latestMs),
    );
  return {
    activityId: id as ActivityId,
    latestMs,
    recent: bounded('recent'),
    lasting: bounded('lasting'),
    keys: stored,
  };
}

/** The answer that showed the activity. One that did not show it says nothing about those that it did show. */
function answerOf({ answer, activityId }: VisitEvidence): VisitEvidence['answer'] {
  return answer?.ids.includes(activityId) ? answer : null;
}

function withVisit(before: KeySums | undefined, evidence: VisitEvidence, id: string, step: 1 | -1): KeySums {
  const { activityId, travelType, verifiedAtMs } = evidence;
  const answer = answerOf(evidence);
  const at = answer?.ids.indexOf(id as ActivityId) ?? -1;
  const share = answer === null ? EXPECTED_OF_WALK_IN : expectedVisits(answer.expected[at] ?? 0);
  const indexes = travelType === null || answer === null ? [EVERYBODY] : [EVERYBODY, sumOf(travelType)];
  const added = (span: Span): Sums => {
    const weight = step * weightAt(span, verifiedAtMs);
    const visited = before?.[span].visited.slice() ?? zeros();
    const expected = before?.[span].expected.slice() ?? zeros();
    for (const index of indexes) {
      if (id === activityId) visited[index] = (visited[index] ?? 0) + weight;
      expected[index] = (expected[index] ?? 0) + weight * share;
    }
    return { visited, expected };
  };
  return { visits: (before?.visits ?? 0) + step, recent: added('recent'), lasting: added('lasting') };
}
