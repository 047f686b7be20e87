import { type BookingFacts, type BookingSubject, guestsOf } from './booking.ts';

/** The facts of a booking that each of its events repeats for its readers. */
export function subjectOf(facts: BookingFacts): BookingSubject {
  const { keyId, activityId, venueId, city, category, date, attribution } = facts;
  return { keyId, activityId, venueId, city, category, date, attribution, numGuests: guestsOf(facts) };
}
