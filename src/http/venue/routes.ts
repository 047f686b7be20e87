import { Elysia } from 'elysia';
import { refused } from '../../application/refusal.ts';
import { listDevices, registerDevice, removeDevice } from '../../application/venue/manage-devices.ts';
import type { VenueId } from '../../domain/activity/activity.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import {
  DEVICE_BODY,
  DEVICE_PATH,
  DEVICES_ANSWER,
  REGISTERED_DEVICE_ANSWER,
  REMOVED_DEVICE_ANSWER,
  VENUE_PATH,
} from './schema.ts';

export function venueRoutes(context: HttpContext) {
  return new Elysia({ name: 'venue', tags: ['Gate'] })
    .use(access(context))
    .get(
      '/api/venues/:venue_id/devices',
      async ({ params, call }) => {
        const venueId = venueIn(params.venue_id, context);
        if (venueId === null) return call.refuse(noVenue(params.venue_id));
        return call.reply(await listDevices(venueId, context), ({ devices }) => {
          const items = Object.values(devices).map(({ deviceId, name, at }) => {
            return { device_id: deviceId, venue_id: venueId, name, created_at: at };
          });
          return { items, next_cursor: null };
        });
      },
      {
        operator: 'admin',
        params: VENUE_PATH,
        response: DEVICES_ANSWER,
        detail: {
          operationId: 'list_devices',
          summary: 'The gate devices of a venue',
          description:
            'All devices on one page, in the order of their registration. Remove a lost device by its `device_id`.',
        },
      },
    )
    .post(
      '/api/venues/:venue_id/devices',
      async ({ params, body, call }) => {
        const venueId = venueIn(params.venue_id, context);
        if (venueId === null)
          return call.refuse(noVenue(params.venue_id, '; inventory names the venue_id of each activity'));
        const device = await registerDevice({ venueId, name: body.name }, call.cause, context);
        if (device.kind !== 'refused') await context.passed('devices', device.position);
        return call.reply(
          device,
          ({ deviceId, name, deviceKey }) => {
            return { device_id: deviceId, venue_id: venueId, name, device_key: deviceKey };
          },
          commandHeaders,
        );
      },
      {
        operator: 'admin',
        params: VENUE_PATH,
        body: DEVICE_BODY,
        response: REGISTERED_DEVICE_ANSWER,
        detail: {
          operationId: 'create_device',
          summary: 'Register a gate device',
          description:
            "This answer is the only one that returns the device's key. The device verifies vouchers of this venue only.",
        },
      },
    )
    .delete(
      '/api/venues/:venue_id/devices/:device_id',
      async ({ params, call }) => {
        const { device_id: deviceId } = params;
        const venueId = venueIn(params.venue_id, context);
        if (venueId === null) return call.refuse(noVenue(params.venue_id));
        const removed = await removeDevice({ venueId, deviceId }, call.cause, context);
        if (removed.kind === 'removed' && removed.position !== null) await context.passed('devices', removed.position);
        return call.reply(removed, () => ({ device_id: deviceId, venue_id: venueId, removed: true }), commandHeaders);
      },
      {
        operator: 'admin',
        params: DEVICE_PATH,
        response: REMOVED_DEVICE_ANSWER,
        detail: {
          operationId: 'delete_device',
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
