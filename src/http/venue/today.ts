import type { LocalDate, VenueId } from '../../domain/activity/activity.ts';
import { localDate, utcDate } from '../../domain/activity/schedule.ts';
import type { HttpContext } from '../context.ts';

/** The date now at the venue; in UTC if the catalogue no longer has an activity there. */
export function todayAt(venueId: VenueId, { catalogue, clock }: Pick<HttpContext, 'catalogue' | 'clock'>): LocalDate {
  for (const { activity } of catalogue.values())
    if (activity.venue.id === venueId) return localDate(activity.city, clock.nowMs());
  return utcDate(clock.nowMs());
}
