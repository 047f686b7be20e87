import type { VenueEvent } from '../../src/domain/venue/venue.ts';
import { unreachable } from '../../src/eventsourcing/message.ts';
import type { Projection } from '../../src/eventsourcing/projection.ts';
import type { DeviceDocument } from './read-model.ts';

/** One document per gate device, keyed by its id. Removing a device deletes its document. */
export const devicesProjection: Projection<DeviceDocument, VenueEvent> = {
  name: 'devices',
  version: 2,
  categories: ['venue'],
  indexes: [],
  idsOf: (event) => [event.data.deviceId],
  evolve(_doc, event) {
    switch (event.type) {
      case 'DeviceRegistered':
      case 'TestDeviceRegistered': {
        const { venueId, deviceId, name, hash } = event.data;
        return { venueId, deviceId, name, mode: event.type === 'DeviceRegistered' ? 'live' : 'test', hash };
      }
      case 'DeviceRemoved':
        return null;
      default:
        return unreachable(event);
    }
  },
};
