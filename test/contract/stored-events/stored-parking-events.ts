import type { ParkingEvent } from '../../../src/domain/parking/parking.ts';

const DECIDED = {
  item: '9f0c3a51-7f0e-4a4e-8d0b-3f6f5f0f4d11',
  by: 'mai',
  reason: 'Another program wrote it.',
  at: '2026-11-24T03:10:00.000Z',
};

/** What the golden files of parked items mean today, by the file's name. */
export const STORED_PARKING_EVENTS = {
  'EventParked.v1': {
    type: 'EventParked',
    data: {
      id: '9f0c3a51-7f0e-4a4e-8d0b-3f6f5f0f4d11',
      stream: 'booking-0',
      revision: 0,
      position: '0000000000000417',
      type: 'BookingConfirmed.v3',
      after: '0000000000000398',
      fault: 'TypeError: undefined is not an object',
      at: '2026-11-24T03:00:00.000Z',
    },
  },
  'CommandParked.v1': {
    type: 'CommandParked',
    data: {
      id: 'ReleaseSlots claim_7h2k',
      attempts: 8,
      after: '0000000000000398',
      upTo: '0000000000000502',
      fault: 'AppendTooLarge: an append of 1200000 bytes is over the limit of 1048576',
      at: '2026-11-24T03:05:00.000Z',
    },
  },
  'ParkedRetried.v1': { type: 'ParkedRetried', data: DECIDED },
  'ParkedSkipped.v1': { type: 'ParkedSkipped', data: DECIDED },
  'ParkedResumed.v1': {
    type: 'ParkedResumed',
    data: { item: '9f0c3a51-7f0e-4a4e-8d0b-3f6f5f0f4d11', at: '2026-11-24T03:12:00.000Z' },
  },
} satisfies Record<string, ParkingEvent>;
