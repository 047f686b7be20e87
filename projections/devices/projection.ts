import type { VenueEvent } from '../../src/domain/venue/venue.ts';
import { unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { DeviceDocument } from './read-model.ts';

/** One document per gate device, keyed by its id. Removing a device deletes its document. */
export const devicesProjection: Projection<DeviceDocument, VenueEvent> = {
  name: 'devices',
  version: 3,
  categories: ['venue'],
  indexes: [],
  idsOf: (event) => [event.data.deviceId],
  evolve(doc, event) {
    switch (event.type) {
      case 'DeviceRegistered':
      case 'TestDeviceRegistered': {
        const { venueId, deviceId, name, hash } = event.data;
        const mode = event.type === 'DeviceRegistered' ? 'live' : 'test';
        return { venueId, deviceId, name, mode, paused: false, hash };
      }
      case 'DevicePaused':
        return doc === null ? null : { ...doc, paused: true };
      case 'DeviceResumed':
        return doc === null ? null : { ...doc, paused: false };
      case 'DeviceRemoved':
        return null;
      default:
        return unreachable(event);
    }
  },
};
