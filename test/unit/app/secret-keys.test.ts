import { describe, expect, test } from 'bun:test';
import { systemSealer } from '../../../src/adapters/system/sealer.ts';
import { secretKeyId } from '../../../src/adapters/system/secret-key-id.ts';
import { planKeys, type StoredKeys } from '../../../src/app/secret-keys.ts';
import type { SecretKeyRing } from '../../../src/domain/secretkey/secretkey.ts';
import { createSigningKey, sealKey } from '../../../src/vouchers/signing-key.ts';
import { secretKeyId as idOf } from '../../support/secret-keys.ts';

const [A, B, C] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array, Uint8Array];
const AT = '2026-11-27T09:00:00.000Z';
const id = (key: Uint8Array) => idOf(secretKeyId(key));
const NAMES = new Map([A, B, C].map((key, index) => [id(key), 'ABC'[index]]));

const EMPTY: StoredKeys = { ring: { status: 'first' }, voucherKey: null };
/** A was never replaced. */
const OF_A: StoredKeys = { ...EMPTY, voucherKey: await sealKey(createSigningKey(), systemSealer(A)) };
const ringOf = async (present: Uint8Array, replaced: Uint8Array[], resealed: boolean): Promise<SecretKeyRing> => ({
  status: 'replaced',
  keyId: id(present),
  replaced: replaced.map(id),
  digestKey: await systemSealer(present).seal(A, 'digest key'),
  at: AT,
  resealed,
});
const B_AFTER_A: StoredKeys = { ...OF_A, ring: await ringOf(B, [A], false) };
const B_ALONE: StoredKeys = { ...OF_A, ring: await ringOf(B, [A], true) };
const C_AFTER_B: StoredKeys = { ...OF_A, ring: await ringOf(C, [A, B], false) };

/** What a node does with its keys: `A seals`, or `B replaces A`. The digests must always have the first key. */
function planned(secret: Uint8Array, previous: Uint8Array | null, stored: StoredKeys, digestKey = A): string {
  const { kind, present, replaced, ...plan } = planKeys(secret, previous, stored);
  expect(Buffer.compare(plan.digestKey, digestKey)).toBe(0);
  const name = NAMES.get(present.id);
  return kind === 'use' ? `${name} seals` : `${name} replaces ${NAMES.get(replaced.id)}`;
}

describe('on a log whose key was never replaced', () => {
  test('the first start takes its only key, and refuses a previous one', () => {
    expect(planned(A, null, EMPTY)).toBe('A seals');
    expect(() => planned(B, A, EMPTY)).toThrow('the first start on a log needs WAYMARK_SECRET_KEY without');
  });

  test('the key that opens the voucher key seals, also beside the next one', () => {
    expect(planned(A, null, OF_A)).toBe('A seals');
    expect(planned(A, B, OF_A)).toBe('A seals');
  });

  test('a new key replaces the previous one', () => expect(planned(B, A, OF_A)).toBe('B replaces A'));

  test('other keys are refused, and the message names both settings', () => {
    const message = /neither WAYMARK_SECRET_KEY nor WAYMARK_SECRET_KEY_PREVIOUS opens/;
    expect(() => planned(B, null, OF_A)).toThrow(message);
    expect(() => planned(B, C, OF_A)).toThrow(message);
  });

  test('one key as both is refused', () => expect(() => planned(A, A, OF_A)).toThrow('must differ'));
});

describe('while secrets may be sealed with the replaced key', () => {
  test('a node knows both, in either order; the log says which one seals', () => {
    expect(planned(B, A, B_AFTER_A)).toBe('B seals');
    expect(planned(A, B, B_AFTER_A)).toBe('B seals');
  });

  test('neither of them alone starts', () => {
    expect(() => planned(B, null, B_AFTER_A)).toThrow('set it as WAYMARK_SECRET_KEY_PREVIOUS until');
    expect(() => planned(B, C, B_AFTER_A)).toThrow('set it as WAYMARK_SECRET_KEY_PREVIOUS until');
    expect(() => planned(A, null, B_AFTER_A)).toThrow(`WAYMARK_SECRET_KEY was replaced at ${AT}`);
  });

  test('the next rotation is refused', () => {
    expect(() => planned(C, B, B_AFTER_A)).toThrow('complete that rotation first');
    expect(() => planned(C, A, B_AFTER_A)).toThrow('neither');
  });
});

describe('once nothing needs the replaced key', () => {
  test('the present key is enough, and another one may stand beside it', () => {
    expect(planned(B, null, B_ALONE)).toBe('B seals');
    expect(planned(B, A, B_ALONE)).toBe('B seals');
    expect(planned(B, C, B_ALONE)).toBe('B seals');
  });

  test('the replaced key is refused', () => {
    expect(() => planned(A, null, B_ALONE)).toThrow(`WAYMARK_SECRET_KEY was replaced at ${AT}`);
  });

  test('the next key replaces it, and the digests keep the first key', () => {
    expect(planned(C, B, B_ALONE)).toBe('C replaces B');
    expect(planned(C, B, C_AFTER_B)).toBe('C seals');
  });

  test('a key that was replaced earlier never seals again', () => {
    expect(planned(A, B, B_ALONE)).toBe('B seals');
  });
});
