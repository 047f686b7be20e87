import type { LocalDate, VenueId } from '../../domain/activity/activity.ts';
import { type CityName, cityFacts } from '../../domain/activity/cities.ts';
import { localDate, utcDate } from '../../domain/activity/schedule.ts';
import type { HttpContext } from '../context.ts';

/** The date now at the venue; in UTC if the catalogue no longer has an activity there. */
export function todayAt(venueId: VenueId, { catalogue, clock }: Pick<HttpContext, 'catalogue' | 'clock'>): LocalDate {
  const city = cityOf(venueId, catalogue);
  return city === null ? utcDate(clock.nowMs()) : localDate(city, clock.nowMs());
}

/** A venue as its gates know it; its id and UTC if the catalogue no longer has an activity there. */
export function venueOf(venueId: VenueId, { catalogue }: Pick<HttpContext, 'catalogue'>) {
  for (const { activity } of catalogue.values())
    if (activity.venue.id === venueId)
      return {
        venueName: activity.venue.name,
        timeZone: cityFacts(activity.city).timeZone,
        admitAtOnce: activity.venue.admitAtOnce === true,
      };
  return { venueName: venueId, timeZone: 'UTC', admitAtOnce: false };
}

/** Null if the catalogue no longer has an activity there. */
export function cityOf(venueId: VenueId, catalogue: HttpContext['catalogue']): CityName | null {
  for (const { activity } of catalogue.values()) if (activity.venue.id === venueId) return activity.city;
  return null;
}
