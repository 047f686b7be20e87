import type { ActivityId, LocalDate } from '../../src/domain/activity/activity.ts';
import type { AllotmentEvent } from '../../src/domain/allotment/events.ts';
import { type AllotmentId, liveAllotmentOf, modeOf, parseHoldId } from '../../src/domain/ids.ts';
import { inBothModes } from '../../src/domain/test-streams.ts';
import { type Recorded, streamId } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { HoldDocument } from './read-model.ts';

/** One document per open hold, keyed by its id. */
export const holdsProjection: Projection<HoldDocument, AllotmentEvent> = {
  name: 'holds',
  version: 1,
  categories: inBothModes('allotment'),
  indexes: [['expiresAt'], ['keyId', 'expiresAt'], ['activityId', 'date', 'expiresAt'], ['date', 'expiresAt']],
  idsOf(event) {
    switch (event.type) {
      case 'SlotsHeld':
      case 'HoldTaken':
        return [event.data.hold];
      case 'SlotsReleased':
        return parseHoldId(event.data.claim) === null ? [] : [event.data.claim];
      default:
        return [];
    }
  },
  evolve: (_doc, event) => (event.type === 'SlotsHeld' ? opened(event) : null),
};

function opened({ stream, data }: Recorded<Extract<AllotmentEvent, { type: 'SlotsHeld' }>>): HoldDocument {
  const { hold: holdId, size: guests, expiresAtMs, holder } = data;
  // `{activity}-{date}`
  const place = liveAllotmentOf(streamId(stream) as AllotmentId);
  return {
    holdId,
    keyId: holder?.keyId ?? null,
    mode: modeOf(holdId),
    activityId: place.slice(0, -11) as ActivityId,
    date: place.slice(-10) as LocalDate,
    guests,
    expiresAt: new Date(expiresAtMs).toISOString(),
  };
}
