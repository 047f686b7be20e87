import { Elysia } from 'elysia';
import { type Refused, refused } from '../../application/refusal.ts';
import { type Verified, verifyVoucher } from '../../application/voucher/verify-voucher.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { modeOf } from '../../domain/ids.ts';
import { HOUR_MS, MINUTE_MS } from '../../eventsourcing/durations.ts';
import { normalizeCode, readToken } from '../../vouchers/token.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { parseTimestamp } from '../fields.ts';
import * as schema from './schema.ts';

/** Maximum age of a scan that an offline device reports later. */
const OFFLINE_MS = 48 * HOUR_MS;
/** Maximum time by which a device's clock may be ahead. */
const CLOCK_SKEW_MS = MINUTE_MS;

/** Routes for gate devices. */
export function verifyRoutes(context: HttpContext) {
  const publicKeys = new Map(context.signingKeys.all.map((key) => [key.kid, key.publicKey]));
  return new Elysia({ name: 'verify', tags: ['Gate'] }).use(access(context)).post(
    '/api/venue/verify',
    async ({ body, device, idempotencyKey, call }) => {
      const nowMs = context.clock.nowMs();
      const { code, gate = null, verified_at: sentVerifiedAt = null } = body;
      const verifiedAtMs = sentVerifiedAt === null ? nowMs : (parseTimestamp(sentVerifiedAt) ?? nowMs);
      if (verifiedAtMs > nowMs + CLOCK_SKEW_MS || verifiedAtMs < nowMs - OFFLINE_MS) {
        const now = new Date(nowMs).toISOString();
        const message = `verified_at must lie within the last 48 hours; it was ${sentVerifiedAt}, now it is ${now}.`;
        return call.refuse(refused('INVALID_REQUEST', message));
      }
      const token = readToken(code, publicKeys);
      if (token.kind === 'bad-signature') return call.refuse(badSignature());
      const scanned =
        token.kind === 'token'
          ? ({ code: token.facts.code, method: 'qr_scan' } as const)
          : ({ code: normalizeCode(code), method: 'manual' } as const);
      const { deviceId, venueId, mode } = device;
      const request = { ...scanned, deviceId, venueId, mode, gate, verifiedAtMs, sentVerifiedAt, idempotencyKey };
      const verified = await verifyVoucher(request, call.cause, context);
      return call.reply(verified, (visit) => presentVisit(visit, context), commandHeaders);
    },
    {
      device: true,
      idempotent: true,
      body: schema.VERIFY_BODY,
      response: schema.VERIFIED_ANSWER,
      detail: schema.VERIFY_VOUCHER_DETAIL,
    },
  );
}

function badSignature(): Refused {
  return refused(
    'VOUCHER_TOKEN_INVALID',
    'The signature of this QR code is invalid: Waymark did not issue it, or it was changed. Admit nobody with it.',
  );
}

/** A verified voucher as the gate's device shows it. */
function presentVisit({ id, booking, guest, visit }: Verified, { catalogue }: HttpContext) {
  const { facts } = booking;
  const activity = catalogue.get(facts.activityId)?.activity;
  return {
    booking_id: id,
    mode: modeOf(id),
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
