import { permissionsOf } from '../../application/key/admit-key.ts';
import type { ErrorCode } from '../../application/refusal.ts';
import { OPERATIONS } from '../../domain/operator/roles.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { RouteAccess } from '../admission.ts';

/** What the API reference says about the callers of a route. */
type Callers = {
  readonly short: string;
  /** Alternatives, as OpenAPI writes them. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** The error codes of authentication, permission and limits. */
  readonly codes: readonly ErrorCode[];
};

export function callersOf(access: RouteAccess): Callers {
  switch (access.by) {
    case 'key': {
      const permissions = permissionsOf(access);
      const inWords = permissions.map((each) => `\`${each}\``).join(' or ');
      const limits = access.uncounted === true ? [] : (['QUOTA_EXCEEDED'] as const);
      return {
        short: inWords === '' ? 'any key' : `key with ${inWords}`,
        security: inWords === '' ? [{ ApiKey: [] }] : permissions.map((each) => ({ ApiKey: [each] })),
        codes: [
          'MISSING_API_KEY',
          'INVALID_API_KEY',
          'KEY_INACTIVE',
          'IP_NOT_ALLOWED',
          // A route that counts no requests still reads the counters, which may be unavailable.
          'SERVICE_UNAVAILABLE',
          'RATE_LIMITED',
          ...limits,
          ...(inWords === '' ? [] : (['ENDPOINT_NOT_ALLOWED'] as const)),
          // Of a session: a request without its token, or from another page.
          ...(access.session ? (['FORBIDDEN'] as const) : []),
        ],
      };
    }
    case 'device':
      return {
        short: 'gate device',
        security: [{ DeviceKey: [] }],
        codes: ['MISSING_DEVICE_KEY', 'INVALID_DEVICE_KEY', 'KEY_INACTIVE', 'RATE_LIMITED'],
      };
    case 'operator': {
      const { roles } = OPERATIONS[access.operation];
      return {
        short: 'operator',
        security: roles.map((role) => ({ OperatorToken: [role] })),
        codes: [
          'MISSING_TOKEN',
          'INVALID_TOKEN',
          'RATE_LIMITED',
          // Operator routes read from the engines, which may be unavailable.
          'SERVICE_UNAVAILABLE',
          // For a role that may not call, and a session's request without its token.
          'FORBIDDEN',
        ],
      };
    }
    case 'key or operator': {
      const [ofKeys, ofOperators] = [callersOf(access.key), callersOf(access.operator)];
      return {
        short: `${ofKeys.short}, or ${ofOperators.short}`,
        security: [...ofKeys.security, ...ofOperators.security],
        codes: [...new Set([...ofKeys.codes, ...ofOperators.codes])],
      };
    }
    case 'session':
      return {
        short: 'session of the dashboard',
        security: [{ Session: [] }],
        codes: ['MISSING_TOKEN', 'INVALID_TOKEN', 'KEY_INACTIVE', 'IP_NOT_ALLOWED', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
      };
    case 'anybody':
      return {
        short: 'open',
        security: [],
        codes: access.throttle === undefined ? [] : ['RATE_LIMITED'],
      };
    default:
      return unreachable(access);
  }
}
