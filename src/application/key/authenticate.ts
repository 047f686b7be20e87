import { timingSafeEqual } from 'node:crypto';
import type { HotelId, VenueId } from '../../domain/activity/activity.ts';
import type { KeyLimits, KeySettings, KeyValue, Permission, ReplacedValue } from '../../domain/apikey/apikey.ts';
import type { DeviceId, KeyId, Mode, OperatorId } from '../../domain/ids.ts';
import { mayCall, OPERATIONS, type OperatorOperation, type Role } from '../../domain/operator/roles.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Digest } from '../../ports/digest.ts';
import { secretHash } from '../identifiers.ts';
import { type Refused, refused } from '../refusal.ts';
import { type AddressRanges, addressRanges } from './address-ranges.ts';
import { type Throttles, tooMany } from './address-throttle.ts';

/** An API key in memory, found by the hash of its value. */
export type KnownKey = KeySettings &
  KeyValue & {
    readonly keyId: KeyId;
    readonly mode: Mode;
    readonly limits: KeyLimits;
    readonly hotelIds: readonly HotelId[];
    readonly exploration: boolean;
    readonly replaced: ReplacedValue | null;
    readonly active: boolean;
    readonly createdAt: string;
  };
export type KnownDevice = {
  readonly venueId: VenueId;
  readonly deviceId: DeviceId;
  readonly name: string;
  /** A device verifies only vouchers of its mode. */
  readonly mode: Mode;
  readonly paused: boolean;
};

export type KnownOperator = {
  readonly operatorId: OperatorId;
  readonly name: string;
  readonly role: Role;
};

/** A named operator in memory, found by the hash of the token. */
export type StoredOperator = KnownOperator & { readonly hash: string; readonly active: boolean };

export type AuthenticationContext = {
  /** By the hash of the present or the replaced value; the latter also after its expiry. */
  readonly keys: { findBySecondaryKey(hash: string): KnownKey | undefined };
  readonly devices: { findBySecondaryKey(hash: string): KnownDevice | undefined };
  readonly operators: { findBySecondaryKey(hash: string): StoredOperator | undefined };
  readonly adminToken: string;
  readonly analystToken: string;
  readonly throttles: Throttles;
  readonly clock: Clock;
  readonly digest: Digest;
};

const SECRET = /^[0-9a-f]{64}$/;
const NAMED_TOKEN = /^wmo_[0-9a-f]{64}$/;

/** Authenticates an `x-api-key` header, in the order of the public contract. `forbidden` checks the permission. */
export function authenticateKey(
  header: string | null,
  { keys, clock, digest }: Pick<AuthenticationContext, 'keys' | 'clock' | 'digest'>,
): { readonly kind: 'key'; readonly key: KnownKey } | Refused {
  if (header === null || header === '') {
    return refused(
      'MISSING_API_KEY',
      'The header x-api-key is missing; send your API key (64 hexadecimal characters) in it.',
    );
  }
  const known = isKeyForm(header) ? keyOfHash(secretHash(digest, header), { keys, clock }) : null;
  return (
    known ??
    refused('INVALID_API_KEY', 'The API key in x-api-key is not known; check that all 64 characters were copied.')
  );
}

/** Whether a text has the form of an API key. */
export function isKeyForm(text: string): boolean {
  return SECRET.test(text);
}

/** The key with this hash of its value, or its refusal; null for a hash that no key has. */
export function keyOfHash(
  hash: string,
  { keys, clock }: Pick<AuthenticationContext, 'keys' | 'clock'>,
): { readonly kind: 'key'; readonly key: KnownKey } | Refused | null {
  const key = keys.findBySecondaryKey(hash);
  if (key === undefined) return null;
  const { replaced } = key;
  if (replaced?.hash === hash && clock.nowMs() >= Date.parse(replaced.until)) {
    return refused(
      'INVALID_API_KEY',
      `The API key ${replaced.prefix} was replaced and expired at ${replaced.until}; send the new key ${key.prefix}.`,
    );
  }
  if (!key.active)
    return refused('KEY_INACTIVE', `The API key ${key.prefix} has been deactivated; ask the operator for a new one.`);
  if (key.expiresAt !== null && clock.nowMs() >= Date.parse(key.expiresAt)) {
    return refused(
      'KEY_INACTIVE',
      `The API key ${key.prefix} expired at ${key.expiresAt}; ask the operator for a new one.`,
    );
  }
  return { kind: 'key', key };
}

/**
 * The refusal of an API key or device key. Unknown keys from one address are RATE_LIMITED after too many; a known key is
 * not, so that a mistaken caller slows no other one behind the same address. Nobody can guess 256 random bits.
 */
export function slowedIfUnknown(
  found: Refused,
  addressOf: () => string | null,
  { throttles: { wrongKeys }, clock }: Pick<AuthenticationContext, 'throttles' | 'clock'>,
): Refused {
  const { code } = found.refusal;
  if (code !== 'INVALID_API_KEY' && code !== 'INVALID_DEVICE_KEY') return found;
  const address = addressOf();
  const waitMs = wrongKeys.take(address, clock.nowMs());
  return waitMs === 0 ? found : tooMany('unknown keys', address, waitMs, found.refusal.error);
}

/** Cache of parsed lists. */
const rangesOfList = new WeakMap<readonly string[], AddressRanges>();

/**
 * The refusal of an address (null: not known) outside the key's allowlist; null if allowed. No list allows any address.
 */
export function strangeAddress({ ipAllowlist, prefix }: KnownKey, addressOf: () => string | null): Refused | null {
  if (ipAllowlist === null) return null;
  const ranges = rangesOfList.get(ipAllowlist) ?? addressRanges(ipAllowlist);
  rangesOfList.set(ipAllowlist, ranges);
  const address = addressOf();
  if (address !== null && ranges.holds(address)) return null;
  return refused(
    'IP_NOT_ALLOWED',
    `The API key ${prefix} may not be used from ${address ?? 'an unknown address'}; call from an address on its allowlist, or ask the operator to extend the list.`,
  );
}

/** The refusal of a key that has none of the permissions; null if it has one, or if none is needed. */
export function forbidden(key: KnownKey, permissions: readonly Permission[]): Refused | null {
  if (permissions.length === 0 || permissions.some((each) => key.permissions.includes(each))) return null;
  return refused(
    'ENDPOINT_NOT_ALLOWED',
    `The API key ${key.prefix} has no permission ${permissions.map((each) => `"${each}"`).join(' or ')}; it has: ${key.permissions.join(', ') || 'none'}.`,
  );
}

export function authenticateDevice(
  header: string | null,
  { devices, digest }: AuthenticationContext,
): { readonly kind: 'device'; readonly device: KnownDevice } | Refused {
  if (header === null || header === '') {
    return refused('MISSING_DEVICE_KEY', "The header x-device-key is missing; send the gate device's key in it.");
  }
  const device = SECRET.test(header) ? devices.findBySecondaryKey(secretHash(digest, header)) : undefined;
  if (device === undefined)
    return refused('INVALID_DEVICE_KEY', 'The device key in x-device-key is not known; register the device again.');
  if (!device.paused) return { kind: 'device', device };
  return refused(
    'KEY_INACTIVE',
    `The gate device ${device.deviceId} is paused; ask the operator to resume it, and verify with another device.`,
  );
}

/**
 * Authenticates the `Authorization: Bearer` header of an operator. After too many wrong tokens from an address, its tokens
 * are refused without a check, a right one of the settings too: otherwise a caller could guess at full speed. The token of
 * a named operator is not slowed: nobody can guess 256 random bits.
 */
export function authenticateOperator(
  header: string | null,
  address: string | null,
  { operators, adminToken, analystToken, throttles: { wrongTokens }, clock, digest }: AuthenticationContext,
): { readonly kind: 'operator'; readonly operator: KnownOperator } | Refused {
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
  if (token === undefined)
    return refused(
      'MISSING_TOKEN',
      'The header Authorization holds no bearer token; send "Bearer" and your operator token in it.',
    );
  const named = NAMED_TOKEN.test(token) ? operators.findBySecondaryKey(secretHash(digest, token)) : undefined;
  if (named?.active) {
    const { operatorId, name, role } = named;
    return { kind: 'operator', operator: { operatorId, name, role } };
  }
  const nowMs = clock.nowMs();
  const waitMs = wrongTokens.waitMs(address, nowMs);
  if (waitMs > 0) return tooMany('wrong bearer tokens', address, waitMs, 'The token was not checked.');
  const operator = ofSettings(token, adminToken, analystToken);
  if (operator !== null) return { kind: 'operator', operator };
  wrongTokens.count(address, nowMs);
  return refused(
    'INVALID_TOKEN',
    named === undefined
      ? 'The bearer token is not known.'
      : `The token of the operator ${named.operatorId} was revoked; ask an admin for another one.`,
  );
}

/** The operator with this hash of the token; null for the hash of no token that works. */
export function operatorOfHash(
  hash: string,
  {
    operators,
    adminToken,
    analystToken,
    digest,
  }: Pick<AuthenticationContext, 'operators' | 'adminToken' | 'analystToken' | 'digest'>,
): KnownOperator | null {
  const named = operators.findBySecondaryKey(hash);
  if (named !== undefined) return activeOperator(named);
  if (hash === secretHash(digest, adminToken)) return ADMIN_OF_SETTINGS;
  return hash === secretHash(digest, analystToken) ? ANALYST_OF_SETTINGS : null;
}

function activeOperator({ operatorId, name, role, active }: StoredOperator): KnownOperator | null {
  return active ? { operatorId, name, role } : null;
}

/** Whether an operator has one of the two tokens of the settings, which do not change while the service runs. */
export function isOfSettings(operator: KnownOperator): boolean {
  return operator === ADMIN_OF_SETTINGS || operator === ANALYST_OF_SETTINGS;
}

/** The refusal of an operator whose role may not call the operation; null if it may. */
export function forbiddenOperation({ role }: KnownOperator, operation: OperatorOperation): Refused | null {
  if (mayCall(role, operation)) return null;
  return refused(
    'FORBIDDEN',
    `The role "${role}" may not call ${operation}; the token must have the role ${OPERATIONS[operation].roles.map((each) => `"${each}"`).join(' or ')}.`,
  );
}

const ADMIN_OF_SETTINGS: KnownOperator = {
  operatorId: 'admin' as OperatorId,
  name: 'WAYMARK_ADMIN_TOKEN',
  role: 'admin',
};
const ANALYST_OF_SETTINGS: KnownOperator = {
  operatorId: 'analyst' as OperatorId,
  name: 'WAYMARK_ANALYST_TOKEN',
  role: 'analyst',
};

/** The operator of a token of the settings. Constant-time comparison. */
function ofSettings(token: string, adminToken: string, analystToken: string): KnownOperator | null {
  const [isAdmin, isAnalyst] = [sameSecret(token, adminToken), sameSecret(token, analystToken)];
  if (isAdmin) return ADMIN_OF_SETTINGS;
  return isAnalyst ? ANALYST_OF_SETTINGS : null;
}

function sameSecret(given: string, known: string): boolean {
  const hash = (text: string): Uint8Array => new Bun.CryptoHasher('sha256').update(text).digest();
  return timingSafeEqual(hash(given), hash(known));
}
