import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { encodeBase32 } from '../domain/base32.ts';
import type { SealedVoucherKey } from '../domain/voucherkey/voucherkey.ts';
import type { Sealer } from '../ports/sealer.ts';

/** An Ed25519 key pair. The `kid` is a hash of the public key. */
export type SigningKey = { readonly kid: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject };

/** A public key as a JWK (RFC 8037). */
export type PublishedKey = {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
};

const KID_BYTES = 5;

export function createSigningKey(): SigningKey {
  return signingKeyOf(generateKeyPairSync('ed25519').privateKey);
}

/** Encrypts the key for storage. It can be opened with the service's secret and its own kid only. */
export async function sealKey(key: SigningKey, sealer: Sealer): Promise<SealedVoucherKey> {
  const plain = key.privateKey.export({ format: 'der', type: 'pkcs8' });
  const publicKey = rawPublicKey(key.publicKey).toString('base64url');
  return { kid: key.kid, publicKey, sealed: await sealer.seal(plain, voucherKeyPurpose(key.kid)) };
}

/**
 * @throws SealBroken if the secret is not the one that sealed the key, or the sealed bytes were changed
 * @throws Error if the stored public key does not match the private key
 */
export function openKey(stored: SealedVoucherKey, sealer: Sealer): SigningKey {
  const plain = Buffer.from(sealer.open(stored.sealed, voucherKeyPurpose(stored.kid)));
  const key = signingKeyOf(createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' }));
  if (key.kid !== stored.kid || rawPublicKey(key.publicKey).toString('base64url') !== stored.publicKey) {
    throw new Error(`the stored voucher key ${stored.kid} is damaged: its public key does not match its private key`);
  }
  return key;
}

/** The JWK set at `/.well-known/waymark-voucher-keys.json`, with which gates verify vouchers offline. */
export function publishedKeys(keys: readonly Pick<SigningKey, 'kid' | 'publicKey'>[]): {
  readonly keys: PublishedKey[];
} {
  return {
    keys: keys.map(({ kid, publicKey }) => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: rawPublicKey(publicKey).toString('base64url'),
      kid,
      use: 'sig',
      alg: 'EdDSA',
    })),
  };
}

function signingKeyOf(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const hash = createHash('sha256').update(rawPublicKey(publicKey)).digest();
  return { kid: encodeBase32(hash, KID_BYTES), privateKey, publicKey };
}

/** The last 32 bytes of an Ed25519 SubjectPublicKeyInfo are the raw key. */
function rawPublicKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
}

/** The sealing purpose of a voucher key. */
export function voucherKeyPurpose(kid: string): string {
  return `voucher key ${kid}`;
}
