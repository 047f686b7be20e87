import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { SealBroken, type Sealer } from '../../ports/sealer.ts';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * AES-256-GCM with one key per purpose, derived from the service's secret (HKDF-SHA256). A sealed text is base64url of
 * nonce, ciphertext and tag.
 *
 * @param secret the service's secret key, at least 32 bytes
 */
export function systemSealer(secret: Uint8Array): Sealer {
  const keys = new Map<string, Uint8Array>();
  const keyFor = (purpose: string): Uint8Array => {
    const key = keys.get(purpose) ?? new Uint8Array(hkdfSync('sha256', secret, '', `waymark seal: ${purpose}`, 32));
    keys.set(purpose, key);
    return key;
  };
  function sealing(plain: Uint8Array, purpose: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce);
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]).toString('base64url');
  }
  return {
    seal: async (plain, purpose) => sealing(plain, purpose),
    sealBriefly: sealing,
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed, 'base64url');
      try {
        const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose), bytes.subarray(0, NONCE_BYTES));
        decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
        return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
      } catch {
        throw new SealBroken(purpose);
      }
    },
  };
}
