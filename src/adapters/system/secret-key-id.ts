import { hkdfSync } from 'node:crypto';

const ID_BYTES = 10;

/** The public name of a secret key: 20 hexadecimal characters, which do not tell the key. */
export function secretKeyId(secret: Uint8Array): string {
  return Buffer.from(hkdfSync('sha256', secret, '', 'waymark secret key id', ID_BYTES)).toString('hex');
}
