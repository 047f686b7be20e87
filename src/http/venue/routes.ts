import { Elysia } from 'elysia';
import { refused } from '../../application/refusal.ts';
import { listDevices, registerDevice, removeDevice } from '../../application/venue/manage-devices.ts';
import type { VenueId } from '../../domain/activity/activity.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './schema.ts';

export function venueRoutes(context: HttpContext) {
  return new Elysia({ name: 'venue', tags: ['Gate'] })
    .use(access(context))
    .get(
      '/api/venues/:venue_id/devices',
      async ({ params, call }) => {
        const venueId = venueIn(params.venue_id, context);
        if (venueId === null) return call.refuse(noVenue(params.venue_id));
        return call.reply(await listDevices(venueId, context), ({ devices }) => {
          const items = Object.values(devices).map(({ deviceId, name, mode, at }) => {
            return { device_id: deviceId, venue_id: venueId, name, mode, created_at: at };
          });
          return { items, next_cursor: null };
        });
      },
      {
        operator: 'admin',
        params: schema.VENUE_PATH,
        response: schema.DEVICES_ANSWER,
        detail: schema.LIST_DEVICES_DETAIL,
      },
    )
    .post(
      '/api/venues/:venue_id/devices',
      async ({ params, body, call }) => {
        const venueId = venueIn(params.venue_id, context);
        if (venueId === null)
          return call.refuse(noVenue(params.venue_id, '; inventory names the venue_id of each activity'));
        const device = await registerDevice(
          { venueId, name: body.name, mode: body.mode ?? 'live' },
          call.cause,
          context,
        );
        if (device.kind !== 'refused') await context.passed('devices', device.position);
        return call.reply(
          device,
          ({ deviceId, name, mode, deviceKey }) => {
            return { device_id: deviceId, venue_id: venueId, name, mode, device_key: deviceKey };
          },
          commandHeaders,
        );
      },
      {
        operator: 'admin',
        params: schema.VENUE_PATH,
        body: schema.DEVICE_BODY,
        response: schema.REGISTERED_DEVICE_ANSWER,
        detail: schema.CREATE_DEVICE_DETAIL,
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
        params: schema.DEVICE_PATH,
        response: schema.REMOVED_DEVICE_ANSWER,
        detail: schema.DELETE_DEVICE_DETAIL,
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
