import { codec, type Upcaster } from '../../eventsourcing/codec.ts';
import { accept, type Decider, type Decision, reject } from '../../eventsourcing/decider.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { HotelId } from '../activity/activity.ts';
import type { Money } from '../spending/spending.ts';
import {
  type ApiKey,
  type ApiKeyCommand,
  type ApiKeyEvent,
  type ApiKeyRejection,
  type ExistingKey,
  type KeyLimits,
  type KeySettings,
  NO_LIMITS,
  sealedSecretsAt,
} from './apikey.ts';

type Decided = Decision<ApiKeyEvent, ApiKeyRejection>;

export const apiKeyDecider: Decider<ApiKeyCommand, ApiKey, ApiKeyEvent, ApiKeyRejection> = {
  initial: { status: 'none' },
  decide(command, key) {
    if (command.type === 'CreateKey') return create(command, key);
    return key.status === 'none' ? reject({ code: 'KEY_NOT_FOUND' }) : decideOn(key, command);
  },
  evolve(key, event) {
    if (event.type === 'KeyCreated' || event.type === 'TestKeyCreated') {
      const mode = event.type === 'KeyCreated' ? 'live' : 'test';
      const none = { limits: NO_LIMITS, hotelIds: [], exploration: true, replaced: null, replacedSecret: null };
      return { status: 'active', mode, facts: event.data, ...none };
    }
    return key.status === 'none' ? key : evolveFrom(key, event);
  },
};

export const apiKeyCodec = codec<ApiKeyEvent>('apikey', {
  KeyCreated: [],
  TestKeyCreated: [],
  KeyChanged: [],
  KeyRotated: [],
  KeyDeactivated: [],
  KeyActivated: [],
  WebhookSecretRotated: [],
  WebhookSecretRotationFinished: [],
  WebhookSecretResealed: [],
  KeyLimitsSet: [exposureOfThePlan],
  KeyHotelsAllowed: [],
  KeyExplorationSet: [],
});

/** In version 1 all keys of a plan had the same exposure limits: none. */
function exposureOfThePlan({ limits, ...facts }: Parameters<Upcaster>[0]): ReturnType<Upcaster> {
  return { ...facts, limits: { ...(limits as object), exposure: {} } };
}

function create(
  { mode, facts, limits = NO_LIMITS, hotelIds = [], exploration = true }: Extract<ApiKeyCommand, { type: 'CreateKey' }>,
  key: ApiKey,
): Decided {
  if (key.status !== 'none') {
    return [key.facts.hash, key.replaced?.hash].includes(facts.hash) ? accept() : reject({ code: 'KEY_EXISTS' });
  }
  const rejected = rejectAllowlist(facts) ?? rejectCurrencies(limits);
  if (rejected !== null) return rejected;
  const type = mode === 'live' ? 'KeyCreated' : 'TestKeyCreated';
  const { at } = facts;
  const events: ApiKeyEvent[] = [{ type, data: facts }];
  if (!sameLimits(limits, NO_LIMITS)) events.push({ type: 'KeyLimitsSet', data: { limits, at } });
  if (hotelIds.length > 0) events.push({ type: 'KeyHotelsAllowed', data: { hotelIds, at } });
  if (!exploration) events.push({ type: 'KeyExplorationSet', data: { exploration, at } });
  return accept(...events);
}

function decideOn(key: ExistingKey, command: Exclude<ApiKeyCommand, { type: 'CreateKey' }>): Decided {
  const { facts, replaced, replacedSecret } = key;
  const { at } = command;
  switch (command.type) {
    case 'ChangeKey':
      return change(key, command);
    case 'RotateKey': {
      const { value, oldUntil } = command;
      if ([facts.hash, replaced?.hash].includes(value.hash)) return accept();
      return accept({ type: 'KeyRotated', data: { ...value, oldUntil, at } });
    }
    case 'DeactivateKey':
      return key.status === 'active' ? accept({ type: 'KeyDeactivated', data: { at } }) : accept();
    case 'ActivateKey':
      return key.status === 'inactive' ? accept({ type: 'KeyActivated', data: { at } }) : accept();
    case 'RotateWebhookSecret': {
      const { webhookSecret, oldUntil } = command;
      if ([facts.webhookSecret, replacedSecret?.webhookSecret].includes(webhookSecret)) return accept();
      return accept({ type: 'WebhookSecretRotated', data: { webhookSecret, oldUntil, at } });
    }
    case 'FinishWebhookSecretRotation':
      // An expired secret needs no event.
      if (replacedSecret === null || Date.parse(replacedSecret.until) <= Date.parse(at)) return accept();
      return accept({ type: 'WebhookSecretRotationFinished', data: { at } });
    case 'ResealWebhookSecret': {
      const { from, to } = command;
      const present = sealedSecretsAt(key, Date.parse(at));
      if (present.webhookSecret !== from.webhookSecret || present.replaced !== from.replaced) return accept();
      if (to.webhookSecret === from.webhookSecret && to.replaced === from.replaced) return accept();
      return accept({ type: 'WebhookSecretResealed', data: { ...to, at } });
    }
    default:
      return unreachable(command);
  }
}

function change(key: ExistingKey, command: Extract<ApiKeyCommand, { type: 'ChangeKey' }>): Decided {
  const { at, hotelIds = key.hotelIds, exploration = key.exploration } = command;
  const changes = differences(command.changes, key.facts);
  const limits = withLimits(key.limits, command.limits);
  const events: ApiKeyEvent[] = [];
  if (Object.keys(changes).length > 0) events.push({ type: 'KeyChanged', data: { changes, at } });
  if (!sameLimits(limits, key.limits)) events.push({ type: 'KeyLimitsSet', data: { limits, at } });
  if (!sameHotels(hotelIds, key.hotelIds)) events.push({ type: 'KeyHotelsAllowed', data: { hotelIds, at } });
  if (exploration !== key.exploration) events.push({ type: 'KeyExplorationSet', data: { exploration, at } });
  return rejectAllowlist({ ...key.facts, ...changes }) ?? rejectCurrencies(limits) ?? accept(...events);
}

function evolveFrom(
  key: ExistingKey,
  event: Exclude<ApiKeyEvent, { type: 'KeyCreated' | 'TestKeyCreated' }>,
): ExistingKey {
  const { facts } = key;
  switch (event.type) {
    case 'KeyChanged':
      return { ...key, facts: { ...facts, ...event.data.changes } };
    case 'KeyRotated': {
      const { hash, prefix, oldUntil } = event.data;
      const replaced = { hash: facts.hash, prefix: facts.prefix, until: oldUntil };
      return { ...key, facts: { ...facts, hash, prefix }, replaced };
    }
    case 'KeyDeactivated':
      return { ...key, status: 'inactive' };
    case 'KeyActivated':
      return { ...key, status: 'active' };
    case 'WebhookSecretRotated': {
      const { webhookSecret, oldUntil } = event.data;
      const replacedSecret = { webhookSecret: facts.webhookSecret, until: oldUntil };
      return { ...key, facts: { ...facts, webhookSecret }, replacedSecret };
    }
    case 'WebhookSecretRotationFinished':
      return { ...key, replacedSecret: null };
    case 'WebhookSecretResealed': {
      const { webhookSecret, replaced } = event.data;
      const { replacedSecret } = key;
      return {
        ...key,
        facts: { ...facts, webhookSecret },
        replacedSecret:
          replaced === null || replacedSecret === null ? null : { ...replacedSecret, webhookSecret: replaced },
      };
    }
    case 'KeyLimitsSet':
      return { ...key, limits: event.data.limits };
    case 'KeyHotelsAllowed':
      return { ...key, hotelIds: event.data.hotelIds };
    case 'KeyExplorationSet':
      return { ...key, exploration: event.data.exploration };
    default:
      return unreachable(event);
  }
}

/** Only the enterprise plan has an IP allowlist, whether the plan or the list changes. */
function rejectAllowlist({ ipAllowlist, plan }: KeySettings): Decided | null {
  if (ipAllowlist === null || plan === 'enterprise') return null;
  return reject({ code: 'ALLOWLIST_NOT_IN_PLAN', plan });
}

/** All limits of a key have one currency. */
function rejectCurrencies({ bookingTotal, dayTotal }: KeyLimits): Decided | null {
  if (bookingTotal === null || dayTotal === null || bookingTotal.currency === dayTotal.currency) return null;
  return reject({ code: 'LIMITS_IN_TWO_CURRENCIES', currencies: [bookingTotal.currency, dayTotal.currency] });
}

function sameLimits(one: KeyLimits, other: KeyLimits): boolean {
  return (
    sameMoney(one.bookingTotal, other.bookingTotal) &&
    sameMoney(one.dayTotal, other.dayTotal) &&
    one.exposure.openHolds === other.exposure.openHolds &&
    one.exposure.unpaidShare === other.exposure.unpaidShare &&
    one.exposure.refundableGuests === other.exposure.refundableGuests
  );
}

/** Limits that are left out stay. */
function withLimits(before: KeyLimits, changes: Partial<KeyLimits> = {}): KeyLimits {
  return { ...before, ...changes, exposure: { ...before.exposure, ...changes.exposure } };
}

function sameMoney(one: Money | null, other: Money | null): boolean {
  return one?.amountMinor === other?.amountMinor && one?.currency === other?.currency;
}

/** Ignores the order. Neither list names a hotel twice. */
function sameHotels(one: readonly HotelId[], other: readonly HotelId[]): boolean {
  return one.length === other.length && one.every((id) => other.includes(id));
}

const SETTINGS = [
  'name',
  'plan',
  'permissions',
  'webhookUrl',
  'webhookEvents',
  'ipAllowlist',
  'contactEmail',
  'expiresAt',
] as const satisfies readonly (keyof KeySettings)[];

/** The changes that differ from the current settings. */
function differences(changes: Partial<KeySettings>, now: KeySettings): Partial<KeySettings> {
  let differing = changes;
  for (const name of SETTINGS) {
    const { [name]: wanted, ...others } = differing;
    if (canonical(wanted) === canonical(now[name])) differing = others;
  }
  return differing;
}

/** Ignores the order of lists. JSON, so that a list of one name differs from that name. */
function canonical(setting: KeySettings[keyof KeySettings] | undefined): string | undefined {
  return JSON.stringify(typeof setting === 'object' ? (setting?.toSorted() ?? null) : setting);
}
