import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { BookingEvent } from '../../src/domain/booking/booking.ts';
import { segmentOf } from '../../src/domain/recommendation/profile.ts';
import type { RecommendationEvent } from '../../src/domain/recommendation/recommendation.ts';
import { EVERYBODY, LEVELS, levelsOf } from '../../src/domain/recommendation/segments.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { GroundTruthDocument } from './read-model.ts';

/** One document per activity, under its id. */
export const groundTruthProjection: Projection<GroundTruthDocument, BookingEvent | RecommendationEvent> = {
  name: 'groundtruth',
  version: 1,
  categories: ['booking', 'recommendation'],
  indexes: [],
  keysOf(event) {
    if (event.type === 'RecommendationServed') return event.data.ranked.ids.slice(0, event.data.shown);
    return event.type === 'VisitVerified' ? [event.data.activityId] : [];
  },
  evolve(doc, event, id) {
    const counts = doc ?? { activityId: id as ActivityId, tried: NOTHING, visited: NOTHING };
    if (event.type === 'RecommendationServed') {
      return { ...counts, tried: raised(counts.tried, levelsOf(segmentOf(event.data.profile))) };
    }
    if (event.type !== 'VisitVerified') return counts;
    const { attribution } = event.data;
    // Of a guest who came without a recommendation nothing is known but that they came.
    const segment = attribution?.segment ?? null;
    const levels = segment === null ? [EVERYBODY] : levelsOf(segment);
    // A visit that a showing led to was tried when it was shown.
    const shown = attribution !== null && attribution.rank !== null;
    return {
      ...counts,
      tried: shown ? counts.tried : raised(counts.tried, levels),
      visited: raised(counts.visited, levels),
    };
  },
};

const NOTHING: readonly number[] = Array.from({ length: LEVELS }, () => 0);

/** The counts with one more at each of the levels. */
function raised(counts: readonly number[], levels: readonly number[]): readonly number[] {
  const after = counts.slice();
  for (const level of levels) after[level] = (after[level] ?? 0) + 1;
  return after;
}
