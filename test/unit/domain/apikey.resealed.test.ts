import { describe, expect, test } from 'bun:test';
import type { ApiKeyEvent, KeyFacts, SealedSecrets } from '../../../src/domain/apikey/apikey.ts';
import { apiKeyDecider } from '../../../src/domain/apikey/decider.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { keyId } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const facts: KeyFacts = {
  keyId: keyId('key_1'),
  hash: 'first',
  prefix: 'pk_000001',
  webhookSecret: 'first secret, sealed',
  at: '2026-11-21T03:00:00.000Z',
  name: 'Agent of a travel shop',
  plan: 'enterprise',
  permissions: ['recommend', 'execute_booking'],
  webhookUrl: null,
  webhookEvents: null,
  ipAllowlist: null,
  contactEmail: null,
  expiresAt: null,
};
const [LATER, END] = ['2026-11-22T03:00:00.000Z', '2026-11-23T03:00:00.000Z'];

const created: ApiKeyEvent = { type: 'KeyCreated', data: facts };
const secretRotated = (webhookSecret: string): ApiKeyEvent => ({
  type: 'WebhookSecretRotated',
  data: { webhookSecret, oldUntil: END, at: LATER },
});

describe('re-sealing webhook secrets', () => {
  const reseal = (from: SealedSecrets, to: SealedSecrets, at = LATER) =>
    ({ type: 'ResealWebhookSecret', from, to, at }) as const;
  const resealed = (to: SealedSecrets, at = LATER): ApiKeyEvent => ({
    type: 'WebhookSecretResealed',
    data: { ...to, at },
  });
  const alone = (webhookSecret: string): SealedSecrets => ({ webhookSecret, replaced: null });

  test('replaces both texts while a rotation lasts, and keeps its end', () => {
    const from = { webhookSecret: 'second', replaced: facts.webhookSecret };
    const to = { webhookSecret: 'second anew', replaced: 'first anew' };
    given(apiKeyDecider, [created, secretRotated('second')])
      .when(reseal(from, to))
      .then([resealed(to)]);
    expect(fold(apiKeyDecider, [created, secretRotated('second'), resealed(to)])).toMatchObject({
      facts: { webhookSecret: 'second anew' },
      replacedSecret: { webhookSecret: 'first anew', until: END },
    });
  });

  test('drops a replaced secret that signs no more', () => {
    given(apiKeyDecider, [created, secretRotated('second')])
      .when(reseal(alone('second'), alone('second anew'), END))
      .then([resealed(alone('second anew'), END)]);
    expect(fold(apiKeyDecider, [created, secretRotated('second'), resealed(alone('second anew'), END)])).toMatchObject({
      replacedSecret: null,
    });
  });

  test('does nothing if both texts stay', () => {
    const both = { webhookSecret: 'second', replaced: facts.webhookSecret };
    given(apiKeyDecider, [created])
      .when(reseal(alone('first secret, sealed'), alone('first secret, sealed')))
      .thenNothing();
    given(apiKeyDecider, [created, secretRotated('second')])
      .when(reseal(both, both))
      .thenNothing();
  });

  test('replaces the text of the replaced secret alone', () => {
    const to = { webhookSecret: 'second', replaced: 'first anew' };
    given(apiKeyDecider, [created, secretRotated('second')])
      .when(reseal({ webhookSecret: 'second', replaced: facts.webhookSecret }, to))
      .then([resealed(to)]);
  });

  test('does nothing if the key rotated its secret meanwhile', () => {
    given(apiKeyDecider, [created, secretRotated('second')])
      .when(reseal(alone(facts.webhookSecret), alone('first anew')))
      .thenNothing();
  });
});
