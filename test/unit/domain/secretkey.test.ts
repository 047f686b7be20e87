import { expect, test } from 'bun:test';
import { type SecretKeyEvent, secretKeyDecider } from '../../../src/domain/secretkey/secretkey.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { given } from '../../support/given.ts';
import { secretKeyId } from '../../support/secret-keys.ts';

const AT = '2026-11-21T03:00:00.000Z';
const [A, B, C] = [secretKeyId('a'), secretKeyId('b'), secretKeyId('c')];
const facts = (keyId: typeof A, replacedKeyId: typeof A) => ({
  keyId,
  replacedKeyId,
  digestKey: `sealed with ${keyId}`,
  at: AT,
});
const replace = (keyId: typeof A, by: typeof A) => ({ type: 'ReplaceSecretKey', ...facts(by, keyId) }) as const;
const replaced = (keyId: typeof A, by: typeof A): SecretKeyEvent => ({
  type: 'SecretKeyReplaced',
  data: facts(by, keyId),
});
const record = (keyId: typeof A) => ({ type: 'RecordResealed', keyId, at: AT }) as const;
const resealed = (keyId: typeof A): SecretKeyEvent => ({ type: 'SecretsResealed', data: { keyId, at: AT } });

test('a new key replaces the first one', () => {
  given(secretKeyDecider, [])
    .when(replace(A, B))
    .then([replaced(A, B)]);
});

test('a second node with the same new key adds nothing', () => {
  given(secretKeyDecider, [replaced(A, B)])
    .when({ ...replace(A, B), digestKey: 'sealed once more' })
    .thenNothing();
});

test('a second node with another new key is rejected', () => {
  given(secretKeyDecider, [replaced(A, B)])
    .when(replace(A, C))
    .thenRejected({ code: 'OTHER_KEY_SEALS' });
});

test('the next rotation waits for the end of the one before', () => {
  given(secretKeyDecider, [replaced(A, B)])
    .when(replace(B, C))
    .thenRejected({ code: 'NOT_RESEALED' });
  given(secretKeyDecider, [replaced(A, B), resealed(B)])
    .when(replace(B, C))
    .then([replaced(B, C)]);
});

test('a replaced key never seals again', () => {
  given(secretKeyDecider, [replaced(A, B), resealed(B)])
    .when(replace(B, A))
    .thenRejected({ code: 'OTHER_KEY_SEALS' });
});

test('the end is recorded once, and only for the present key', () => {
  given(secretKeyDecider, [replaced(A, B)])
    .when(record(B))
    .then([resealed(B)]);
  given(secretKeyDecider, [replaced(A, B), resealed(B)])
    .when(record(B))
    .thenNothing();
  given(secretKeyDecider, [replaced(A, B)])
    .when(record(A))
    .thenRejected({ code: 'OTHER_KEY_SEALS' });
});

test('the ring names all keys in order', () => {
  expect(fold(secretKeyDecider, [replaced(A, B), resealed(B), replaced(B, C)])).toStrictEqual({
    status: 'replaced',
    keyId: C,
    replaced: [A, B],
    digestKey: 'sealed with c',
    at: AT,
    resealed: false,
  });
});
