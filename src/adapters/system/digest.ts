import type { Digest } from '../../ports/digest.ts';

/** @param secret the first secret key of the installation, at least 32 bytes */
export function systemDigest(secret: Uint8Array): Digest {
  return {
    hash: (text) => Bun.CryptoHasher.hash('sha256', text),
    keyed: (text) => new Bun.CryptoHasher('sha256', secret).update(text).digest(),
  };
}
