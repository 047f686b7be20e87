import { refusal } from '../application/refusal.ts';
import type { HttpContext } from './context.ts';
import { requestIdOf } from './endpoint.ts';
import { failure } from './envelope.ts';

type Handler = (request: Request) => Response | Promise<Response>;

/**
 * The same handler for requests as they come from a socket, where the URL is made of the header `Host` and may be none.
 * HTTP/1.0 need not send one, nor has it to name anything (RFC 9112, 3.2): such a request is taken to be for this host. One
 * that is no host is INVALID_REQUEST.
 */
export function addressed(handler: Handler, context: Pick<HttpContext, 'ids'>): Handler {
  return (request) => {
    if (URL.canParse(request.url)) return handler(request);
    const host = request.headers.get('host') ?? '';
    const here = host === '' ? URL.parse(request.url, HERE) : null;
    if (here !== null) return handler(new Request(here.href, request));
    const said = refusal(
      'INVALID_REQUEST',
      `The header Host is "${host.slice(0, 100)}", which is no host; send the name of this service.`,
    );
    return failure(said, { 'x-request-id': requestIdOf(request, context) }, request);
  };
}

const HERE = 'http://localhost';
