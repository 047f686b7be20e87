import type { HttpContext } from './context.ts';
import { successResponse } from './envelope.ts';
import { ANSWER_HEADERS, GENERAL_HEADERS, REQUEST_HEADERS } from './headers.ts';

type Handler = (request: Request) => Response | Promise<Response>;

/** How long a browser may keep the answer to a preflight request. This is Chromium's maximum. */
const PREFLIGHT_S = 7_200;
const METHODS = 'GET, POST, PUT, PATCH, DELETE';
const SENT = ['Content-Type', 'Authorization', 'X-Device-Key', 'X-Request-Id'];
const READ = [...GENERAL_HEADERS, ...Object.values(ANSWER_HEADERS).map(({ name }) => name)].join(', ');

/**
 * Lets pages of the given origins read answers (CORS). They have no session, so credentials are never allowed.
 *
 * `@elysiajs/cors` does not fit: its routes name no caller and answer every path, unknown ones too, with 204, and it sets
 * headers in Elysia's `set`, for which Elysia copies each finished response (docs/decisions/0045).
 *
 * @returns the handler itself if there are no origins
 */
export function withCors(handler: Handler, { corsOrigins }: Pick<HttpContext, 'corsOrigins'>): Handler {
  if (corsOrigins.length === 0) return handler;
  return async (request) => {
    const { method, headers } = request;
    const origin = headers.get('origin');
    const isAllowed = origin !== null && corsOrigins.includes(origin);
    const isPreflight = method === 'OPTIONS' && headers.has('access-control-request-method');
    const response = isAllowed && isPreflight ? preflight(request) : await handler(request);
    // Caches must not give the answer of one origin to another.
    response.headers.append('vary', 'Origin');
    if (isAllowed) {
      response.headers.set('access-control-allow-origin', origin);
      response.headers.set('access-control-expose-headers', READ);
    }
    return response;
  };
}

/** Comes before authentication: browsers send no key with it. */
function preflight(request: Request): Response {
  // Pages of other origins have no session.
  const { 'x-csrf-token': _ofSessions, ...forOthers } = REQUEST_HEADERS;
  const own = Object.values(forOthers).map(({ name }) => name);
  const headers = {
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': [...SENT, ...own].join(', '),
    'access-control-max-age': String(PREFLIGHT_S),
  };
  return successResponse({ methods: METHODS.split(', ') }, headers, request);
}
