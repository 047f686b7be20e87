import { localDate } from '../../src/domain/activity/schedule.ts';
import type { BookingEvent, VisitFacts } from '../../src/domain/booking/events.ts';
import { DEFAULT_MODEL_NAME } from '../../src/domain/recommendation/ranking-model.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { VisitCell } from './read-model.ts';

/**
 * One document per cell, keyed by its dimensions. Every verified visit counts, with or without a recommendation; disputed
 * visits are counted apart. A voided visit is subtracted from its cell.
 */
export const visitsProjection: Projection<VisitCell, BookingEvent> = {
  name: 'visits',
  version: 4,
  categories: ['booking'],
  indexes: [['day'], ['city', 'day'], ['activityId', 'day']],
  idsOf(event) {
    const cell = cellOf(event);
    return cell === null ? [] : [idOf(cell)];
  },
  evolve(doc, event) {
    const cell = cellOf(event);
    if (doc === null || cell === null) return cell;
    return {
      ...doc,
      visits: doc.visits + cell.visits,
      guests: doc.guests + cell.guests,
      disputed: doc.disputed + cell.disputed,
    };
  },
};

/** A cell with the counts of one event. */
function cellOf(event: BookingEvent): VisitCell | null {
  switch (event.type) {
    case 'VisitVerified':
      return cellOfVisit(event.data, 1);
    case 'VisitVoided':
      return cellOfVisit(event.data.visit, -1);
    default:
      return null;
  }
}

/** @param step 1 for a visit, -1 for one that is taken back */
function cellOfVisit(visit: VisitFacts, step: 1 | -1): VisitCell {
  const { verifiedAtMs, keyId, city, venueId, activityId, method, numGuests, attribution, disputed } = visit;
  const day = localDate(city, verifiedAtMs);
  const { travelType, budget, ageGroup } = attribution?.segment ?? NO_SEGMENT;
  const model = attribution === null ? null : (attribution.experiment?.arm ?? DEFAULT_MODEL_NAME);
  const counts = disputed
    ? { visits: 0, guests: 0, disputed: step }
    : { visits: step, guests: step * numGuests, disputed: 0 };
  return { day, keyId, city, venueId, activityId, method, travelType, budget, ageGroup, model, ...counts };
}

const NO_SEGMENT = { travelType: null, budget: null, ageGroup: null };

/** An empty part stands for null. No part contains a slash. */
function idOf(cell: VisitCell): string {
  const { day, keyId, city, venueId, activityId, method, travelType, budget, ageGroup, model } = cell;
  const parts = [day, keyId, city, venueId, activityId, method, travelType, budget, ageGroup, model];
  return parts.map((part) => part ?? '').join('/');
}
