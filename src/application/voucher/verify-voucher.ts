import type { LocalDate, VenueId } from '../../domain/activity/activity.ts';
import type { BookingRejection } from '../../domain/booking/commands.ts';
import { bookingDecider } from '../../domain/booking/decider.ts';
import type { ReportedVisit, Visit } from '../../domain/booking/events.ts';
import { visitBy } from '../../domain/booking/state.ts';
import { type CommandId, type DeviceId, type Fingerprint, type Mode, modeOf } from '../../domain/ids.ts';
import type { Binding } from '../../domain/scan/scan.ts';
import { type Cause, type Position, unreachable } from '../../eventsourcing/message.ts';
import { type BookingContext, revisionOf } from '../booking/booking-context.ts';
import type { BookingView } from '../booking/read-booking.ts';
import { commandIdOfKey, fingerprintOf } from '../identifiers.ts';
import { keyReused } from '../in-flight.ts';
import { noReply, type Refused, refused, serviceUnavailable } from '../refusal.ts';
import { findVoucher, voucherNotFound } from './find-voucher.ts';

type VerifyVoucher = {
  /** The voucher's code: typed, or from a token with a valid signature. */
  readonly code: string;
  /** Only says what the scan would answer. */
  readonly dryRun: boolean;
  /** How many of the guests came; null: all. */
  readonly guestsPresent: number | null;
  readonly method: Visit['method'];
  readonly deviceId: DeviceId;
  readonly venueId: VenueId;
  /** Of the device: a voucher of the other mode is not found. */
  readonly mode: Mode;
  readonly gate: string | null;
  /** Time of the scan, ms since the epoch. */
  readonly verifiedAtMs: number;
  /** Time of the request, ms since the epoch. */
  readonly reportedAtMs: number;
  /** The time as the device sent it; null if it sent none, so that a later repetition has the same fingerprint. */
  readonly sentVerifiedAt: string | null;
  readonly uploadedSequence: number | null;
  readonly idempotencyKey: string | null;
};

export type Verified = BookingView & {
  readonly visit: Visit;
  readonly dryRun: boolean;
  readonly replayed: boolean;
  readonly position: Position | null;
};

/** Attempts to bind a scan that was bound to a booking which it did not verify. */
const BIND_ROUNDS = 2;

/**
 * Verifies a voucher at the gate and records the booking's single visit in its stream. A dry run decides the same on the
 * stored events and records nothing.
 */
export async function verifyVoucher(
  request: VerifyVoucher,
  cause: Cause,
  context: BookingContext,
): Promise<Verified | Refused> {
  const { code, deviceId, gate, sentVerifiedAt, uploadedSequence, idempotencyKey } = request;
  const found = await findVoucher(code, context);
  if (found.kind === 'refused') return found;
  if (modeOf(found.id) !== request.mode) return voucherNotFound();
  // Without these members the fingerprint is that of earlier releases.
  const sequence = uploadedSequence === null ? [] : [uploadedSequence];
  const guests = request.guestsPresent === null ? [] : ['guests_present', request.guestsPresent];
  const fingerprint = fingerprintOf(context.digest, [code, gate, sentVerifiedAt, ...sequence, ...guests]);
  if (request.dryRun)
    return tryVisit(visitOf(request, context.ids.uuid() as CommandId, fingerprint), request, found, context);
  if (idempotencyKey === null)
    return recordVisit(visitOf(request, context.ids.uuid() as CommandId, fingerprint), request, found, cause, context);
  const command = commandIdOfKey(context.digest, ['POST /api/venue/verify', deviceId], idempotencyKey);
  const work = async () => {
    const bound = await bindScan(command, { booking: found.id, fingerprint }, cause, context);
    return bound ?? recordVisit(visitOf(request, command, fingerprint), request, found, cause, context);
  };
  // With another body under the same key, the scan's stream decides which one counts.
  return context.inFlight.run(command, fingerprint, work, work);
}

/** @param at ISO 8601 UTC */
export function voucherCancelled(at: string): Refused {
  return refused('VOUCHER_CANCELLED', 'This voucher was cancelled; the guest needs a new booking.', {
    details: `cancelled ${at}`,
  });
}

function visitOf(
  { verifiedAtMs, reportedAtMs, uploadedSequence, method, deviceId, gate, guestsPresent }: VerifyVoucher,
  command: CommandId,
  fingerprint: Fingerprint,
): ReportedVisit {
  const visit = { verifiedAtMs, reportedAtMs, uploadedSequence, method, deviceId, gate, command, fingerprint };
  return guestsPresent === null ? visit : { ...visit, guestsPresent };
}

/** What a scan would answer now. */
function tryVisit(
  visit: ReportedVisit,
  { venueId, sentVerifiedAt }: VerifyVoucher,
  found: BookingView,
  context: BookingContext,
): Verified | Refused {
  const activityRevision = revisionOf(found.booking.facts.activityId, context.catalogue);
  const decision = bookingDecider.decide({ type: 'VerifyVisit', venueId, visit, activityRevision }, found.booking);
  return decision.kind === 'rejected'
    ? explain(decision.rejection, found.booking, sentVerifiedAt, context)
    : { ...found, visit, dryRun: true, position: null, replayed: false };
}

async function recordVisit(
  visit: ReportedVisit,
  { venueId, sentVerifiedAt }: VerifyVoucher,
  found: BookingView,
  cause: Cause,
  context: BookingContext,
): Promise<Verified | Refused> {
  const deadlineMs = context.clock.nowMs() + context.limits.responseMs;
  const activityRevision = revisionOf(found.booking.facts.activityId, context.catalogue);
  const reply = await context.streams.bookings.handle(
    found.id,
    { type: 'VerifyVisit', venueId, visit, activityRevision },
    cause,
    deadlineMs,
  );
  switch (reply.kind) {
    case 'accepted': {
      const { state: booking, revision, position, events } = reply;
      // A repetition of a voided scan is answered as it was, with this visit.
      const recorded = visitBy(visit.command, booking);
      if (booking.status === 'none' || recorded === null)
        throw new Error(`${found.id} has no visit of ${visit.command}`);
      return { ...found, booking, revision, visit: recorded, dryRun: false, position, replayed: events.length === 0 };
    }
    case 'rejected':
      return explain(reply.rejection, found.booking, sentVerifiedAt, context);
    case 'erased':
    case 'unavailable':
      return noReply(reply);
    default:
      return unreachable(reply);
  }
}

/** Binds the Idempotency-Key to this booking; refuses it if it already verified another visit. */
async function bindScan(
  command: CommandId,
  binding: Binding,
  cause: Cause,
  { streams, clock, limits }: BookingContext,
): Promise<Refused | null> {
  const deadlineMs = clock.nowMs() + limits.responseMs;
  let replaces: Binding | null = null;
  for (let round = 0; round < BIND_ROUNDS; round++) {
    const reply = await streams.scans.handle(command, { type: 'BindScan', binding, replaces }, cause, deadlineMs);
    if (reply.kind === 'accepted') return null;
    if (reply.kind !== 'rejected') return noReply(reply);
    replaces = reply.rejection.binding;
    const other = await streams.bookings.read(replaces.booking, deadlineMs);
    if (other.kind !== 'state') return noReply(other);
    if (visitBy(command, other.state) !== null) return keyReused();
  }
  return serviceUnavailable('contended', { call: `binding of scan-${command}`, attempts: BIND_ROUNDS });
}

function explain(
  rejection: BookingRejection,
  booking: BookingView['booking'],
  sentVerifiedAt: string | null,
  context: BookingContext,
): Refused {
  switch (rejection.code) {
    case 'WRONG_VENUE':
      return wrongVenue(rejection.venueId, booking, context);
    case 'VOUCHER_ALREADY_VERIFIED':
      return alreadyVerified(rejection);
    case 'VOUCHER_NOT_VALID_TODAY':
      return notYet(rejection.date, rejection.validFromMs, sentVerifiedAt);
    case 'VOUCHER_EXPIRED':
      return voucherExpired(rejection);
    case 'SCAN_TIME_OUT_OF_RANGE':
      return outOfRange(rejection, sentVerifiedAt);
    case 'TOO_MANY_GUESTS':
      return tooManyGuests(rejection);
    case 'IDEMPOTENCY_KEY_REUSED':
      return keyReused();
    case 'VOUCHER_CANCELLED':
      return voucherCancelled(rejection.cancelledAt);
    case 'VOUCHER_NOT_FOUND':
    case 'BOOKING_NOT_FOUND':
    case 'NO_VISIT':
    case 'CLAIM_ABANDONED':
    case 'CLAIM_NAMED':
    case 'REVISION_CONFLICT':
    case 'BOOKING_NOT_MODIFIABLE':
    case 'ANSWER_TOO_LATE':
    case 'BOOKING_NOT_CANCELLABLE':
      return voucherNotFound();
    default:
      return unreachable(rejection);
  }
}

/** The refusal of a device of another venue than the booking's. */
export function wrongVenue(
  venueId: VenueId,
  { facts }: BookingView['booking'],
  { catalogue }: BookingContext,
): Refused {
  const venue = catalogue.get(facts.activityId)?.activity.venue;
  const message = `This voucher is for another venue, ${venue?.name ?? venueId}; send the guest there.`;
  return refused('WRONG_VENUE', message, { details: venue?.address ?? '' });
}

/** @param date of the booking */
export function voucherExpired({ date, validUntilMs }: Pick<Expired, 'date' | 'validUntilMs'>): Refused {
  return refused('VOUCHER_EXPIRED', `This voucher was for ${date} and has expired; the guest needs a new booking.`, {
    details: `valid until ${new Date(validUntilMs).toISOString()}`,
  });
}

type Expired = Extract<BookingRejection, { code: 'VOUCHER_EXPIRED' }>;

export function tooManyGuests({ numGuests }: { readonly numGuests: number }): Refused {
  const booked = numGuests === 1 ? '1 guest' : `${numGuests} guests`;
  return refused(
    'INVALID_REQUEST',
    `guests_present is at most the number of booked guests; the booking is for ${booked}.`,
  );
}

function alreadyVerified({
  verifiedAtMs,
  gate,
  voidedAt,
}: Extract<BookingRejection, { code: 'VOUCHER_ALREADY_VERIFIED' }>): Refused {
  const first = `first verified ${new Date(verifiedAtMs).toISOString()} ${gate === null ? 'without a gate' : `at gate ${gate}`}`;
  if (voidedAt === null)
    return refused('VOUCHER_ALREADY_VERIFIED', 'This voucher was already used; do not admit the guest again.', {
      details: first,
    });
  const message =
    'The operator voided the visit of this voucher; a scan of this device counts only if it is made later.';
  return refused('VOUCHER_ALREADY_VERIFIED', message, { details: `${first}, voided ${voidedAt}` });
}

function outOfRange(
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  sentVerifiedAt: string | null,
): Refused {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  const why = 'at most 48 hours ago, not before the booking was confirmed, and not in the future';
  return refused('INVALID_REQUEST', `verified_at must be from ${from} to ${to}: ${why}; it was ${sentVerifiedAt}.`);
}

/** Retrying helps only if the device sends no time: a scan with a fixed time is refused again. */
function notYet(date: LocalDate, validFromMs: number, sentVerifiedAt: string | null): Refused {
  const sentence = `This voucher is for ${date}; the guest may come back on that date.`;
  return refused('VOUCHER_NOT_VALID_TODAY', sentence, {
    details: `valid from ${new Date(validFromMs).toISOString()}`,
    resolution: sentVerifiedAt === null ? 'retry_later' : 'contact_operator',
  });
}
