import { type BookingFacts, type BookingSubject, guestsOf } from './booking.ts';

/** What readers of an event need to know of the booking it is about. */
export function subjectOf(facts: BookingFacts): BookingSubject {
  const { keyId, activityId, venueId, city, category, date, attribution } = facts;
  return { keyId, activityId, venueId, city, category, date, attribution, numGuests: guestsOf(facts) };
}
