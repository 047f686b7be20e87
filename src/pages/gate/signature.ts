import { verifyAsync } from '@noble/ed25519';
import { decodeBase32 } from '../../domain/base32.ts';

/** Published keys by kid, base64url as in the key set. */
export type Keys = Readonly<Record<string, string>>;

/** Whether the key of this kid signed the text. False for an unknown kid. */
export async function isSignedBy(keys: Keys, kid: string, signed: string, signature: Uint8Array): Promise<boolean> {
  const key = Object.hasOwn(keys, kid) ? keys[kid] : undefined;
  if (key === undefined) return false;
  try {
    return await verifyAsync(signature, new TextEncoder().encode(signed), bytesOfBase64Url(key), { zip215: false });
  } catch {
    // The library throws for bytes of another length and for points that are not on the curve.
    return false;
  }
}

/** Hex of the first 16 bytes of the SHA-256 of a voucher's code: how lists name vouchers. */
export async function hashOfCode(code: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(code));
  return hexOf(new Uint8Array(digest).slice(0, 16));
}

/** A hash in a list, from base32 to hex; empty if it is not base32. */
export function hexOfBase32(text: string): string {
  const bytes = decodeBase32(text);
  return bytes === null ? '' : hexOf(bytes);
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function bytesOfBase64Url(text: string): Uint8Array {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
}
