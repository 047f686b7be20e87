import { localDate } from '../../src/domain/activity/schedule.ts';
import type { BookingEvent } from '../../src/domain/booking/events.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { VisitCell } from './read-model.ts';

/**
 * One document per cell, keyed by its dimensions. Every verified visit counts, with or without a recommendation; disputed
 * visits are counted apart.
 */
export const visitsProjection: Projection<VisitCell, BookingEvent> = {
  name: 'visits',
  version: 2,
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
    case 'VisitVerified': {
      const { verifiedAtMs, keyId, city, venueId, activityId, method, numGuests, attribution, disputed } = event.data;
      const day = localDate(city, verifiedAtMs);
      const { travelType, budget, ageGroup } = attribution?.segment ?? NO_SEGMENT;
      const counts = disputed ? { visits: 0, guests: 0, disputed: 1 } : { visits: 1, guests: numGuests, disputed: 0 };
      return { day, keyId, city, venueId, activityId, method, travelType, budget, ageGroup, ...counts };
    }
    default:
      return null;
  }
}

const NO_SEGMENT = { travelType: null, budget: null, ageGroup: null };

/** An empty part stands for null. No part contains a slash. */
function idOf({ day, keyId, city, venueId, activityId, method, travelType, budget, ageGroup }: VisitCell): string {
  const parts = [day, keyId, city, venueId, activityId, method, travelType, budget, ageGroup];
  return parts.map((part) => part ?? '').join('/');
}
