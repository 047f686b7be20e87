import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import type { SigningKey } from '../../../src/vouchers/signing-key.ts';
import type { VoucherFacts } from '../../../src/vouchers/token.ts';

/** A fixed key: the private key is its number repeated 32 times. */
export function keyNumber(number: number, kid: string): SigningKey {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, number)]);
  const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
  return { kid, privateKey, publicKey: createPublicKey(privateKey) };
}

export const someKey = keyNumber(1, 'KEY00001');
export const otherKey = keyNumber(2, 'KEY00002');

export const published: ReadonlyMap<string, KeyObject> = new Map([
  [someKey.kid, someKey.publicKey],
  [otherKey.kid, otherKey.publicKey],
]);

export const someCode = 'WM-7GK2M0Q9XW4T1ZC8RB5N-3H6V0YJ2PD9S4QAEK7M1XW8TGZ';

export const someFacts: VoucherFacts = {
  code: someCode,
  venueId: 'siam-ocean-world',
  date: '2026-11-21',
  validUntilMs: Date.parse('2026-11-21T11:00:00Z'),
  numAdults: 2,
  numChildren: 1,
  revision: 3,
};

const textOf = (characters: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...characters.split('')), minLength: 1, maxLength });

/** Arbitrary facts that a token can encode. */
export const anyFacts: fc.Arbitrary<VoucherFacts> = fc.record({
  code: textOf('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-', 80),
  venueId: textOf('0123456789abcdefghijklmnopqrstuvwxyz-', 80),
  date: fc
    .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
  validUntilMs: fc.integer({ min: 0, max: 36 ** 8 - 1 }).map((seconds) => seconds * 1000),
  numAdults: fc.nat(999),
  numChildren: fc.nat(999),
  revision: fc.nat(999_999),
});
