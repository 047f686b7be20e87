import { refusal } from '../application/refusal.ts';
import { requestIdOf } from './call.ts';
import type { HttpContext } from './context.ts';
import { failureResponse } from './envelope.ts';

type Context = Pick<HttpContext, 'ids'> & {
  /** Takes the request as it came, by the one with the complete URL: only the former has a peer address. */
  readonly received: WeakMap<Request, Request>;
};

type Handler = (request: Request) => Response | Promise<Response>;

/**
 * Checks the header `Host` before the handler, since the server builds the URL of a request from it. HTTP/1.0 allows no
 * header and RFC 9112 (3.2) an empty one: such a request counts as sent to this host. A malformed host is
 * INVALID_REQUEST, and so are two headers: a proxy in front may have read the other one.
 */
export function withHostHeader(handler: Handler, context: Context): Handler {
  return (request) => {
    const host = request.headers.get('host') ?? '';
    // The server joins several headers with a comma, which no host contains.
    const several = host.includes(',');
    if (!several && URL.canParse(request.url)) return handler(request);
    const url = host === '' ? URL.parse(request.url, THIS_HOST) : null;
    if (url !== null) {
      const complete = new Request(url.href, request);
      context.received.set(complete, request);
      return handler(complete);
    }
    const badHost = refusal(
      'INVALID_REQUEST',
      `The header Host is "${host.slice(0, 100)}", which is ${several ? 'more than one host' : 'no host'}; send the name of this service once.`,
    );
    return failureResponse(badHost, { 'x-request-id': requestIdOf(request, context) }, request);
  };
}

const THIS_HOST = 'http://localhost';
