import type { AddressRanges } from '../application/key/address-ranges.ts';
import { refusal } from '../application/refusal.ts';
import { requestIdOf } from './call.ts';
import type { HttpContext } from './context.ts';
import { failureResponse } from './envelope.ts';

type Handler = (request: Request) => Response | Promise<Response>;

/** Probes of orchestrators: they carry no secret, and come over plain HTTP from addresses that nobody can list. */
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz']);

type Context = Pick<HttpContext, 'ids'> & {
  /** The other end of a request's connection; null if unknown. */
  readonly peer: (request: Request) => string | null;
  readonly proxies: AddressRanges;
};

/** Refuses plain HTTP, except from the proxies that end TLS in front of the service, and except probes. */
export function withHttpsOnly(handler: Handler, context: Context): Handler {
  const { peer, proxies } = context;
  return (request) => {
    const address = peer(request);
    if (address !== null && proxies.holds(address)) return handler(request);
    if (PROBES.has(URL.parse(request.url, 'http://localhost')?.pathname ?? '')) return handler(request);
    const plain = refusal(
      'HTTPS_REQUIRED',
      'This service answers over HTTPS only; send the request to its https:// address.',
      {
        details: 'A key or token that was sent over plain HTTP may be known to others: replace it.',
      },
    );
    return failureResponse(plain, { 'x-request-id': requestIdOf(request, context) }, request);
  };
}
