import { describe, test } from 'bun:test';
import type { ApiKeyEvent, KeyFacts } from '../../../src/domain/apikey/apikey.ts';
import { apiKeyDecider } from '../../../src/domain/apikey/decider.ts';
import { hotelId, keyId } from '../../support/examples.ts';
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
const [PIER, RAIL] = [hotelId('pier-house'), hotelId('rail-inn')];

const created: ApiKeyEvent = { type: 'KeyCreated', data: facts };
const allowed = (hotelIds: readonly (typeof PIER)[], at = LATER): ApiKeyEvent => ({
  type: 'KeyHotelsAllowed',
  data: { hotelIds, at },
});
const change = (hotelIds: readonly (typeof PIER)[]) =>
  ({ type: 'ChangeKey', changes: {}, hotelIds, at: LATER }) as const;

describe('the hotels of a key', () => {
  test('can be allowed with its creation', () => {
    const create = { type: 'CreateKey', mode: 'live', facts } as const;
    given(apiKeyDecider, [])
      .when({ ...create, hotelIds: [PIER] })
      .then([created, allowed([PIER], facts.at)]);
    given(apiKeyDecider, [])
      .when({ ...create, hotelIds: [] })
      .then([created]);
  });

  test('are replaced by a change, and stay if it names none', () => {
    const before = [created, allowed([PIER])];
    given(apiKeyDecider, before)
      .when(change([RAIL]))
      .then([allowed([RAIL])]);
    given(apiKeyDecider, before)
      .when(change([]))
      .then([allowed([])]);
    given(apiKeyDecider, before).when({ type: 'ChangeKey', changes: {}, at: LATER }).thenNothing();
  });

  test('do not change if the same are sent in another order', () => {
    given(apiKeyDecider, [created, allowed([PIER, RAIL])])
      .when(change([RAIL, PIER]))
      .thenNothing();
  });
});
