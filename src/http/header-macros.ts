import { Elysia } from 'elysia';
import { ifMatch } from './etag.ts';
import { idempotencyKey } from './fields.ts';
import { preferredLanguage } from './language.ts';
import { REQUEST_HEADERS, type RequestHeader } from './reference/headers.ts';
import { RefusedEarly } from './refused-early.ts';

/** Macros for request headers that only some routes read. They run after Elysia has validated the fields. */
export function headerMacros() {
  return new Elysia({ name: 'header-macros' }).macro({
    /** The route takes an Idempotency-Key; null if not sent. */
    idempotent: (_demanded: true) => ({
      detail: { parameters: [headerParameter('idempotency-key')] },
      resolve: ({ request }: { request: Request }) => {
        const read = idempotencyKey(request.headers);
        if (read.kind === 'refused') throw new RefusedEarly(read);
        return { idempotencyKey: read.key };
      },
    }),
    /** The route takes an If-Match: the booking versions that it names; null if any version matches. */
    ifMatch: (_demanded: true) => ({
      detail: { parameters: [headerParameter('if-match')] },
      resolve: ({ request }: { request: Request }) => {
        const read = ifMatch(request.headers);
        if (read.kind === 'refused') throw new RefusedEarly(read);
        return { ifVersions: read.versions };
      },
    }),
    /** The route takes an Accept-Language: the supported language that it prefers; null if it names none. */
    language: (_demanded: true) => ({
      detail: { parameters: [headerParameter('accept-language')] },
      resolve: ({ request }: { request: Request }) => ({
        language: preferredLanguage(request.headers.get('accept-language')),
      }),
    }),
    /** The route takes an X-Position. Its handler passes it to `waitForPosition`. */
    positioned: (_demanded: true) => ({ detail: { parameters: [headerParameter('x-position')] } }),
    /** The route takes an If-None-Match and may answer 304. Its handler passes the header to `sendKept`. */
    ifNoneMatch: (_demanded: true) => ({ detail: { parameters: [headerParameter('if-none-match')] } }),
  });
}

/** For `detail.parameters` of a route. */
export function headerParameter(header: RequestHeader) {
  return { in: 'header' as const, required: false, ...REQUEST_HEADERS[header] };
}
