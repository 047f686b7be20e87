import { Elysia } from 'elysia';
import type { Static } from 'typebox';
import { listDeviceDays } from '../../../projections/devicedays/query.ts';
import type { DeviceDay } from '../../../projections/devicedays/read-model.ts';
import type { DeviceDocument } from '../../../projections/devices/read-model.ts';
import { listVoided } from '../../../projections/devicevisits/query.ts';
import { type Refused, refused } from '../../application/refusal.ts';
import { type VisitsOf, voidVisits } from '../../application/venue/void-visits.ts';
import type { VenueId } from '../../domain/activity/activity.ts';
import type { CityName } from '../../domain/activity/cities.ts';
import type { BookingId, DeviceId } from '../../domain/ids.ts';
import { unusualIn } from '../../domain/venue/device-figures.ts';
import { access } from '../access.ts';
import { success } from '../answers.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { readCursor, writeCursor } from '../cursor.ts';
import { dateOf, parseMoment } from '../fields.ts';
import { cityOf } from '../venue/today.ts';
import * as schema from './schema.ts';

/** What gate devices recorded, and how the operator takes it back. */
export function visitRoutes(context: HttpContext) {
  return new Elysia({ name: 'visit', tags: ['Gate'] })
    .use(access(context))
    .post(
      '/api/visits/void',
      async ({ body, call }) => {
        const visitsOf = visitsIn(body);
        if (visitsOf.kind === 'refused') return call.refuse(visitsOf);
        const voided = await voidVisits(visitsOf, body.reason, call.cause, context);
        return call.reply(voided, ({ count, complete }) => ({ voided: count, complete }), commandHeaders);
      },
      {
        operator: true,
        body: schema.VOID_BODY,
        response: schema.VOIDED_ANSWER,
        detail: schema.VOID_VISITS_DETAIL,
      },
    )
    .get(
      '/api/visits/void',
      async ({ query }) => {
        const page = await listVoided(context.readModels, await context.collection('devicevisits'), {
          deviceId: (query.device_id ?? null) as DeviceId | null,
          bookingId: (query.booking_id ?? null) as BookingId | null,
          limit: query.limit ?? schema.DEFAULT_LIMIT,
          after: readCursor(query.cursor),
        });
        return success({ items: page.items.map(presentVoided), next_cursor: writeCursor(page.next) });
      },
      {
        positioned: 'devicevisits',
        operator: true,
        query: schema.VOIDED_QUERY,
        response: schema.VOIDED_VISITS_ANSWER,
        detail: schema.LIST_VOIDED_DETAIL,
      },
    )
    .get(
      '/api/devices',
      async ({ query }) => {
        const page = await listDeviceDays(context.readModels, await context.collection('devicedays'), {
          deviceId: (query.device_id ?? null) as DeviceId | null,
          venueId: (query.venue_id ?? null) as VenueId | null,
          unusual: query.unusual ?? null,
          from: query.from === undefined ? null : dateOf(query.from),
          to: query.to === undefined ? null : dateOf(query.to),
          limit: query.limit ?? schema.DEFAULT_LIMIT,
          after: readCursor(query.cursor),
        });
        const ids = page.items.map(({ deviceId }) => deviceId);
        const devices = await context.readModels.load(await context.collection('devices'), ids);
        const items = page.items.map((day) => {
          // Only the projection's fold writes documents to this collection.
          const device = (devices.get(day.deviceId)?.doc ?? null) as DeviceDocument | null;
          return presentDay(day, device, cityOf(day.venueId, context.catalogue));
        });
        return success({ items, next_cursor: writeCursor(page.next) });
      },
      {
        positioned: 'devicedays',
        operator: true,
        query: schema.devicesQuery(context),
        response: schema.DEVICE_DAYS_ANSWER,
        detail: schema.LIST_DEVICE_DAYS_DETAIL,
      },
    );
}

function visitsIn({
  booking_id: bookingId,
  device_id: deviceId,
  from,
  to,
}: Static<(typeof schema.VOID_BODY)['schema']>): VisitsOf | Refused {
  if (bookingId !== undefined) {
    const others = Object.entries({ device_id: deviceId, from, to }).filter(([, value]) => value !== undefined);
    if (others.length === 0) return { kind: 'booking', id: bookingId };
    const names = others.map(([name]) => name).join(', ');
    return refused('INVALID_REQUEST', `${names} must be left out with booking_id: a booking has one visit.`);
  }
  if (deviceId === undefined)
    return refused('INVALID_REQUEST', 'booking_id or device_id is missing; send one of them.');
  const fromMs = from === undefined ? null : (parseMoment(from)?.fromMs ?? null);
  const toMs = to === undefined ? null : (parseMoment(to)?.toMs ?? null);
  return { kind: 'device', deviceId: deviceId as DeviceId, fromMs, toMs };
}

function presentVoided(visit: Awaited<ReturnType<typeof listVoided>>['items'][number]) {
  return {
    booking_id: visit.bookingId,
    activity_id: visit.activityId,
    venue_id: visit.venueId,
    device_id: visit.deviceId,
    gate: visit.gate,
    verified_at: new Date(visit.verifiedAtMs).toISOString(),
    reported_at: visit.reportedAtMs === null ? null : new Date(visit.reportedAtMs).toISOString(),
    uploaded_sequence: visit.uploadedSequence,
    disputed: visit.disputed,
    voided_at: visit.voidedAt,
    reason: visit.reason,
  };
}

function presentDay(day: DeviceDay, device: DeviceDocument | null, city: CityName | null) {
  return {
    device_id: day.deviceId,
    venue_id: day.venueId,
    name: device?.name ?? null,
    paused: device?.paused ?? null,
    day: day.day,
    city,
    visits: day.visits,
    disputed: day.disputed,
    voided: day.voided,
    early: day.early,
    most_per_minute: day.mostPerMinute,
    unusual: unusualIn(day),
  };
}
