import type { ErrorCode } from '../../application/refusal.ts';
import type { RequestHeader } from '../headers.ts';
import { fieldsOf, isAnnotated, membersOf } from '../schema-fields.ts';
import { callersOf } from './callers.ts';
import type { DescribedRoute } from './described-routes.ts';

/** Every error code of a route: from its authentication, its fields and headers, and its use case. */
export function codesOf({ access, method, path, request, headers, response }: DescribedRoute): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(callersOf(access).codes);
  const success = response[200];
  if (path.startsWith('/api/') && success !== undefined && !('media' in success.about)) {
    // Unknown parameters and members are refused, also by an operation that takes none.
    codes.add('INVALID_REQUEST');
    if (method !== 'GET') for (const code of BODY_CODES) codes.add(code);
  }
  if (request !== null) {
    codes.add('INVALID_REQUEST');
    const object = membersOf(request.schema);
    // If the handler checks the body, its fields are unknown here.
    for (const { field } of object === null ? [] : fieldsOf(object))
      if (isAnnotated(field) && typeof field.code === 'string') codes.add(field.code);
    if (request.place === 'body') for (const code of BODY_CODES) codes.add(code);
  }
  if (headers.some((name) => REFUSABLE.has(name))) codes.add('INVALID_REQUEST');
  for (const { about } of Object.values(response))
    if ('codes' in about) for (const code of about.codes) codes.add(code);
  codes.add('INTERNAL_ERROR');
  return [...codes];
}

/** The codes that follow from the caller and from the form of the request, not from the use case. */
export function commonCodesOf({ access }: DescribedRoute): ReadonlySet<ErrorCode> {
  const everywhere = ['INVALID_REQUEST', 'RATE_LIMITED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const;
  return new Set([...callersOf(access).codes, ...BODY_CODES, ...everywhere]);
}

/** Headers that a request is refused for if they are malformed. */
const REFUSABLE: ReadonlySet<RequestHeader> = new Set(['idempotency-key', 'if-match']);
const BODY_CODES = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const;
