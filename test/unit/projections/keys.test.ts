import { describe, expect, test } from 'bun:test';
import { keysProjection } from '../../../projections/keys/projection.ts';
import type { KeyDocument } from '../../../projections/keys/read-model.ts';
import { type ApiKeyEvent, type KeyFacts, NO_LIMITS } from '../../../src/domain/apikey/apikey.ts';
import { keyId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { recorder } from '../../support/recorded.ts';

const LATER = '2026-11-22T03:00:00.000Z';
const END = '2026-11-23T03:00:00.000Z';
const facts: KeyFacts = {
  keyId: keyId('key_1'),
  hash: 'first',
  prefix: 'pk_000001',
  webhookSecret: 'sealed',
  at: '2026-11-21T03:00:00.000Z',
  name: 'Agent of a travel shop',
  plan: 'basic',
  permissions: ['recommend'],
  webhookUrl: null,
  webhookEvents: null,
  ipAllowlist: null,
  contactEmail: null,
  expiresAt: null,
};
const { webhookSecret: _sealed, at, ...shown } = facts;
const document: KeyDocument = {
  ...shown,
  mode: 'live',
  limits: NO_LIMITS,
  hotelIds: [],
  exploration: true,
  replaced: null,
  active: true,
  createdAt: at,
};

const created: ApiKeyEvent = { type: 'KeyCreated', data: facts };
const rotated = (hash: string): ApiKeyEvent => ({
  type: 'KeyRotated',
  data: { hash, prefix: `pk_${hash}`, oldUntil: END, at: LATER },
});
const deactivated: ApiKeyEvent = { type: 'KeyDeactivated', data: { at: LATER } };
const changed: ApiKeyEvent = { type: 'KeyChanged', data: { changes: { plan: 'free', webhookEvents: [] }, at: LATER } };
const activated: ApiKeyEvent = { type: 'KeyActivated', data: { at: LATER } };
const secretRotated: ApiKeyEvent = {
  type: 'WebhookSecretRotated',
  data: { webhookSecret: 'sealed', oldUntil: END, at: LATER },
};
const finished: ApiKeyEvent = { type: 'WebhookSecretRotationFinished', data: { at: LATER } };

function given(...events: readonly ApiKeyEvent[]) {
  const record = recorder();
  return givenEvents(keysProjection, ...events.map((event) => record<ApiKeyEvent>('apikey-key_1', event)));
}

describe('the document of a key', () => {
  test('has the latest settings', () => {
    given(created, changed).thenDocument('key_1', { ...document, plan: 'free', webhookEvents: [] });
  });

  test('has its limits', () => {
    const limits = { bookingTotal: null, dayTotal: { amountMinor: 50_000, currency: 'THB' }, exposure: {} } as const;
    given(created, { type: 'KeyLimitsSet', data: { limits, at: LATER } }).thenDocument('key_1', {
      ...document,
      limits,
    });
  });

  test('says whether recommend explores', () => {
    const explores = (exploration: boolean): ApiKeyEvent => ({
      type: 'KeyExplorationSet',
      data: { exploration, at: LATER },
    });
    given(created, explores(false)).thenDocument('key_1', { ...document, exploration: false });
    given(created, explores(false), explores(true)).thenDocument('key_1', document);
    given(explores(false)).thenDocument('key_1', null);
  });

  test('has the current and the previous value', () => {
    const second = { ...document, hash: 'second', prefix: 'pk_second' };
    const replaced = { hash: 'first', prefix: 'pk_000001', until: END };
    given(created, rotated('second')).thenDocument('key_1', { ...second, replaced });
    given(created, rotated('second'), rotated('third')).thenDocument('key_1', {
      ...document,
      hash: 'third',
      prefix: 'pk_third',
      replaced: { hash: 'second', prefix: 'pk_second', until: END },
    });
  });

  test('says whether it is active', () => {
    given(created, deactivated).thenDocument('key_1', { ...document, active: false });
    given(created, deactivated, activated).thenDocument('key_1', document);
  });

  test('contains no webhook secrets', () => {
    given(created, secretRotated, finished).thenDocument('key_1', document);
    expect(JSON.stringify(document)).not.toInclude('sealed');
  });

  test.each([changed, rotated('second'), deactivated, activated, secretRotated, finished])(
    'is not created by %p',
    (event) => {
      given(event).thenDocument('key_1', null);
    },
  );
});
