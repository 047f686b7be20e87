import { describe, test } from 'bun:test';
import fc from 'fast-check';
import { type SecretKeyCommand, secretKeyDecider } from '../../../src/domain/secretkey/secretkey.ts';
import { type VoucherKeyCommand, voucherKeyDecider } from '../../../src/domain/voucherkey/voucherkey.ts';
import { decidedTwice } from '../../support/decided-twice.ts';
import { secretKeyId } from '../../support/secret-keys.ts';

const AT = '2026-11-21T03:00:00.000Z';
// Few different texts, so that commands are often equal or similar.
const text = fc.integer({ min: 1, max: 3 }).map((number) => `text ${number}`);
const keyId = text.map(secretKeyId);

const voucherKeyCommand: fc.Arbitrary<VoucherKeyCommand> = fc.oneof(
  fc.record({
    type: fc.constant('CreateFirstKey' as const),
    key: fc.record({ kid: text, publicKey: text, sealed: text }),
    at: fc.constant(AT),
  }),
  fc.record({
    type: fc.constant('ResealVoucherKey' as const),
    kid: text,
    from: text,
    sealed: text,
    at: fc.constant(AT),
  }),
);
const secretKeyCommand: fc.Arbitrary<SecretKeyCommand> = fc.oneof(
  fc.record({
    type: fc.constant('ReplaceSecretKey' as const),
    keyId,
    replacedKeyId: keyId,
    digestKey: text,
    at: fc.constant(AT),
  }),
  fc.record({ type: fc.constant('RecordResealed' as const), keyId, at: fc.constant(AT) }),
);

describe('a command decided twice adds nothing the second time', () => {
  test('to the secret keys', () => decidedTwice(secretKeyDecider, secretKeyCommand));
  test('to the keys that sign vouchers', () => decidedTwice(voucherKeyDecider, voucherKeyCommand));
});
