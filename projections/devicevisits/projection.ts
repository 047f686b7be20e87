import type { BookingEvent, VisitFacts } from '../../src/domain/booking/events.ts';
import type { BookingId } from '../../src/domain/ids.ts';
import { inBothModes } from '../../src/domain/test-streams.ts';
import { type Recorded, streamId } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { DeviceVisit } from './read-model.ts';

/** One document per recorded visit, keyed `{booking}/{command}`: a booking has another visit after a void. */
export const deviceVisitsProjection: Projection<DeviceVisit, BookingEvent> = {
  name: 'devicevisits',
  version: 1,
  categories: inBothModes('booking'),
  indexes: [['deviceId', 'voidedAt', 'verifiedAtMs'], ['voidedAt']],
  idsOf(event) {
    const visit = visitIn(event);
    return visit === null ? [] : [`${streamId(event.stream)}/${visit.command}`];
  },
  evolve(doc, event) {
    const visit = visitIn(event);
    if (visit === null) return doc;
    if (event.type !== 'VisitVoided') return doc ?? documentOf(visit, event);
    return { ...documentOf(visit, event), voidedAt: event.data.at, reason: event.data.reason };
  },
};

function visitIn(event: BookingEvent): VisitFacts | null {
  if (event.type === 'VisitVoided') return event.data.visit;
  return event.type === 'VisitVerified' ? event.data : null;
}

function documentOf(visit: VisitFacts, { stream }: Recorded): DeviceVisit {
  const { command, deviceId, gate, verifiedAtMs, reportedAtMs, uploadedSequence, activityId, venueId, disputed } =
    visit;
  const scan = { command, deviceId, gate, verifiedAtMs, reportedAtMs, uploadedSequence };
  const bookingId = streamId(stream) as BookingId;
  return { ...scan, bookingId, activityId, venueId, disputed, voidedAt: null, reason: null };
}
