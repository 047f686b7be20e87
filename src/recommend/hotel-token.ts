import { createPublicKey, verify } from 'node:crypto';
import type { Hotel } from '../domain/activity/hotel.ts';
import { DAY_MS, SECOND_MS } from '../eventsourcing/durations.ts';

/** The longest time for which a token may still be valid: a lost one ends by itself. */
const MAX_LIFE_DAYS = 31;
const AUDIENCE = 'waymark';

type Reading =
  | { readonly kind: 'token'; readonly hotel: Hotel; readonly untilMs: number }
  /** `why` continues the sentence that begins with the name of the field. */
  | { readonly kind: 'fault'; readonly why: string };

/**
 * Reads a guest token: a JSON Web Token (RFC 7519) with `iss` the hotel, `aud` this service and `exp`, which the hotel
 * signed with Ed25519 (`alg` EdDSA, RFC 8037). Other members are ignored.
 */
export function readHotelToken(text: string, hotels: ReadonlyMap<string, Hotel>, nowMs: number): Reading {
  const [head = '', claims = '', signature = '', ...more] = text.split('.');
  const [header, payload] = [objectIn(head), objectIn(claims)];
  if (header === null || payload === null || more.length > 0)
    return fault('is no token of a hotel; send the signed text of the hotel unchanged, or leave it out.');
  // RFC 7515, 4.1.11: a `crit` that is not understood makes a token invalid.
  if (header['alg'] !== 'EdDSA' || header['crit'] !== undefined)
    return fault('must be signed with Ed25519 (alg "EdDSA", without crit); ask the hotel, or leave it out.');
  const { iss, aud, exp, nbf } = payload;
  const hotel = typeof iss === 'string' ? hotels.get(iss) : undefined;
  if (hotel?.guestKey === undefined)
    return fault('names no hotel in iss that signs tokens for this service; leave it out.');
  if (!isSigned(`${head}.${claims}`, signature, hotel.guestKey))
    return fault(`was not signed by ${hotel.name}, or was changed; ask the hotel for a new one, or leave it out.`);
  if (![aud].flat().includes(AUDIENCE))
    return fault(`must have "${AUDIENCE}" in aud; ask the hotel for one for this service, or leave it out.`);
  if (typeof exp !== 'number' || !Number.isSafeInteger(exp))
    return fault('must have a whole number of seconds in exp; ask the hotel for a new one, or leave it out.');
  const untilMs = exp * SECOND_MS;
  if (nowMs >= untilMs || (typeof nbf === 'number' && nowMs < nbf * SECOND_MS))
    return fault('is not valid at this time; ask the hotel for a new one, or leave it out.');
  if (untilMs > nowMs + MAX_LIFE_DAYS * DAY_MS)
    return fault(`must end within ${MAX_LIFE_DAYS} days; ask the hotel for one that ends with the stay.`);
  return { kind: 'token', hotel, untilMs };
}

function isSigned(text: string, signature: string, guestKey: string): boolean {
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: guestKey }, format: 'jwk' });
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
}

function objectIn(part: string): Readonly<Record<string, unknown>> | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    // A parsed object has only own members, of any type.
    return typeof parsed === 'object' && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : null;
  } catch {
    return null;
  }
}

function fault(why: string): Reading {
  return { kind: 'fault', why };
}
