import { type ApiKey, type KeySettings, webhookSecretPurpose } from '../domain/apikey/apikey.ts';
import { encodeBase32 } from '../domain/base32.ts';
import type { KeyId } from '../domain/booking/booking.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { Ids } from '../ports/ids.ts';
import type { Sealer } from '../ports/sealer.ts';
import { secretHash } from './identifiers.ts';
import { type Refused, refused, serviceUnavailable } from './refusal.ts';
import type { Streams } from './streams.ts';

const KEY_BYTES = 32;
const PREFIX_CHARACTERS = 6;
const ID_BYTES = 10;
const WEBHOOK_SECRET_BYTES = 32;
const DECISION_MS = 10_000;

export type KeysContext = {
  readonly streams: Streams;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly digest: Digest;
  readonly sealer: Sealer;
};

export type CreatedKey = {
  readonly kind: 'created';
  readonly keyId: KeyId;
  readonly key: Extract<ApiKey, { status: 'active' | 'inactive' }>;
  /** 64 hex characters. Told here and nowhere else; only its SHA-256 is kept. */
  readonly value: string;
  /** `whsec_` and base64. Kept sealed. */
  readonly webhookSecret: string;
  readonly position: Position;
};

export async function createKey(
  settings: KeySettings,
  cause: Cause,
  context: KeysContext,
): Promise<CreatedKey | Refused> {
  const { streams, clock, ids, digest, sealer } = context;
  const value = Buffer.from(ids.secret(KEY_BYTES)).toString('hex');
  const keyId = `key_${encodeBase32(ids.secret(ID_BYTES)).toLowerCase()}` as KeyId;
  const webhookSecret = `whsec_${Buffer.from(ids.secret(WEBHOOK_SECRET_BYTES)).toString('base64')}`;
  const facts = {
    ...settings,
    keyId,
    hash: secretHash(digest, value),
    prefix: `pk_${value.slice(0, PREFIX_CHARACTERS)}`,
    webhookSecret: sealer.seal(Buffer.from(webhookSecret), webhookSecretPurpose(keyId)),
    at: cause.at,
  };
  const reply = await streams.apiKeys.handle(keyId, { type: 'CreateKey', facts }, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable') return serviceUnavailable(reply.reason);
  if (reply.kind !== 'accepted' || reply.state.status === 'none' || reply.position === null)
    return serviceUnavailable('contended');
  return { kind: 'created', keyId, key: reply.state, value, webhookSecret, position: reply.position };
}

export async function deactivateKey(
  keyId: string,
  cause: Cause,
  { streams, clock }: KeysContext,
): Promise<{ readonly kind: 'deactivated'; readonly position: Position | null } | Refused> {
  const notFound = refused('NOT_FOUND', `There is no API key with the id "${keyId}"; GET /api/keys lists them.`);
  if (!/^key_[0-9a-z]+$/.test(keyId)) return notFound;
  const command = { type: 'DeactivateKey', at: cause.at } as const;
  const reply = await streams.apiKeys.handle(keyId, command, cause, clock.nowMs() + DECISION_MS);
  if (reply.kind === 'unavailable') return serviceUnavailable(reply.reason);
  return reply.kind === 'accepted' ? { kind: 'deactivated', position: reply.position } : notFound;
}
