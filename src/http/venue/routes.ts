import { Elysia } from 'elysia';
import { refused } from '../../application/refusal.ts';
import { listDevices, registerDevice, removeDevice } from '../../application/venue/manage-devices.ts';
import type { VenueId } from '../../domain/activity/activity.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { presentDevices, presentRegistered } from './present.ts';
import { DEVICE_PATH, DEVICE_REQUEST, DEVICES, REGISTERED_DEVICE, REMOVED_DEVICE, VENUE_PATH } from './schema.ts';

export function venueRoutes(context: HttpContext) {
  return new Elysia({ name: 'venue' })
    .use(access(context))
    .get(
      '/api/venues/:venue_id/devices',
      async ({ params, call }) => {
        const venueId = venueIn(params.venue_id, context);
        if (venueId === null) return call.refuse(noVenue(params.venue_id));
        const found = await listDevices(venueId, context);
        return found.kind === 'refused' ? call.refuse(found) : success(presentDevices(venueId, found.devices));
      },
      {
        operator: 'admin',
        params: VENUE_PATH,
        response: DEVICES,
        detail: {
          operationId: 'list_devices',
          tags: ['Gate'],
          summary: 'The gate devices of a venue',
          description:
            'All devices on one page, in the order of their registration. Remove a lost device by its `device_id`.',
        },
      },
    )
    .post(
      '/api/venues/:venue_id/devices',
      async ({ params, body, call, set }) => {
        const venueId = venueIn(params.venue_id, context);
        if (venueId === null)
          return call.refuse(noVenue(params.venue_id, '; inventory names the venue_id of each activity'));
        const device = await registerDevice({ venueId, name: body.name }, call.cause, context);
        if (device.kind === 'refused') return call.refuse(device);
        await context.passed('devices', device.position);
        Object.assign(set.headers, commandHeaders(device));
        return success(presentRegistered(device));
      },
      {
        operator: 'admin',
        params: VENUE_PATH,
        body: DEVICE_REQUEST,
        response: REGISTERED_DEVICE,
        detail: {
          operationId: 'create_device',
          tags: ['Gate'],
          summary: 'Register a gate device',
          description:
            "This answer is the only one that returns the device's key. The device verifies vouchers of this venue only.",
        },
      },
    )
    .delete(
      '/api/venues/:venue_id/devices/:device_id',
      async ({ params, call, set }) => {
        const { device_id: deviceId } = params;
        const venueId = venueIn(params.venue_id, context);
        if (venueId === null) return call.refuse(noVenue(params.venue_id));
        const removed = await removeDevice({ venueId, deviceId }, call.cause, context);
        if (removed.kind === 'refused') return call.refuse(removed);
        if (removed.position !== null) await context.passed('devices', removed.position);
        Object.assign(set.headers, commandHeaders(removed));
        return success({ device_id: deviceId, venue_id: venueId, removed: true });
      },
      {
        operator: 'admin',
        params: DEVICE_PATH,
        response: REMOVED_DEVICE,
        detail: {
          operationId: 'delete_device',
          tags: ['Gate'],
          summary: 'Remove a gate device',
          description: "The device's key is invalid from this answer on.",
        },
      },
    );
}

/** The id of a venue in the catalogue; null if unknown. */
function venueIn(id: string, { catalogue }: HttpContext): VenueId | null {
  for (const { activity } of catalogue.values()) if (activity.venue.id === id) return activity.venue.id;
  return null;
}

function noVenue(id: string, advice = '') {
  return refused('NOT_FOUND', `The catalogue has no venue "${id}"${advice}.`);
}
