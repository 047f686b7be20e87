import type { ErrorCode } from '../application/refusal.ts';
import type { STATUS } from './status.ts';

type Unauthenticated = { [C in ErrorCode]: (typeof STATUS)[C] extends 401 ? C : never }[ErrorCode];

/**
 * What each 401 asks for: RFC 9110 (11.6.1) wants a challenge with every one of them. `error` of a bearer challenge is for a token
 * that was sent, and there is always an attribute (RFC 6750, 3). No registered scheme takes its secret from a header
 * of its own, so those of keys and devices have the names that the API reference gives them. None of them opens a browser's dialog.
 */
const CHALLENGES = {
  MISSING_API_KEY: 'ApiKey realm="waymark", header="x-api-key"',
  INVALID_API_KEY: 'ApiKey realm="waymark", header="x-api-key"',
  MISSING_DEVICE_KEY: 'DeviceKey realm="waymark", header="x-device-key"',
  INVALID_DEVICE_KEY: 'DeviceKey realm="waymark", header="x-device-key"',
  MISSING_TOKEN: 'Bearer realm="waymark"',
  INVALID_TOKEN: 'Bearer realm="waymark", error="invalid_token"',
} as const satisfies Record<Unauthenticated, string>;

/** The `WWW-Authenticate` of a refusal; null where it is another status. A 401 that is forgotten does not compile. */
export function challengeOf(code: ErrorCode): string | null {
  return isUnauthenticated(code) ? CHALLENGES[code] : null;
}

function isUnauthenticated(code: ErrorCode): code is Unauthenticated {
  return code in CHALLENGES;
}
