import type { VenueId } from '../domain/activity/activity.ts';
import type { BookingRejection, CommandId, DeviceId, Visit } from '../domain/booking/booking.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import { unreachable } from '../eventsourcing/message.ts';
import type { BookingContext } from './booking-context.ts';
import { commandIdOfKey, fingerprintOf } from './identifiers.ts';
import { type BookingView, findVoucher } from './read-booking.ts';
import { type Refused, refused, serviceUnavailable } from './refusal.ts';

export type VerifyVoucher = {
  /** The voucher's code, as typed or as read out of a token whose signature holds. */
  readonly code: string;
  readonly method: Visit['method'];
  readonly deviceId: DeviceId;
  readonly venueId: VenueId;
  readonly gate: string | null;
  /** When the code was scanned; ms since the epoch. */
  readonly verifiedAtMs: number;
  readonly idempotencyKey: string | null;
};

export type Verified = BookingView & {
  readonly visit: Visit;
  readonly replayed: boolean;
  readonly position: Position | null;
};

/** Ground truth: the one verified visit of a booking, recorded in its own stream. */
export async function verifyVoucher(
  request: VerifyVoucher,
  cause: Cause,
  context: BookingContext,
): Promise<Verified | Refused> {
  const found = await findVoucher(request.code, context);
  if (found.kind === 'refused') return found;
  const { code, method, deviceId, venueId, gate, verifiedAtMs, idempotencyKey } = request;
  const command =
    idempotencyKey === null
      ? (context.ids.uuid() as CommandId)
      : commandIdOfKey(context.digest, ['POST /api/venue/verify', deviceId], idempotencyKey);
  const fingerprint = fingerprintOf(context.digest, [code, gate]);
  const visit: Visit = { verifiedAtMs, method, deviceId, gate, command, fingerprint };
  const deadlineMs = context.clock.nowMs() + context.limits.responseMs;
  const reply = await context.streams.bookings.handle(
    found.id,
    { type: 'VerifyVisit', venueId, visit },
    cause,
    deadlineMs,
  );
  switch (reply.kind) {
    case 'accepted': {
      if (reply.state.status !== 'completed') throw new Error(`${found.id} was verified, but is ${reply.state.status}`);
      const { state: booking, revision, position, events } = reply;
      return { ...found, booking, revision, visit: booking.visit, position, replayed: events.length === 0 };
    }
    case 'rejected':
      return explain(reply.rejection);
    case 'erased':
      return serviceUnavailable('erased');
    case 'unavailable':
      return serviceUnavailable(reply.reason);
    default:
      return unreachable(reply);
  }
}

function explain(rejection: BookingRejection): Refused {
  switch (rejection.code) {
    case 'WRONG_VENUE':
      return refused('WRONG_VENUE', `This voucher is for another venue (${rejection.venueId}); send the guest there.`);
    case 'VOUCHER_ALREADY_VERIFIED': {
      const at = new Date(rejection.verifiedAtMs).toISOString();
      const where = rejection.gate === null ? 'without a gate' : `at gate ${rejection.gate}`;
      return refused('VOUCHER_ALREADY_VERIFIED', 'This voucher was used before; let nobody in on it a second time.', {
        details: `first verified ${at} ${where}`,
      });
    }
    case 'VOUCHER_NOT_VALID_TODAY':
      return refused(
        'VOUCHER_NOT_VALID_TODAY',
        `This voucher is for ${rejection.date}; the guest may come back on that date.`,
        {
          details: `valid from ${new Date(rejection.validFromMs).toISOString()}`,
        },
      );
    case 'VOUCHER_EXPIRED':
      return refused(
        'VOUCHER_EXPIRED',
        `This voucher was for ${rejection.date} and has expired; the guest needs a new booking.`,
        {
          details: `valid until ${new Date(rejection.validUntilMs).toISOString()}`,
        },
      );
    case 'IDEMPOTENCY_KEY_REUSED':
      return refused(
        'IDEMPOTENCY_KEY_REUSED',
        'This Idempotency-Key was used for a request with another body; send a new key.',
      );
    case 'VOUCHER_NOT_FOUND':
    case 'CLAIM_ABANDONED':
    case 'CLAIM_HELD':
      return refused('VOUCHER_NOT_FOUND', 'No voucher has this code; scan the QR code again or check each character.');
    default:
      return unreachable(rejection);
  }
}
