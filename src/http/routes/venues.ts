import { Type } from 'typebox';
import { listDevices, registerDevice, removeDevice } from '../../application/manage-devices.ts';
import { refused } from '../../application/refusal.ts';
import { type Verified, verifyVoucher } from '../../application/verify-voucher.ts';
import type { VenueId } from '../../domain/activity/activity.ts';
import { guestsOf } from '../../domain/booking/booking.ts';
import { normalizeCode, readToken } from '../../vouchers/token.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { CREATE_DEVICE, DELETE_DEVICE, LIST_DEVICES, VERIFY } from '../declarations/venues.ts';
import { endpoint } from '../endpoint.ts';
import * as field from '../fields.ts';
import { form, optional, required } from '../form.ts';

/** A device that was offline may report a scan so far back; its clock may be ahead by a little. */
const OFFLINE_MS = 48 * 3_600_000;
const CLOCK_SKEW_MS = 60_000;

const verifyShape = form({
  code: required(Type.String({ minLength: 1, maxLength: 600 }), "the voucher's code or the text of its QR code"),
  gate: optional(Type.String({ maxLength: 80 }), 'the name of the gate, at most 80 characters'),
  verified_at: optional(field.TIMESTAMP, field.TIMESTAMP_RULE),
});

/** POST /api/venue/verify */
export function verify(context: HttpContext) {
  const keys = new Map(context.signingKeys.all.map((key) => [key.kid, key.publicKey]));
  return endpoint(context, VERIFY, verifyShape, async ({ caller, fields, headers, cause }) => {
    const idempotency = field.idempotencyKey(headers);
    if (idempotency.kind === 'refused') return idempotency;
    const nowMs = context.clock.nowMs();
    const verifiedAtMs = fields.verified_at === null ? nowMs : (field.parseTimestamp(fields.verified_at) ?? nowMs);
    if (verifiedAtMs > nowMs + CLOCK_SKEW_MS || verifiedAtMs < nowMs - OFFLINE_MS) {
      return refused(
        'INVALID_REQUEST',
        `verified_at must lie within the last 48 hours; it was ${fields.verified_at}, now it is ${new Date(nowMs).toISOString()}.`,
      );
    }
    const token = readToken(fields.code ?? '', keys);
    if (token.kind === 'bad-signature') {
      return refused(
        'VOUCHER_TOKEN_INVALID',
        'The signature of this QR code does not hold: it was not issued by Waymark, or it was changed. Let nobody in on it.',
      );
    }
    const verified = await verifyVoucher(
      {
        code: token.kind === 'token' ? token.facts.code : normalizeCode(fields.code ?? ''),
        method: token.kind === 'token' ? 'qr_scan' : 'manual',
        deviceId: caller.deviceId,
        venueId: caller.venueId,
        gate: fields.gate,
        verifiedAtMs,
        sentVerifiedAt: fields.verified_at,
        idempotencyKey: idempotency.key,
      },
      cause,
      context,
    );
    if (verified.kind === 'refused') return verified;
    return {
      kind: 'data',
      data: presentVisit(verified, context),
      headers: commandHeaders(verified),
    };
  });
}

const deviceShape = form({
  name: required(Type.String({ minLength: 1, maxLength: 80 }), 'a name of 1 to 80 characters'),
});

/** POST /api/venues/{venue_id}/devices */
export function createDevice(context: HttpContext) {
  return endpoint(context, CREATE_DEVICE, deviceShape, async ({ fields, params, cause }) => {
    const venueId = params['venue_id'] ?? '';
    if (!hasVenue(venueId, context))
      return refused(
        'NOT_FOUND',
        `The catalogue has no venue "${venueId}"; inventory names the venue_id of each activity.`,
      );
    const device = await registerDevice({ venueId: venueId as VenueId, name: fields.name ?? '' }, cause, context);
    if (device.kind === 'refused') return device;
    await context.passed('devices', device.position);
    const { deviceId, name, deviceKey, position } = device;
    return {
      kind: 'data',
      data: { device_id: deviceId, venue_id: venueId, name, device_key: deviceKey },
      headers: { 'x-position': position },
    };
  });
}

/** GET /api/venues/{venue_id}/devices */
export function venueDevices(context: HttpContext) {
  return endpoint(context, LIST_DEVICES, null, async ({ params }) => {
    const venueId = params['venue_id'] ?? '';
    if (!hasVenue(venueId, context)) return refused('NOT_FOUND', `The catalogue has no venue "${venueId}".`);
    const found = await listDevices(venueId as VenueId, context);
    if (found.kind === 'refused') return found;
    const items = Object.values(found.devices).map(({ deviceId, name, at }) => {
      return { device_id: deviceId, venue_id: venueId, name, created_at: at };
    });
    return { kind: 'data', data: { items, next_cursor: null } };
  });
}

/** DELETE /api/venues/{venue_id}/devices/{device_id} */
export function deleteDevice(context: HttpContext) {
  return endpoint(context, DELETE_DEVICE, null, async ({ params, cause }) => {
    const [venueId = '', deviceId = ''] = [params['venue_id'], params['device_id']];
    if (!hasVenue(venueId, context)) return refused('NOT_FOUND', `The catalogue has no venue "${venueId}".`);
    const removed = await removeDevice({ venueId: venueId as VenueId, deviceId }, cause, context);
    if (removed.kind === 'refused') return removed;
    if (removed.position !== null) await context.passed('devices', removed.position);
    const data = { device_id: deviceId, venue_id: venueId, removed: true };
    return { kind: 'data', data, headers: commandHeaders(removed) };
  });
}

function hasVenue(venueId: string, { catalogue }: HttpContext): boolean {
  for (const { activity } of catalogue.values()) if (activity.venue.id === venueId) return true;
  return false;
}

function presentVisit({ id, booking, guest, visit }: Verified, { catalogue }: HttpContext) {
  const { facts } = booking;
  const activity = catalogue.get(facts.activityId)?.activity;
  return {
    booking_id: id,
    activity_id: facts.activityId,
    activity_title: activity?.texts[facts.language].title ?? facts.activityId,
    venue_id: facts.venueId,
    venue_name: activity?.venue.name ?? facts.venueId,
    verified_at: new Date(visit.verifiedAtMs).toISOString(),
    verification_method: visit.method,
    check_in_data: { gate: visit.gate, device_id: visit.deviceId },
    user_name: guest.name,
    num_adults: facts.numAdults,
    num_children: facts.numChildren,
    num_guests: guestsOf(facts),
  };
}
