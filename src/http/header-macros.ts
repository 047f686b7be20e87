import { Elysia } from 'elysia';
import { refused } from '../application/refusal.ts';
import type { HttpContext } from './context.ts';
import { ifMatch } from './etag.ts';
import { REQUEST_HEADERS, type RequestHeader } from './headers.ts';
import { preferredLanguage } from './language.ts';
import { RefusedEarly } from './refused-early.ts';
import { type Followed, waitForPosition } from './wait-for-position.ts';

/** Macros for request headers that only some routes read. They run after Elysia has validated the fields. */
export function headerMacros(context: HttpContext) {
  return new Elysia({ name: 'header-macros' }).macro({
    /** The route takes an Idempotency-Key; null if not sent. */
    idempotent: (_demanded: true) => ({
      detail: { parameters: [headerParameter('idempotency-key')] },
      resolve: ({ request }: { request: Request }) => {
        const key = request.headers.get('idempotency-key');
        if (key === null || (key.length >= 1 && key.length <= 255)) return { idempotencyKey: key };
        const message = `The header Idempotency-Key must be 1 to 255 characters; it was ${key.length}.`;
        throw new RefusedEarly(refused('INVALID_REQUEST', message));
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
    /** The route takes an X-Position: before the handler, it waits until what the handler reads has passed it. */
    positioned: (followed: Followed | readonly Followed[]) => {
      const all = [followed].flat();
      return {
        detail: { parameters: [headerParameter('x-position')] },
        resolve: async ({ request }: { request: Request }) => {
          await waitForPosition(all, request.headers, context);
        },
      };
    },
    /** The route takes an If-None-Match and may answer 304. Its handler passes the header to `sendKept`. */
    ifNoneMatch: (_demanded: true) => ({ detail: { parameters: [headerParameter('if-none-match')] } }),
  });
}

/** For `detail.parameters` of a route. */
export function headerParameter(header: RequestHeader) {
  return { in: 'header' as const, required: false, ...REQUEST_HEADERS[header] };
}
