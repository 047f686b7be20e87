import type { LocalDate } from '../../src/domain/activity/activity.ts';
import type { BookingEvent } from '../../src/domain/booking/events.ts';
import type { BookingId } from '../../src/domain/ids.ts';
import { inBothModes } from '../../src/domain/test-streams.ts';
import { type Recorded, streamId } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { RevocationDocument } from './read-model.ts';

/**
 * One document per booking and date that it was for, keyed `{venue}/{date}/{booking}`: a voucher with the old date is shown
 * on the old date. A booking of which only the guest's data changed has none.
 */
export const revocationsProjection: Projection<RevocationDocument, BookingEvent> = {
  name: 'revocations',
  version: 1,
  categories: inBothModes('booking'),
  indexes: [['venueId', 'date']],
  idsOf: (event) => revokedBy(event).map(idOf),
  evolve(doc, event, id) {
    const revoked = revokedBy(event).find((each) => idOf(each) === id);
    if (doc === null || revoked === undefined) return revoked ?? doc;
    return { ...doc, revision: revoked.revision ?? doc.revision, cancelled: revoked.cancelled };
  },
};

/** The documents of a booking that has no earlier ones. */
function revokedBy(event: Recorded<BookingEvent>): readonly RevocationDocument[] {
  if (event.type !== 'BookingModified' && event.type !== 'BookingCancelled') return [];
  const { venueId, date } = event.data;
  const bookingId = streamId(event.stream) as BookingId;
  const on = (day: LocalDate, revision: number | null): RevocationDocument => {
    return { venueId, date: day, bookingId, revision, cancelled: revision === null };
  };
  if (event.type === 'BookingCancelled') return [on(date, null)];
  const { changes, version } = event.data;
  if (changes.date === undefined && changes.numAdults === undefined && changes.numChildren === undefined) return [];
  const days = changes.date === undefined ? [date] : [changes.date.from, date];
  return days.map((day) => on(day, version));
}

function idOf({ venueId, date, bookingId }: RevocationDocument): string {
  return `${venueId}/${date}/${bookingId}`;
}
