import type { ActivityId } from '../../src/domain/activity/activity.ts';
import type { BookingEvent, VisitFacts } from '../../src/domain/booking/events.ts';
import type { RecommendationEvent } from '../../src/domain/recommendation/recommendation.ts';
import { EVERYBODY, LEVELS, levelsOf } from '../../src/domain/recommendation/segments.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { GroundTruthDocument } from './read-model.ts';

/** One document per activity, keyed by its id. Neither disputed nor voided visits count. */
export const groundTruthProjection: Projection<GroundTruthDocument, BookingEvent | RecommendationEvent> = {
  name: 'groundtruth',
  version: 2,
  categories: ['booking', 'recommendation'],
  indexes: [],
  idsOf(event) {
    if (event.type === 'RecommendationServed') return event.data.ranked.ids.slice(0, event.data.shown);
    const visit = visitIn(event);
    return visit === null || visit.disputed ? [] : [visit.activityId];
  },
  evolve: (doc, event, id) => countEvents(doc, [event], id),
  evolveAll: countEvents,
};

/** Copies the counts once for a whole batch: a recommendation changes ten documents with a hundred counts each. */
function countEvents(
  doc: GroundTruthDocument | null,
  events: readonly (BookingEvent | RecommendationEvent)[],
  id: string,
): GroundTruthDocument {
  const before = doc ?? { activityId: id as ActivityId, tried: ZEROS, visited: ZEROS };
  const tried = before.tried.slice();
  const visited = before.visited.slice();
  for (const event of events) {
    if (event.type === 'RecommendationServed') {
      add(1, tried, levelsOf(event.data.profile));
      continue;
    }
    const attribution = visitIn(event)?.attribution;
    const step = event.type === 'VisitVoided' ? -1 : 1;
    // A guest who came without a recommendation has no segment.
    const levels = attribution?.segment ? levelsOf(attribution.segment) : [EVERYBODY];
    add(step, visited, levels);
    // With a rank the visit follows an impression, which is counted already.
    if (typeof attribution?.rank !== 'number') add(step, tried, levels);
  }
  return { ...before, tried, visited };
}

const ZEROS: readonly number[] = Array.from({ length: LEVELS }, () => 0);

/** The visit that an event adds or takes back. */
function visitIn(event: BookingEvent | RecommendationEvent): VisitFacts | null {
  if (event.type === 'VisitVoided') return event.data.visit;
  return event.type === 'VisitVerified' ? event.data : null;
}

function add(step: number, counts: number[], levels: readonly number[]): void {
  for (const level of levels) counts[level] = (counts[level] ?? 0) + step;
}
