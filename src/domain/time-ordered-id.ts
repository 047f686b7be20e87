import { encodeBase32 } from './base32.ts';

const ID_BYTES = 12;
const TIME_BYTES = 6;

/** How many random bytes `timeOrderedId` takes. */
export const RANDOM_BYTES = ID_BYTES - TIME_BYTES;

/**
 * 20 base32 characters that begin with the time (ms since the epoch), so that streams of one hour lie beside each other in
 * a store's index (docs/decisions/0007).
 */
export function timeOrderedId(nowMs: number, random: Uint8Array): string {
  const bytes = new Uint8Array(ID_BYTES);
  for (let index = TIME_BYTES - 1, rest = nowMs; index >= 0; index--, rest = Math.floor(rest / 256))
    bytes[index] = rest % 256;
  for (let index = 0; index < RANDOM_BYTES; index++) bytes[TIME_BYTES + index] = random[index] ?? 0;
  return encodeBase32(bytes);
}
