import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { EvidenceEvent, VisitEvidence } from '../../src/domain/learning/evidence.ts';
import { weightAt } from '../../src/domain/learning/fading.ts';
import { expectedVisits } from '../../src/domain/learning/places.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import { boundedSums, bucketOf, zeros } from './key-shares.ts';
import { EVERYBODY, type GroundTruthDocument, type KeySums, sumOf } from './read-model.ts';

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
  const keys: Record<string, KeySums> = { ...doc?.keys };
  let latestMs = doc?.latestMs ?? 0;
  for (const event of events) {
    if (event.type === 'VisitPassedOver') continue;
    const { evidence } = event.data;
    const bucket = bucketOf(evidence.keyId);
    const sums = added(keys[bucket], evidence, id, event.type === 'VisitCredited' ? 1 : -1);
    // Exactly as before the visit, without the rounding of a subtraction.
    if (sums.visits === 0) Reflect.deleteProperty(keys, bucket);
    else keys[bucket] = sums;
    latestMs = Math.max(latestMs, evidence.verifiedAtMs);
  }
  if (Object.keys(keys).length === 0) return null;
  return { activityId: id as ActivityId, latestMs, keys, ...boundedSums(keys, weightAt(latestMs)) };
}

/** The answer that showed the activity. One that did not show it says nothing about those that it did show. */
function answerOf({ answer, activityId }: VisitEvidence): VisitEvidence['answer'] {
  return answer?.ids.includes(activityId) ? answer : null;
}

function added(before: KeySums | undefined, evidence: VisitEvidence, id: string, step: 1 | -1): KeySums {
  const { activityId, travelType, verifiedAtMs } = evidence;
  const answer = answerOf(evidence);
  const weight = step * weightAt(verifiedAtMs);
  const share =
    answer === null ? EXPECTED_OF_WALK_IN : expectedVisits(answer.expected[answer.ids.indexOf(id as ActivityId)] ?? 0);
  const visited = before?.visited.slice() ?? zeros();
  const expected = before?.expected.slice() ?? zeros();
  for (const index of travelType === null || answer === null ? [EVERYBODY] : [EVERYBODY, sumOf(travelType)]) {
    visited[index] = (visited[index] ?? 0) + (id === activityId ? weight : 0);
    expected[index] = (expected[index] ?? 0) + weight * share;
  }
  return { visits: (before?.visits ?? 0) + step, visited, expected };
}
