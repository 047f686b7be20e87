import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { BookingEvent } from '../../src/domain/booking/booking.ts';
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
  evolve: (doc, event, id) => counted(doc, [event], id),
  evolveAll: counted,
};

/** A showing touches ten documents with a hundred counts each, so what many events add is added to one copy. */
function counted(
  doc: GroundTruthDocument | null,
  events: readonly (BookingEvent | RecommendationEvent)[],
  id: string,
): GroundTruthDocument {
  const before = doc ?? { activityId: id as ActivityId, tried: NOTHING, visited: NOTHING };
  const tried = before.tried.slice();
  const visited = before.visited.slice();
  for (const event of events) {
    if (event.type === 'RecommendationServed') {
      raise(tried, levelsOf(event.data.profile));
    } else if (event.type === 'VisitVerified') {
      const { attribution } = event.data;
      // Of a guest who came without a recommendation nothing is known but that they came.
      const levels = attribution?.segment ? levelsOf(attribution.segment) : [EVERYBODY];
      raise(visited, levels);
      // A visit that a showing led to was tried when it was shown.
      const shown = typeof attribution?.rank === 'number';
      if (!shown) raise(tried, levels);
    }
  }
  return { ...before, tried, visited };
}

const NOTHING: readonly number[] = Array.from({ length: LEVELS }, () => 0);

/** One more at each of the levels. */
function raise(counts: number[], levels: readonly number[]): void {
  for (const level of levels) counts[level] = (counts[level] ?? 0) + 1;
}
