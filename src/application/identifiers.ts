import type { BookingId, ClaimId, HoldId } from '../domain/allotment/allotment.ts';
import { encodeBase32 } from '../domain/base32.ts';
import type { CommandId, Fingerprint, KeyId } from '../domain/booking/booking.ts';
import type { NameClaim } from '../domain/booking/step.ts';
import { bookingId } from '../domain/booking/voucher-code.ts';
import { holdId } from '../domain/hold/hold.ts';
import { RANDOM_BYTES, timeOrderedId } from '../domain/time-ordered.ts';
import type { Digest } from '../ports/digest.ts';
import type { Ids } from '../ports/ids.ts';

const ID_BYTES = 12;
const CLAIM_BYTES = 10;
const FINGERPRINT_BYTES = 16;

/**
 * The booking that an Idempotency-Key stands for: the same on every node and after every restart, so that all attempts
 * meet at one stream.
 */
export function bookingIdOfKey(digest: Digest, keyId: KeyId, idempotencyKey: string): BookingId {
  const hash = digest.hash(JSON.stringify(['POST /api/b2a/execute_booking', keyId, idempotencyKey]));
  return bookingId(encodeBase32(hash, ID_BYTES));
}

/** A new booking id. It begins with the time (docs/decisions/0007). */
export function freshBookingId(ids: Ids, nowMs: number): BookingId {
  return bookingId(timeOrderedId(nowMs, ids.secret(RANDOM_BYTES)));
}

/** The hold that an Idempotency-Key stands for, as `bookingIdOfKey` is for a booking. */
export function holdIdOfKey(digest: Digest, keyId: KeyId, idempotencyKey: string): HoldId {
  const hash = digest.hash(JSON.stringify(['POST /api/b2a/holds', keyId, idempotencyKey]));
  return holdId(encodeBase32(hash, ID_BYTES));
}

/** A new hold id. It begins with the time, as a booking's does. */
export function freshHoldId(ids: Ids, nowMs: number): HoldId {
  return holdId(timeOrderedId(nowMs, ids.secret(RANDOM_BYTES)));
}

/** The id of a claim: a digest of everything that makes it another claim, behind the booking it is for. */
export function claimIdWith(digest: Digest): NameClaim {
  return ({ booking, command, fingerprint, allotment, size, abandonments }) => {
    const hash = digest.hash(JSON.stringify([booking, command, fingerprint, allotment, size, abandonments]));
    return `${booking}.${encodeBase32(hash, CLAIM_BYTES).toLowerCase()}` as ClaimId;
  };
}

/** The command that an Idempotency-Key of one caller stands for, beside the creation of a booking. */
export function commandIdOfKey(digest: Digest, scope: readonly string[], idempotencyKey: string): CommandId {
  return encodeBase32(digest.hash(JSON.stringify([...scope, idempotencyKey])), ID_BYTES) as CommandId;
}

/** A keyed digest of validated fields: equal wishes are recognised without their contents being kept. */
export function fingerprintOf(digest: Digest, fields: readonly (string | number | null)[]): Fingerprint {
  return encodeBase32(digest.keyed(JSON.stringify(fields)), FINGERPRINT_BYTES) as Fingerprint;
}

/** SHA-256 in hex: all that is kept of an API key or a device key. */
export function secretHash(digest: Digest, secret: string): string {
  return Buffer.from(digest.hash(secret)).toString('hex');
}
