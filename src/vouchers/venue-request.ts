import { type KeyObject, verify } from 'node:crypto';
import { decodeBase32 } from '../domain/base32.ts';
import { type BookingId, parseBookingId } from '../domain/ids.ts';
import type { SigningKey } from './signing-key.ts';
import { signText } from './token.ts';

/** What the link in a request to a venue allows: to answer this version of the booking until the deadline. */
export type VenueRequest = {
  readonly bookingId: BookingId;
  readonly version: number;
  /** Ms since the epoch; the token has whole seconds. */
  readonly answerByMs: number;
};

/** No other text that these keys sign begins so: vouchers begin with `WM`, lists of revocations with `WR`. */
const SIGNED = /^VR1\.([0-9A-Z]{8})\.([a-z0-9_]{1,80})\.(\d{1,6})\.([0-9a-z]{1,9})$/;

/** `VR1.<kid>.<booking id>.<version>.<deadline: seconds since the epoch, base36>.<signature>`, of characters of a URL path. */
export function signVenueRequest({ bookingId, version, answerByMs }: VenueRequest, key: SigningKey): string {
  return signText(`VR1.${key.kid}.${bookingId}.${version}.${Math.floor(answerByMs / 1000).toString(36)}`, key);
}

/** Null if the text has not the form of a token, or if none of the keys signed it. `keys` maps kids to public keys. */
export function readVenueRequest(token: string, keys: ReadonlyMap<string, KeyObject>): VenueRequest | null {
  const signed = token.slice(0, Math.max(token.lastIndexOf('.'), 0));
  const fields = SIGNED.exec(signed);
  if (fields === null) return null;
  const [, kid = '', id = '', version = '', seconds = ''] = fields;
  const bookingId = parseBookingId(id);
  const signature = decodeBase32(token.slice(signed.length + 1));
  const key = keys.get(kid);
  if (bookingId === null || signature === null || key === undefined) return null;
  if (!verify(null, Buffer.from(signed), key, signature)) return null;
  return { bookingId, version: Number(version), answerByMs: Number.parseInt(seconds, 36) * 1000 };
}
