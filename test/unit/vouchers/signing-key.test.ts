import { describe, expect, test } from 'bun:test';
import { createHash, createPublicKey } from 'node:crypto';
import { systemSealer } from '../../../src/adapters/system/sealer.ts';
import { encodeBase32 } from '../../../src/domain/base32.ts';
import type { SealedVoucherKey } from '../../../src/domain/voucherkey/voucherkey.ts';
import { createSigningKey, openKey, publishedKeys, sealKey } from '../../../src/vouchers/signing-key.ts';
import { readToken, signToken } from '../../../src/vouchers/token.ts';
import { someFacts } from './given.ts';

const sealer = systemSealer(new Uint8Array(32).fill(7));
const key = createSigningKey();
const sealed = await sealKey(key, sealer);
const raw = (text: string): Buffer => Buffer.from(text, 'base64url');

describe('a signing key', () => {
  test('has a kid derived from its public key', () => {
    const [published] = publishedKeys([key]).keys;
    const hash = createHash('sha256')
      .update(raw(published?.x ?? ''))
      .digest();
    expect(key.kid).toBe(encodeBase32(hash).slice(0, 8));
  });

  test('is different each time', () => {
    expect(createSigningKey().kid).not.toBe(key.kid);
  });
});

describe('sealing', () => {
  test('preserves the key: the original verifies what the opened key signs', () => {
    const opened = openKey(sealed, sealer);
    const token = signToken(someFacts, opened);
    expect(readToken(token, new Map([[key.kid, key.publicKey]]))).toEqual({
      kind: 'token',
      facts: someFacts,
      kid: key.kid,
    });
  });

  test('survives storage as JSON', () => {
    const stored: SealedVoucherKey = JSON.parse(JSON.stringify(sealed));
    expect(openKey(stored, sealer).kid).toBe(key.kid);
  });

  test('contains the public key, but no part of the private key', () => {
    const privateKey = raw(key.privateKey.export({ format: 'jwk' }).d ?? '');
    expect(sealed).toEqual({
      kid: key.kid,
      publicKey: publishedKeys([key]).keys[0]?.x ?? '',
      sealed: expect.stringMatching(/^[\w-]+$/),
    });
    expect(privateKey.length).toBe(32);
    expect(raw(sealed.sealed).includes(privateKey)).toBe(false);
  });
});

describe('openKey', () => {
  test('names the setting if the secret is wrong', () => {
    const other = systemSealer(new Uint8Array(32).fill(8));
    expect(() => openKey(sealed, other)).toThrow(`"voucher key ${key.kid}" cannot be opened: WAYMARK_SECRET_KEY`);
  });

  test('refuses a key with another kid', () => {
    expect(() => openKey({ ...sealed, kid: createSigningKey().kid }, sealer)).toThrow('cannot be opened');
  });

  test('refuses a public key that does not match', async () => {
    const other = await sealKey(createSigningKey(), sealer);
    expect(() => openKey({ ...sealed, publicKey: other.publicKey }, sealer)).toThrow('is damaged');
  });
});

describe('publishedKeys', () => {
  test('is a JWK set that verifies a voucher', () => {
    const { keys } = publishedKeys([key]);
    const [jwk] = keys;
    expect(keys).toEqual([
      { kty: 'OKP', crv: 'Ed25519', x: expect.stringMatching(/^[\w-]{43}$/), kid: key.kid, use: 'sig', alg: 'EdDSA' },
    ]);
    const imported = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: jwk?.x ?? '' }, format: 'jwk' });
    expect(readToken(signToken(someFacts, key), new Map([[key.kid, imported]]))).toMatchObject({ kind: 'token' });
  });

  test('is an empty set without keys', () => {
    expect(publishedKeys([])).toEqual({ keys: [] });
  });
});
