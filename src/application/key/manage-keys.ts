import {
  type ApiKeyCommand,
  type ApiKeyRejection,
  type ExistingKey,
  type KeyChanges,
  type KeySettings,
  type KeyValue,
  NO_LIMITS,
  webhookSecretPurpose,
} from '../../domain/apikey/apikey.ts';
import { encodeBase32 } from '../../domain/base32.ts';
import type { KeyId, Mode } from '../../domain/ids.ts';
import { HOUR_MS } from '../../eventsourcing/durations.ts';
import { type Cause, type Position, unreachable } from '../../eventsourcing/message.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Sealer } from '../../ports/sealer.ts';
import { secretHash } from '../identifiers.ts';
import { noReply, type Refused, refused, serviceUnavailable } from '../refusal.ts';
import type { Streams } from '../streams.ts';

const KEY_BYTES = 32;
const PREFIX_CHARACTERS = 6;
const ID_BYTES = 10;
const WEBHOOK_SECRET_BYTES = 32;
const DECISION_MS = 10_000;
/** How long a replaced webhook secret still signs. */
const SECRET_OVERLAP_HOURS = 24;

export type KeysContext = {
  readonly streams: Streams;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly digest: Digest;
  readonly sealer: Sealer;
};

/** A key after a command. `position` is null if nothing changed. */
export type ChangedKey = { readonly kind: 'done'; readonly key: ExistingKey; readonly position: Position | null };

/** 64 hex characters. Returned only once; only its SHA-256 is stored. */
type NewValue = { readonly value: string };
/** `whsec_` and base64. Returned only once; stored encrypted. */
type NewSecret = { readonly webhookSecret: string };

export async function createKey(
  mode: Mode,
  {
    limits: someLimits,
    hotelIds = [],
    exploration = true,
    ...settings
  }: KeySettings & Omit<KeyChanges, keyof KeySettings>,
  cause: Cause,
  context: KeysContext,
): Promise<(ChangedKey & NewValue & NewSecret & { readonly keyId: KeyId }) | Refused> {
  const keyId = `key_${encodeBase32(context.ids.secret(ID_BYTES)).toLowerCase()}` as KeyId;
  const { value, kept } = newValue(context);
  const { webhookSecret, sealed } = await newSecret(keyId, context);
  const limits = { ...NO_LIMITS, ...someLimits };
  const facts = { ...settings, ...kept, keyId, webhookSecret: sealed, at: cause.at };
  const command = { type: 'CreateKey', mode, facts, limits, hotelIds, exploration } as const;
  const done = await handleCommand(keyId, command, cause, context);
  return done.kind === 'refused' ? done : { ...done, keyId, value, webhookSecret };
}

/** Reads the key from its stream. */
export async function readKey(
  keyId: string,
  { streams, clock }: Pick<KeysContext, 'streams' | 'clock'>,
): Promise<{ readonly kind: 'key'; readonly key: ExistingKey } | Refused> {
  if (!isKeyId(keyId)) return keyNotFound(keyId);
  const reply = await streams.apiKeys.read(keyId, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind === 'erased' || reply.state.status === 'none') return keyNotFound(keyId);
  return { kind: 'key', key: reply.state };
}

/** Settings, limits, hotels and exploration that are not named stay. */
export function changeKey(
  keyId: string,
  { limits = {}, hotelIds, exploration, ...changes }: KeyChanges,
  cause: Cause,
  context: KeysContext,
): Promise<ChangedKey | Refused> {
  const others = {
    ...(hotelIds === undefined ? {} : { hotelIds }),
    ...(exploration === undefined ? {} : { exploration }),
  };
  return handleCommand(keyId, { type: 'ChangeKey', changes, limits, ...others, at: cause.at }, cause, context);
}

export function deactivateKey(keyId: string, cause: Cause, context: KeysContext): Promise<ChangedKey | Refused> {
  return handleCommand(keyId, { type: 'DeactivateKey', at: cause.at }, cause, context);
}

export function activateKey(keyId: string, cause: Cause, context: KeysContext): Promise<ChangedKey | Refused> {
  return handleCommand(keyId, { type: 'ActivateKey', at: cause.at }, cause, context);
}

/** Replaces the key's value. The replaced one works for `overlapHours` more; an older one expires now. */
export async function rotateKey(
  keyId: string,
  { overlapHours }: { readonly overlapHours: number },
  cause: Cause,
  context: KeysContext,
): Promise<(ChangedKey & NewValue) | Refused> {
  const { value, kept } = newValue(context);
  const oldUntil = hoursAfter(cause.at, overlapHours);
  const done = await handleCommand(keyId, { type: 'RotateKey', value: kept, oldUntil, at: cause.at }, cause, context);
  return done.kind === 'refused' ? done : { ...done, value };
}

/** Replaces the webhook secret. Both sign during the overlap; an older one ends now. */
export async function rotateWebhookSecret(
  keyId: string,
  cause: Cause,
  context: KeysContext,
): Promise<(ChangedKey & NewSecret & { readonly oldUntil: string }) | Refused> {
  if (!isKeyId(keyId)) return keyNotFound(keyId);
  const { webhookSecret, sealed } = await newSecret(keyId, context);
  const oldUntil = hoursAfter(cause.at, SECRET_OVERLAP_HOURS);
  const command = { type: 'RotateWebhookSecret', webhookSecret: sealed, oldUntil, at: cause.at } as const;
  const done = await handleCommand(keyId, command, cause, context);
  return done.kind === 'refused' ? done : { ...done, webhookSecret, oldUntil };
}

/** Ends the overlap: only the present webhook secret signs. */
export function finishWebhookSecretRotation(
  keyId: string,
  cause: Cause,
  context: KeysContext,
): Promise<ChangedKey | Refused> {
  return handleCommand(keyId, { type: 'FinishWebhookSecretRotation', at: cause.at }, cause, context);
}

async function handleCommand(
  keyId: string,
  command: ApiKeyCommand,
  cause: Cause,
  { streams, clock }: KeysContext,
): Promise<ChangedKey | Refused> {
  if (!isKeyId(keyId)) return keyNotFound(keyId);
  const reply = await streams.apiKeys.handle(keyId, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable') return noReply(reply);
  if (reply.kind === 'rejected') return refusalOf(reply.rejection, keyId);
  if (reply.kind === 'erased' || reply.state.status === 'none') return keyNotFound(keyId);
  return { kind: 'done', key: reply.state, position: reply.position };
}

function refusalOf(rejection: ApiKeyRejection, keyId: string): Refused {
  switch (rejection.code) {
    case 'KEY_NOT_FOUND':
      return keyNotFound(keyId);
    case 'KEY_EXISTS':
      // Ids have 80 random bits.
      return serviceUnavailable('contended', { call: `command to apikey-${keyId}, which exists` });
    case 'ALLOWLIST_NOT_IN_PLAN':
      return refused(
        'INVALID_REQUEST',
        `ip_allowlist needs the plan "enterprise", but the plan is "${rejection.plan}"; send ip_allowlist null, or plan "enterprise".`,
      );
    case 'LIMITS_IN_TWO_CURRENCIES':
      return refused(
        'INVALID_REQUEST',
        `limits.booking_total and limits.day_total must have one currency, but would have ${rejection.currencies.join(' and ')}; send both amounts with limits.currency, or null for one of them.`,
      );
    default:
      return unreachable(rejection);
  }
}

function isKeyId(text: string): text is KeyId {
  return /^key_[0-9a-z]+$/.test(text);
}

function keyNotFound(keyId: string): Refused {
  return refused('NOT_FOUND', `There is no API key with the id "${keyId.slice(0, 80)}"; GET /api/keys lists them.`);
}

function newValue({ ids, digest }: KeysContext): NewValue & { readonly kept: KeyValue } {
  const value = Buffer.from(ids.secret(KEY_BYTES)).toString('hex');
  return { value, kept: { hash: secretHash(digest, value), prefix: `pk_${value.slice(0, PREFIX_CHARACTERS)}` } };
}

async function newSecret(keyId: KeyId, { ids, sealer }: KeysContext): Promise<NewSecret & { readonly sealed: string }> {
  const webhookSecret = `whsec_${Buffer.from(ids.secret(WEBHOOK_SECRET_BYTES)).toString('base64')}`;
  return { webhookSecret, sealed: await sealer.seal(Buffer.from(webhookSecret), webhookSecretPurpose(keyId)) };
}

function hoursAfter(at: string, hours: number): string {
  return new Date(Date.parse(at) + hours * HOUR_MS).toISOString();
}
