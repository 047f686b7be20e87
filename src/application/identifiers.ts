import { encodeBase32 } from '../domain/base32.ts';
import type { ClaimIdOf } from '../domain/booking/workflow-step.ts';
import {
  type BookingId,
  bookingIdOf,
  type ClaimId,
  type CommandId,
  type Fingerprint,
  type HoldId,
  holdIdOf,
  type KeyId,
  type Mode,
} from '../domain/ids.ts';
import { RANDOM_BYTES, timeOrderedId } from '../domain/time-ordered-id.ts';
import type { Digest } from '../ports/digest.ts';
import type { Ids } from '../ports/ids.ts';

const ID_BYTES = 12;
const CLAIM_BYTES = 10;
const FINGERPRINT_BYTES = 16;

/** An API key and its mode, which never changes. */
export type Caller = { readonly keyId: KeyId; readonly mode: Mode };

/** The booking id of an Idempotency-Key: the same on every node, so that repeated requests meet at one stream. */
export function bookingIdOfKey(digest: Digest, { keyId, mode }: Caller, idempotencyKey: string): BookingId {
  const hash = digest.hash(JSON.stringify(['POST /api/b2a/execute_booking', keyId, idempotencyKey]));
  return bookingIdOf(mode, encodeBase32(hash, ID_BYTES));
}

/** A new booking id, ordered by time (docs/decisions/0007). */
export function freshBookingId(mode: Mode, ids: Ids, nowMs: number): BookingId {
  return bookingIdOf(mode, timeOrderedId(nowMs, ids.secret(RANDOM_BYTES)));
}

/** The hold id of an Idempotency-Key, as `bookingIdOfKey` for a booking. */
export function holdIdOfKey(digest: Digest, { keyId, mode }: Caller, idempotencyKey: string): HoldId {
  const hash = digest.hash(JSON.stringify(['POST /api/b2a/holds', keyId, idempotencyKey]));
  return holdIdOf(mode, encodeBase32(hash, ID_BYTES));
}

/** A new hold id, ordered by time. */
export function freshHoldId(mode: Mode, ids: Ids, nowMs: number): HoldId {
  return holdIdOf(mode, timeOrderedId(nowMs, ids.secret(RANDOM_BYTES)));
}

/** Names a claim: the booking's id and a digest of everything that tells two claims apart. */
export function claimIdWith(digest: Digest): ClaimIdOf {
  return ({ bookingId, commandId, fingerprint, allotmentId, size, abandonments }) => {
    const hash = digest.hash(JSON.stringify([bookingId, commandId, fingerprint, allotmentId, size, abandonments]));
    return `${bookingId}.${encodeBase32(hash, CLAIM_BYTES).toLowerCase()}` as ClaimId;
  };
}

/** The command id of an Idempotency-Key, for all commands but the creation of a booking or hold. */
export function commandIdOfKey(digest: Digest, scope: readonly string[], idempotencyKey: string): CommandId {
  return encodeBase32(digest.hash(JSON.stringify([...scope, idempotencyKey])), ID_BYTES) as CommandId;
}

/** Keyed digest of the validated fields: detects another body under the same key without storing the body. */
export function fingerprintOf(digest: Digest, fields: readonly (string | number | null)[]): Fingerprint {
  return encodeBase32(digest.keyed(JSON.stringify(fields)), FINGERPRINT_BYTES) as Fingerprint;
}

/** Keyed digest of a caller's reference, by which lists find its bookings. */
export function fingerprintOfReference(digest: Digest, reference: string): Fingerprint {
  return fingerprintOf(digest, ['reference', reference]);
}

/** Keyed digest of a mail address, by which mails to it are counted. Mailboxes rarely distinguish case. */
export function fingerprintOfAddress(digest: Digest, address: string): Fingerprint {
  return fingerprintOf(digest, ['mail address', address.toLowerCase()]);
}

/** What analysts see instead of a key's id: the same in every report, and no way back to the id. */
export function keyPseudonym(digest: Digest, keyId: KeyId): string {
  return `key_${encodeBase32(digest.keyed(JSON.stringify(['pseudonym', keyId])), ID_BYTES).toLowerCase()}`;
}

/** SHA-256 in hex: the stored form of an API key or a device key. */
export function secretHash(digest: Digest, secret: string): string {
  return Buffer.from(digest.hash(secret)).toString('hex');
}
