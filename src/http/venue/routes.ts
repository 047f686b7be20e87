import { Elysia } from 'elysia';
import { refused } from '../../application/refusal.ts';
import { changeDevice, listDevices, registerDevice } from '../../application/venue/manage-devices.ts';
import type { VenueId } from '../../domain/activity/activity.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import * as schema from './schema.ts';

export function venueRoutes(context: HttpContext) {
  /** Returns once this node applies the change. */
  async function change(wish: Parameters<typeof changeDevice>[0], { venue_id, device_id }: DevicePath, cause: Cause) {
    const venueId = venueIn(venue_id, context);
    if (venueId === null) return noVenue(venue_id);
    const changed = await changeDevice(wish, { venueId, deviceId: device_id }, cause, context);
    if (changed.kind === 'changed' && changed.position !== null) await context.passed('devices', changed.position);
    return changed;
  }
  return new Elysia({ name: 'venue', tags: ['Gate'] })
    .use(access(context))
    .get(
      '/api/venues/:venue_id/devices',
      async ({ params, call }) => {
        const venueId = venueIn(params.venue_id, context);
        if (venueId === null) return call.refuse(noVenue(params.venue_id));
        return call.reply(await listDevices(venueId, context), ({ devices }) => {
          const items = Object.values(devices).map(({ deviceId, name, mode, paused, pauseReason, at }) => {
            const state = { paused, pause_reason: pauseReason };
            return { device_id: deviceId, venue_id: venueId, name, mode, ...state, created_at: at };
          });
          return { items, next_cursor: null };
        });
      },
      {
        operator: true,
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
        operator: true,
        params: schema.VENUE_PATH,
        body: schema.DEVICE_BODY,
        response: schema.REGISTERED_DEVICE_ANSWER,
        detail: schema.CREATE_DEVICE_DETAIL,
      },
    )
    .delete(
      '/api/venues/:venue_id/devices/:device_id',
      async ({ params, call }) => {
        const changed = await change({ type: 'RemoveDevice' }, params, call.cause);
        return call.reply(changed, () => ({ ...namedBy(params), removed: true }), commandHeaders);
      },
      {
        operator: true,
        params: schema.DEVICE_PATH,
        response: schema.REMOVED_DEVICE_ANSWER,
        detail: schema.DELETE_DEVICE_DETAIL,
      },
    )
    .post(
      '/api/venues/:venue_id/devices/:device_id/pause',
      async ({ params, body, call }) => {
        const changed = await change({ type: 'PauseDevice', reason: body.reason ?? null }, params, call.cause);
        return call.reply(changed, () => ({ ...namedBy(params), paused: true }), commandHeaders);
      },
      {
        operator: true,
        params: schema.DEVICE_PATH,
        body: schema.REASON_BODY,
        response: schema.PAUSED_DEVICE_ANSWER,
        detail: schema.PAUSE_DEVICE_DETAIL,
      },
    )
    .post(
      '/api/venues/:venue_id/devices/:device_id/resume',
      async ({ params, body, call }) => {
        const changed = await change({ type: 'ResumeDevice', reason: body.reason ?? null }, params, call.cause);
        return call.reply(changed, () => ({ ...namedBy(params), paused: false }), commandHeaders);
      },
      {
        operator: true,
        params: schema.DEVICE_PATH,
        body: schema.REASON_BODY,
        response: schema.RESUMED_DEVICE_ANSWER,
        detail: schema.RESUME_DEVICE_DETAIL,
      },
    );
}

type DevicePath = { readonly venue_id: string; readonly device_id: string };

function namedBy({ venue_id, device_id }: DevicePath) {
  return { device_id, venue_id };
}

/** The id of a venue in the catalogue; null if unknown. */
function venueIn(id: string, { catalogue }: HttpContext): VenueId | null {
  for (const { activity } of catalogue.values()) if (activity.venue.id === id) return activity.venue.id;
  return null;
}

function noVenue(id: string, advice = '') {
  return refused('NOT_FOUND', `The catalogue has no venue "${id}"${advice}.`);
}
