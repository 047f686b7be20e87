import type { RegisteredDevice } from '../../application/venue/manage-devices.ts';
import type { VenueId } from '../../domain/activity/activity.ts';
import type { VenueDevices } from '../../domain/venue/venue.ts';

export function presentRegistered({ deviceId, venueId, name, deviceKey }: RegisteredDevice) {
  return { device_id: deviceId, venue_id: venueId, name, device_key: deviceKey };
}

/** The devices of a venue as one page, in order of registration. */
export function presentDevices(venueId: VenueId, devices: VenueDevices['devices']) {
  const items = Object.values(devices).map(({ deviceId, name, at }) => {
    return { device_id: deviceId, venue_id: venueId, name, created_at: at };
  });
  return { items, next_cursor: null };
}
