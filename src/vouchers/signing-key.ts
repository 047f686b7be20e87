import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { encodeBase32 } from '../domain/base32.ts';

/** An Ed25519 pair. The kid is derived from the public key, so that it names this key and no other. */
export type SigningKey = { readonly kid: string; readonly privateKey: KeyObject; readonly publicKey: KeyObject };

/** A signing key as it may be stored: plain JSON, of no use without the secret. */
export type SealedKey = {
  readonly kid: string;
  /** The raw 32 bytes, base64url: the `x` of its JWK. */
  readonly publicKey: string;
  /** Nonce, ciphertext and tag, base64url. */
  readonly sealed: string;
};

/** A public key as RFC 8037 writes it. */
export type PublishedKey = {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly kid: string;
  readonly use: 'sig';
  readonly alg: 'EdDSA';
};

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KID_BYTES = 5;
/** Names the purpose, so that the same secret gives other keys to other parts of the program. */
const PURPOSE = 'waymark voucher signing key v1';

export function createSigningKey(): SigningKey {
  return signingKeyOf(generateKeyPairSync('ed25519').privateKey);
}

/**
 * Encrypts the private key (AES-256-GCM) with a key derived from the secret (HKDF-SHA256), and authenticates the kid.
 * `secret`: the bytes of WAYMARK_SECRET_KEY.
 */
export function sealKey(key: SigningKey, secret: Uint8Array): SealedKey {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, encryptionKey(secret), nonce).setAAD(Buffer.from(key.kid));
  const plain = key.privateKey.export({ format: 'der', type: 'pkcs8' });
  const sealed = Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return {
    kid: key.kid,
    publicKey: rawPublicKey(key.publicKey).toString('base64url'),
    sealed: sealed.toString('base64url'),
  };
}

/** @throws Error where the secret is not the one it was sealed with, or what was stored has been changed. */
export function openKey(stored: SealedKey, secret: Uint8Array): SigningKey {
  const plain = decrypt(stored, secret);
  if (plain === null) {
    throw new Error(
      `WAYMARK_SECRET_KEY is not the one the voucher key ${stored.kid} was sealed with, or the stored key is damaged`,
    );
  }
  const key = signingKeyOf(createPrivateKey({ key: plain, format: 'der', type: 'pkcs8' }));
  if (key.kid !== stored.kid || rawPublicKey(key.publicKey).toString('base64url') !== stored.publicKey) {
    throw new Error(`the stored voucher key ${stored.kid} is damaged: its public key is not that of its private key`);
  }
  return key;
}

/** What `/.well-known/waymark-voucher-keys.json` shows, so that anyone can check a voucher offline. */
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
  return { kid: encodeBase32(hash.subarray(0, KID_BYTES)), privateKey, publicKey };
}

/** The 32 bytes that end an Ed25519 key's SubjectPublicKeyInfo. */
function rawPublicKey(publicKey: KeyObject): Buffer {
  return publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
}

function encryptionKey(secret: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', PURPOSE, 32));
}

/** Null where the tag does not hold. */
function decrypt(stored: SealedKey, secret: Uint8Array): Buffer | null {
  const bytes = Buffer.from(stored.sealed, 'base64url');
  if (bytes.length <= NONCE_BYTES + TAG_BYTES) return null;
  const decipher = createDecipheriv(CIPHER, encryptionKey(secret), bytes.subarray(0, NONCE_BYTES));
  decipher.setAAD(Buffer.from(stored.kid)).setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    return null;
  }
}
