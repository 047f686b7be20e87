import { describe, expect, test } from 'bun:test';
import {
  type ApiKeyEvent,
  type KeyChanges,
  type KeyFacts,
  type KeyLimits,
  type KeySettings,
  NO_LIMITS,
} from '../../../src/domain/apikey/apikey.ts';
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
const NOTHING_SET = { limits: NO_LIMITS, hotelIds: [], exploration: true };
const [LATER, END] = ['2026-11-22T03:00:00.000Z', '2026-11-23T03:00:00.000Z'];
const ADDRESSES = ['203.0.113.0/24'];

const created: ApiKeyEvent = { type: 'KeyCreated', data: facts };
const deactivated: ApiKeyEvent = { type: 'KeyDeactivated', data: { at: LATER } };
const activated: ApiKeyEvent = { type: 'KeyActivated', data: { at: LATER } };
const changed = (changes: Partial<KeySettings>): ApiKeyEvent => ({ type: 'KeyChanged', data: { changes, at: LATER } });
const rotated = (hash: string): ApiKeyEvent => ({
  type: 'KeyRotated',
  data: { hash, prefix: `pk_${hash}`, oldUntil: END, at: LATER },
});
const secretRotated = (webhookSecret: string): ApiKeyEvent => ({
  type: 'WebhookSecretRotated',
  data: { webhookSecret, oldUntil: END, at: LATER },
});
const finished = (at: string): ApiKeyEvent => ({ type: 'WebhookSecretRotationFinished', data: { at } });

const create = (change: Partial<KeyFacts> = {}) =>
  ({ type: 'CreateKey', mode: 'live', facts: { ...facts, ...change } }) as const;
const change = ({ limits, ...changes }: KeyChanges) =>
  ({ type: 'ChangeKey', changes, ...(limits && { limits }), at: LATER }) as const;
const limited = (limits: Partial<KeyLimits>, at = LATER): ApiKeyEvent => ({
  type: 'KeyLimitsSet',
  data: { limits: { ...NO_LIMITS, ...limits }, at },
});
const THB_500 = { amountMinor: 50_000, currency: 'THB' } as const;
const SGD_20 = { amountMinor: 2_000, currency: 'SGD' } as const;
const rotate = (hash: string) =>
  ({ type: 'RotateKey', value: { hash, prefix: `pk_${hash}` }, oldUntil: END, at: LATER }) as const;
const deactivate = { type: 'DeactivateKey', at: LATER } as const;
const activate = { type: 'ActivateKey', at: LATER } as const;
const rotateSecret = (webhookSecret: string) =>
  ({ type: 'RotateWebhookSecret', webhookSecret, oldUntil: END, at: LATER }) as const;
const finish = (at: string) => ({ type: 'FinishWebhookSecretRotation', at }) as const;

describe('creating a key', () => {
  test('keeps its settings and the digest of its value', () => {
    given(apiKeyDecider, []).when(create()).then([created]);
  });

  test('again with the same value adds no event, also if the value was replaced since', () => {
    given(apiKeyDecider, [created]).when(create()).thenNothing();
    given(apiKeyDecider, [created, rotated('second')])
      .when(create())
      .thenNothing();
  });

  test('that makes test bookings only is a separate event, and a rotation keeps the mode', () => {
    const testKey: ApiKeyEvent = { type: 'TestKeyCreated', data: facts };
    expect(fold(apiKeyDecider, [testKey, rotated('second')])).toMatchObject({ status: 'active', mode: 'test' });
  });

  test('under the id of another key is refused', () => {
    given(apiKeyDecider, [created])
      .when(create({ hash: 'another' }))
      .thenRejected({ code: 'KEY_EXISTS' });
  });

  test('does not activate a deactivated key', () => {
    given(apiKeyDecider, [created, deactivated]).when(create()).thenNothing();
    given(apiKeyDecider, [created, deactivated])
      .when(create({ hash: 'another' }))
      .thenRejected({ code: 'KEY_EXISTS' });
  });

  test('with an IP allowlist needs the enterprise plan', () => {
    const listed = create({ ipAllowlist: ADDRESSES });
    given(apiKeyDecider, [])
      .when(listed)
      .then([{ type: 'KeyCreated', data: listed.facts }]);
    given(apiKeyDecider, [])
      .when(create({ ipAllowlist: ADDRESSES, plan: 'premium' }))
      .thenRejected({ code: 'ALLOWLIST_NOT_IN_PLAN', plan: 'premium' });
  });
});

describe('changing a key', () => {
  test('records only the differences', () => {
    given(apiKeyDecider, [created])
      .when(change({ name: facts.name, plan: 'basic', contactEmail: null, expiresAt: END }))
      .then([changed({ plan: 'basic', expiresAt: END })]);
  });

  test('to its current settings adds no event, whatever the order of lists', () => {
    given(apiKeyDecider, [created])
      .when(change({ permissions: ['execute_booking', 'recommend'], webhookEvents: null }))
      .thenNothing();
    given(apiKeyDecider, [created]).when(change({})).thenNothing();
  });

  test('distinguishes an empty list from null', () => {
    given(apiKeyDecider, [created])
      .when(change({ webhookEvents: [] }))
      .then([changed({ webhookEvents: [] })]);
    given(apiKeyDecider, [created, changed({ webhookEvents: [] })])
      .when(change({ webhookEvents: null }))
      .then([changed({ webhookEvents: null })]);
  });

  test('starts from the last change', () => {
    given(apiKeyDecider, [created, changed({ name: 'Another' })])
      .when(change({ name: facts.name }))
      .then([changed({ name: facts.name })]);
  });

  test('never leaves an IP allowlist on another plan than enterprise', () => {
    const listed = [created, changed({ ipAllowlist: ADDRESSES })];
    const refusal = { code: 'ALLOWLIST_NOT_IN_PLAN', plan: 'basic' } as const;
    given(apiKeyDecider, listed)
      .when(change({ plan: 'basic' }))
      .thenRejected(refusal);
    given(apiKeyDecider, listed)
      .when(change({ plan: 'basic', ipAllowlist: null }))
      .then([changed({ plan: 'basic', ipAllowlist: null })]);
    given(apiKeyDecider, [created, changed({ plan: 'basic' })])
      .when(change({ ipAllowlist: ADDRESSES }))
      .thenRejected(refusal);
  });

  test('that is inactive is possible, and keeps it inactive', () => {
    const events = [created, deactivated, changed({ name: 'Another' })];
    given(apiKeyDecider, [created, deactivated])
      .when(change({ name: 'Another' }))
      .then([changed({ name: 'Another' })]);
    expect(fold(apiKeyDecider, events)).toMatchObject({ status: 'inactive', facts: { name: 'Another' } });
  });
});

describe('rotating a key', () => {
  test('replaces the value, and the old one stays valid for a while', () => {
    given(apiKeyDecider, [created])
      .when(rotate('second'))
      .then([rotated('second')]);
    expect(fold(apiKeyDecider, [created, rotated('second')])).toStrictEqual({
      status: 'active',
      mode: 'live',
      facts: { ...facts, hash: 'second', prefix: 'pk_second' },
      ...NOTHING_SET,
      replaced: { hash: 'first', prefix: 'pk_000001', until: END },
      replacedSecret: null,
    });
  });

  test('a second time leaves two valid values: the first one has ended', () => {
    expect(fold(apiKeyDecider, [created, rotated('second'), rotated('third')])).toStrictEqual({
      status: 'active',
      mode: 'live',
      facts: { ...facts, hash: 'third', prefix: 'pk_third' },
      ...NOTHING_SET,
      replaced: { hash: 'second', prefix: 'pk_second', until: END },
      replacedSecret: null,
    });
  });

  test('to its current or previous value adds no event', () => {
    given(apiKeyDecider, [created, rotated('second')])
      .when(rotate('second'))
      .thenNothing();
    given(apiKeyDecider, [created, rotated('second'), rotated('third')])
      .when(rotate('second'))
      .thenNothing();
  });
});

describe('deactivating and activating a key', () => {
  test('changes its status', () => {
    given(apiKeyDecider, [created]).when(deactivate).then([deactivated]);
    given(apiKeyDecider, [created, deactivated]).when(activate).then([activated]);
  });

  test('adds no event if the key has that status', () => {
    given(apiKeyDecider, [created, deactivated]).when(deactivate).thenNothing();
    given(apiKeyDecider, [created]).when(activate).thenNothing();
  });
});

describe('rotating the webhook secret', () => {
  test('keeps the old secret in use for a while', () => {
    given(apiKeyDecider, [created])
      .when(rotateSecret('second'))
      .then([secretRotated('second')]);
    expect(fold(apiKeyDecider, [created, secretRotated('second')])).toStrictEqual({
      status: 'active',
      mode: 'live',
      facts: { ...facts, webhookSecret: 'second' },
      ...NOTHING_SET,
      replaced: null,
      replacedSecret: { webhookSecret: facts.webhookSecret, until: END },
    });
  });

  test('a second time leaves two secrets in use: the first one has ended', () => {
    const state = fold(apiKeyDecider, [created, secretRotated('second'), secretRotated('third')]);
    expect(state).toMatchObject({ replacedSecret: { webhookSecret: 'second', until: END } });
  });

  test('to the current or previous secret adds no event', () => {
    given(apiKeyDecider, [created, secretRotated('second')])
      .when(rotateSecret('second'))
      .thenNothing();
    given(apiKeyDecider, [created, secretRotated('second'), secretRotated('third')])
      .when(rotateSecret('second'))
      .thenNothing();
  });

  test('can be finished early, once', () => {
    const rotating = [created, secretRotated('second')];
    given(apiKeyDecider, rotating)
      .when(finish(LATER))
      .then([finished(LATER)]);
    expect(fold(apiKeyDecider, [...rotating, finished(LATER)])).toMatchObject({ replacedSecret: null });
    given(apiKeyDecider, [...rotating, finished(LATER)])
      .when(finish(LATER))
      .thenNothing();
  });

  test('cannot be finished if there is no rotation, or if it has ended', () => {
    given(apiKeyDecider, [created]).when(finish(LATER)).thenNothing();
    given(apiKeyDecider, [created, secretRotated('second')])
      .when(finish(END))
      .thenNothing();
  });
});

describe('limits', () => {
  test('set with the key are a separate event, so that a key without limits has none', () => {
    given(apiKeyDecider, [])
      .when({ ...create(), limits: { ...NO_LIMITS, dayTotal: THB_500 } })
      .then([created, limited({ dayTotal: THB_500 }, facts.at)]);
    given(apiKeyDecider, [])
      .when({ ...create(), limits: NO_LIMITS })
      .then([created]);
  });

  test('set later keep the others, and null removes one', () => {
    given(apiKeyDecider, [created, limited({ dayTotal: THB_500 })])
      .when(change({ limits: { bookingTotal: THB_500 } }))
      .then([limited({ dayTotal: THB_500, bookingTotal: THB_500 })]);
    given(apiKeyDecider, [created, limited({ dayTotal: THB_500 })])
      .when(change({ limits: { dayTotal: null } }))
      .then([limited({})]);
  });

  test('that are the same already add no event', () => {
    given(apiKeyDecider, [created, limited({ dayTotal: THB_500 })])
      .when(change({ limits: { dayTotal: THB_500 } }))
      .thenNothing();
  });

  test('have one currency', () => {
    given(apiKeyDecider, [created, limited({ dayTotal: THB_500 })])
      .when(change({ limits: { bookingTotal: SGD_20 } }))
      .thenRejected({ code: 'LIMITS_IN_TWO_CURRENCIES', currencies: ['SGD', 'THB'] });
  });
});

test.each([change({ name: 'A' }), rotate('second'), deactivate, activate, rotateSecret('second'), finish(LATER)])(
  'a key that does not exist rejects the command %j',
  (command) => {
    given(apiKeyDecider, []).when(command).thenRejected({ code: 'KEY_NOT_FOUND' });
  },
);

test('the state of a key is its facts, the replaced values, and its status', () => {
  const rest = { mode: 'live' as const, facts, ...NOTHING_SET, replaced: null, replacedSecret: null };
  expect(fold(apiKeyDecider, [created])).toStrictEqual({ status: 'active', ...rest });
  expect(fold(apiKeyDecider, [created, deactivated])).toStrictEqual({ status: 'inactive', ...rest });
  expect(fold(apiKeyDecider, [created, deactivated, activated])).toStrictEqual({ status: 'active', ...rest });
  expect(fold(apiKeyDecider, [deactivated])).toStrictEqual({ status: 'none' });
});
