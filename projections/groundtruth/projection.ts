import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { EvidenceEvent } from '../../src/domain/learning/evidence.ts';
import { EVERYBODY, LEVELS, levelsOf } from '../../src/domain/recommendation/segments.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { GroundTruthDocument } from './read-model.ts';

/** One document per activity, keyed by its id: it learns from evidence alone. */
export const groundTruthProjection: Projection<GroundTruthDocument, EvidenceEvent> = {
  name: 'groundtruth',
  version: 3,
  categories: ['evidence'],
  indexes: [],
  idsOf({ type, data }) {
    if (type === 'VisitPassedOver') return [];
    const { activityId, answer } = data.evidence;
    return [...new Set([...(answer?.ids ?? []), activityId])];
  },
  evolve: (doc, event, id) => countEvents(doc, [event], id),
  evolveAll: countEvents,
};

/** Impressions of which usually one leads to a visit. */
const IMPRESSIONS_PER_VISIT = 50;
const TEN_THOUSANDTHS = 10_000;

/** Copies the counts once for a whole batch. */
function countEvents(
  doc: GroundTruthDocument | null,
  events: readonly EvidenceEvent[],
  id: string,
): GroundTruthDocument {
  const before = doc ?? { activityId: id as ActivityId, tried: ZEROS, visited: ZEROS };
  const tried = before.tried.slice();
  const visited = before.visited.slice();
  for (const { type, data } of events) {
    if (type === 'VisitPassedOver') continue;
    const { activityId, travelType, answer } = data.evidence;
    const step = type === 'VisitWithdrawn' ? -1 : 1;
    const levels = travelType === null ? [EVERYBODY] : levelsOf({ travelType, budget: null, ageGroup: null });
    if (activityId === id) add(step, visited, levels);
    const expected = answer?.expected[answer.ids.indexOf(id as ActivityId)] ?? 0;
    add((step * IMPRESSIONS_PER_VISIT * expected) / TEN_THOUSANDTHS, tried, levels);
  }
  return { ...before, tried, visited };
}

const ZEROS: readonly number[] = Array.from({ length: LEVELS }, () => 0);

function add(step: number, counts: number[], levels: readonly number[]): void {
  for (const level of levels) counts[level] = (counts[level] ?? 0) + step;
}
