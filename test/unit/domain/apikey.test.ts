import { describe, expect, test } from 'bun:test';
import { type ApiKeyEvent, apiKeyDecider } from '../../../src/domain/apikey/apikey.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { keyId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const facts: Extract<ApiKeyEvent, { type: 'KeyCreated' }>['data'] = {
  keyId: keyId('key_1'),
  hash: '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8',
  prefix: 'pk_5e8848',
  webhookSecret: 'sealed',
  at: '2026-11-21T03:00:00.000Z',
  name: 'Agent of a travel shop',
  plan: 'basic',
  permissions: ['recommend', 'execute_booking'],
  webhookUrl: null,
  webhookEvents: null,
  ipAllowlist: null,
  contactEmail: null,
  expiresAt: null,
};
const LATER = '2026-11-22T03:00:00.000Z';

const created: ApiKeyEvent = { type: 'KeyCreated', data: facts };
const deactivated: ApiKeyEvent = { type: 'KeyDeactivated', data: { at: LATER } };

const create = (hash = facts.hash) => ({ type: 'CreateKey', facts: { ...facts, hash } }) as const;
const deactivate = { type: 'DeactivateKey', at: LATER } as const;

describe('creating a key', () => {
  test('keeps its settings and the digest of its value', () => {
    given(apiKeyDecider, []).when(create()).then([created]);
  });

  test('again with the same value is nothing', () => {
    given(apiKeyDecider, [created]).when(create()).thenNothing();
  });

  test('in the place of another is refused', () => {
    given(apiKeyDecider, [created]).when(create('another')).thenRejected({ code: 'KEY_EXISTS' });
  });

  test('does not wake one that was deactivated', () => {
    given(apiKeyDecider, [created, deactivated]).when(create()).thenNothing();
    given(apiKeyDecider, [created, deactivated]).when(create('another')).thenRejected({ code: 'KEY_EXISTS' });
  });
});

describe('deactivating a key', () => {
  test('ends it', () => {
    given(apiKeyDecider, [created]).when(deactivate).then([deactivated]);
  });

  test('that is inactive already is nothing', () => {
    given(apiKeyDecider, [created, deactivated]).when(deactivate).thenNothing();
  });

  test('that never was is refused', () => {
    given(apiKeyDecider, []).when(deactivate).thenRejected({ code: 'KEY_NOT_FOUND' });
  });
});

test('the state of a key is its facts, and whether it is active', () => {
  expect(fold(apiKeyDecider, [created])).toStrictEqual({ status: 'active', facts });
  expect(fold(apiKeyDecider, [created, deactivated])).toStrictEqual({ status: 'inactive', facts });
  expect(fold(apiKeyDecider, [deactivated])).toStrictEqual({ status: 'none' });
});
