import { refusal } from '../application/refusal.ts';
import { requestIdOf } from './call.ts';
import type { HttpContext } from './context.ts';
import { failureResponse } from './envelope.ts';

type Handler = (request: Request) => Response | Promise<Response>;

/**
 * Checks the header `Host` before the handler, since the server builds the URL of a request from it. HTTP/1.0 allows no
 * header and RFC 9112 (3.2) an empty one: such a request counts as sent to this host. A malformed host is
 * INVALID_REQUEST.
 */
export function withHostHeader(handler: Handler, context: Pick<HttpContext, 'ids'>): Handler {
  return (request) => {
    if (URL.canParse(request.url)) return handler(request);
    const host = request.headers.get('host') ?? '';
    const url = host === '' ? URL.parse(request.url, THIS_HOST) : null;
    if (url !== null) return handler(new Request(url.href, request));
    const badHost = refusal(
      'INVALID_REQUEST',
      `The header Host is "${host.slice(0, 100)}", which is no host; send the name of this service.`,
    );
    return failureResponse(badHost, { 'x-request-id': requestIdOf(request, context) }, request);
  };
}

const THIS_HOST = 'http://localhost';
