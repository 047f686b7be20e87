import type { AddressRanges } from '../application/key/address-ranges.ts';

export type OverTls = (request: Request) => boolean;

type Settings = {
  readonly tls: object | null;
  readonly production: boolean;
  /** The other end of a request's connection; null if unknown. */
  readonly peer: (request: Request) => string | null;
  readonly proxies: AddressRanges;
};

/**
 * Whether a client reached the service over TLS. In production all do: other requests are refused (https-required.ts). A
 * trusted proxy in front says so in `X-Forwarded-Proto`.
 */
export function overTls({ tls, production, peer, proxies }: Settings): OverTls {
  if (tls !== null || production) return () => true;
  return (request) => {
    const address = peer(request);
    if (address === null || !proxies.holds(address)) return false;
    return /\bhttps\b/i.test(request.headers.get('x-forwarded-proto') ?? '');
  };
}
