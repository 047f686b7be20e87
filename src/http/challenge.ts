import type { ErrorCode } from '../application/refusal.ts';
import type { STATUS } from './status.ts';

type Unauthenticated = { [C in ErrorCode]: (typeof STATUS)[C] extends 401 ? C : never }[ErrorCode];

/**
 * The challenge of each 401, which RFC 9110 (11.6.1) requires. A bearer challenge has at least one attribute; `error`
 * is only for a token that was sent (RFC 6750, 3). No registered scheme reads a secret from a custom header, so keys
 * and devices use the scheme names of the API reference. Browsers open a login dialog for none of them.
 */
const CHALLENGES = {
  MISSING_API_KEY: 'ApiKey realm="waymark", header="x-api-key"',
  INVALID_API_KEY: 'ApiKey realm="waymark", header="x-api-key"',
  MISSING_DEVICE_KEY: 'DeviceKey realm="waymark", header="x-device-key"',
  INVALID_DEVICE_KEY: 'DeviceKey realm="waymark", header="x-device-key"',
  MISSING_TOKEN: 'Bearer realm="waymark"',
  INVALID_TOKEN: 'Bearer realm="waymark", error="invalid_token"',
} as const satisfies Record<Unauthenticated, string>;

/** The `WWW-Authenticate` of a 401; null for other statuses. A missing code of a 401 does not compile. */
export function challengeOf(code: ErrorCode): string | null {
  return isUnauthenticated(code) ? CHALLENGES[code] : null;
}

function isUnauthenticated(code: ErrorCode): code is Unauthenticated {
  return code in CHALLENGES;
}
