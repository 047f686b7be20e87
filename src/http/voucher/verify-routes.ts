import { Elysia } from 'elysia';
import { type Refused, refused } from '../../application/refusal.ts';
import { listRevocations } from '../../application/venue/list-revocations.ts';
import { codeOfShortCode } from '../../application/voucher/find-voucher.ts';
import { type Verified, verifyVoucher } from '../../application/voucher/verify-voucher.ts';
import { cityFacts } from '../../domain/activity/cities.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import { modeOf } from '../../domain/ids.ts';
import { normalizeCode, normalizeShortCode, readToken, scannedText } from '../../vouchers/token.ts';
import { access } from '../access.ts';
import { commandHeaders } from '../command-headers.ts';
import type { HttpContext } from '../context.ts';
import { dateOf, parseTimestamp } from '../fields.ts';
import { presentHours } from '../venue/present-hours.ts';
import { todayAt } from '../venue/today.ts';
import * as schema from './schema.ts';

/** Routes for gate devices. */
export function verifyRoutes(context: HttpContext) {
  const publicKeys = new Map(context.signingKeys.all.map((key) => [key.kid, key.publicKey]));
  return new Elysia({ name: 'verify', tags: ['Gate'] })
    .use(access(context))
    .get(
      '/api/venue/revocations',
      async ({ query, device, call }) => {
        const { venueId, mode } = device;
        const date = query.date === undefined ? todayAt(venueId, context) : dateOf(query.date);
        const list = await listRevocations({ venueId, date, mode }, context);
        return call.reply(list, ({ issuedAtMs, count, signed }) => {
          return { venue_id: venueId, date, issued_at: new Date(issuedAtMs).toISOString(), count, list: signed };
        });
      },
      {
        positioned: ['revocations', 'bookings'],
        device: true,
        query: schema.revocationsQuery(context),
        response: schema.REVOCATIONS_ANSWER,
        detail: schema.REVOCATIONS_DETAIL,
      },
    )
    .post(
      '/api/venue/verify',
      async ({ body, device, idempotencyKey, call }) => {
        const reportedAtMs = context.clock.nowMs();
        const {
          code,
          gate = null,
          verified_at: sentVerifiedAt = null,
          uploaded_sequence: uploadedSequence = null,
          dry_run: dryRun = false,
          guests_present: guestsPresent = null,
        } = body;
        if (uploadedSequence !== null && sentVerifiedAt === null) return call.refuse(sequenceWithoutTime());
        const verifiedAtMs = sentVerifiedAt === null ? reportedAtMs : (parseTimestamp(sentVerifiedAt) ?? reportedAtMs);
        const scanned = readScan(code, publicKeys);
        if (scanned.kind === 'bad-signature') return call.refuse(badSignature());
        const { deviceId, venueId, mode } = device;
        const voucher =
          scanned.kind === 'short-code'
            ? await codeOfShortCode({ venueId, shortCode: scanned.code }, deviceId, context)
            : scanned;
        if (voucher.kind === 'refused') return call.refuse(voucher);
        const times = { verifiedAtMs, reportedAtMs, sentVerifiedAt, uploadedSequence };
        const sent = { gate, dryRun, guestsPresent, idempotencyKey, ...times };
        const verified = await verifyVoucher(
          { code: voucher.code, method: scanned.method, ...sent, deviceId, venueId, mode },
          call.cause,
          context,
        );
        return call.reply(verified, (visit) => presentVisit(visit, context), commandHeaders);
      },
      {
        idempotent: true,
        device: true,
        body: schema.VERIFY_BODY,
        response: schema.VERIFIED_ANSWER,
        detail: schema.VERIFY_VOUCHER_DETAIL,
      },
    );
}

/** What was scanned or typed: the token or address of a QR code, or a code, or a short code. */
function readScan(text: string, keys: Parameters<typeof readToken>[1]) {
  const sent = scannedText(text);
  const token = readToken(sent, keys);
  if (token.kind === 'bad-signature') return token;
  if (token.kind === 'token') return { kind: 'code', code: token.facts.code, method: 'qr_scan' } as const;
  const shortCode = normalizeShortCode(sent);
  return shortCode === null
    ? ({ kind: 'code', code: normalizeCode(sent), method: 'manual' } as const)
    : ({ kind: 'short-code', code: shortCode, method: 'manual' } as const);
}

function sequenceWithoutTime(): Refused {
  return refused(
    'INVALID_REQUEST',
    'uploaded_sequence is sent with an offline scan only; send the time of the scan in verified_at, or leave it out.',
  );
}

function badSignature(): Refused {
  return refused(
    'VOUCHER_TOKEN_INVALID',
    'The signature of this QR code is invalid: Waymark did not issue it, or it was changed. Admit nobody with it.',
  );
}

/** A verified voucher as the gate's device shows it. */
function presentVisit({ id, booking, guest, visit, dryRun }: Verified, { catalogue }: HttpContext) {
  const { facts, hours } = booking;
  const numGuests = guestsOf(facts);
  const activity = catalogue.get(facts.activityId)?.activity;
  return {
    booking_id: id,
    mode: modeOf(id),
    dry_run: dryRun,
    activity_id: facts.activityId,
    activity_title: activity?.texts[facts.language].title ?? facts.activityId,
    venue_id: facts.venueId,
    venue_name: activity?.venue.name ?? facts.venueId,
    verified_at: new Date(visit.verifiedAtMs).toISOString(),
    verification_method: visit.method,
    check_in_data: { gate: visit.gate, device_id: visit.deviceId },
    ...presentHours(hours),
    time_zone: cityFacts(facts.city).timeZone,
    user_name: guest.name,
    special_requests: guest.specialRequests,
    num_adults: facts.numAdults,
    num_children: facts.numChildren,
    num_guests: numGuests,
    guests_present: visit.guestsPresent ?? numGuests,
  };
}
