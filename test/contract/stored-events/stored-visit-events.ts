import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { STORED_PUBLIC_EVENTS } from './stored-public-events.ts';

const { publicFacts: _, ...visit } = STORED_PUBLIC_EVENTS['VisitVerified.v6'].data;

/** What the golden files of events about a recorded visit mean. */
export const STORED_VISIT_EVENTS = {
  'GuestsArrived.v1': {
    type: 'GuestsArrived',
    data: { guestsPresent: 3, deviceId: visit.deviceId, at: '2026-12-24T04:10:00.000Z' },
  },
  'VisitVoided.v1': {
    type: 'VisitVoided',
    data: {
      visit,
      reason: 'The device was stolen on 23 December.',
      by: 'operator',
      at: '2026-12-26T02:00:00.000Z',
    },
  },
} satisfies Record<string, BookingEvent>;
