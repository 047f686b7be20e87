import { describe, test } from 'bun:test';
import type { ApiKeyEvent, KeyFacts } from '../../../src/domain/apikey/apikey.ts';
import { apiKeyDecider } from '../../../src/domain/apikey/decider.ts';
import { keyId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

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
const LATER = '2026-11-22T03:00:00.000Z';

const created: ApiKeyEvent = { type: 'KeyCreated', data: facts };
const explores = (exploration: boolean, at = LATER): ApiKeyEvent => ({
  type: 'KeyExplorationSet',
  data: { exploration, at },
});
const change = (exploration: boolean) => ({ type: 'ChangeKey', changes: {}, exploration, at: LATER }) as const;

describe('exploration for a key', () => {
  test('is on unless the operator creates the key without it', () => {
    const create = { type: 'CreateKey', mode: 'live', facts } as const;
    given(apiKeyDecider, []).when(create).then([created]);
    given(apiKeyDecider, [])
      .when({ ...create, exploration: true })
      .then([created]);
    given(apiKeyDecider, [])
      .when({ ...create, exploration: false })
      .then([created, explores(false, facts.at)]);
  });

  test('is switched off and on again, and stays if a change does not name it', () => {
    given(apiKeyDecider, [created])
      .when(change(false))
      .then([explores(false)]);
    given(apiKeyDecider, [created, explores(false)])
      .when(change(true))
      .then([explores(true)]);
    given(apiKeyDecider, [created, explores(false)])
      .when({ type: 'ChangeKey', changes: {}, at: LATER })
      .thenNothing();
  });

  test('does not change if the same is sent', () => {
    given(apiKeyDecider, [created]).when(change(true)).thenNothing();
    given(apiKeyDecider, [created, explores(false)])
      .when(change(false))
      .thenNothing();
  });
});
