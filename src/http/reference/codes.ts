import type { ErrorCode } from '../../application/refusal.ts';
import { unreachable } from '../../eventsourcing/message.ts';
import type { RequestHeader } from '../declaration.ts';
import type { Access } from '../endpoint.ts';
import type { DeclaredRoute } from './routes.ts';

/** Every code that a route can answer with: by who may call, by its form, by what its declaration names. */
export function codesOf({ method, declaration, form }: DeclaredRoute): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(codesOfAccess(declaration));
  if (form !== null) {
    codes.add('INVALID_REQUEST');
    for (const { code } of Object.values(form.fields)) if (typeof code === 'string') codes.add(code);
    if (method !== 'GET') for (const code of BODY_CODES) codes.add(code);
  }
  if (declaration.headers?.some((name) => REFUSABLE.has(name))) codes.add('INVALID_REQUEST');
  for (const code of declaration.refusals) codes.add(code);
  codes.add('INTERNAL_ERROR');
  return [...codes];
}

/** Headers of a form that not every text has. */
const REFUSABLE: ReadonlySet<RequestHeader> = new Set(['idempotency-key', 'if-match']);
const BODY_CODES = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;

function codesOfAccess(access: Access): readonly ErrorCode[] {
  switch (access.by) {
    case 'key': {
      // An uncounted endpoint looks at the counters too: they may be out of reach.
      const known = [
        'MISSING_API_KEY',
        'INVALID_API_KEY',
        'KEY_INACTIVE',
        'IP_NOT_ALLOWED',
        'SERVICE_UNAVAILABLE',
      ] as const;
      const counted = access.uncounted === true ? known : ([...known, 'RATE_LIMITED', 'QUOTA_EXCEEDED'] as const);
      return access.permission === null ? counted : [...counted, 'ENDPOINT_NOT_ALLOWED'];
    }
    case 'device':
      return ['MISSING_DEVICE_KEY', 'INVALID_DEVICE_KEY'];
    case 'operator': {
      // What an operator asks for is read from the engines, which may be away.
      const known = ['MISSING_TOKEN', 'INVALID_TOKEN', 'RATE_LIMITED', 'SERVICE_UNAVAILABLE'] as const;
      return access.least === 'analyst' ? known : [...known, 'FORBIDDEN'];
    }
    case 'anybody':
      return [];
    default:
      return unreachable(access);
  }
}
