import { isIP } from 'node:net';
import { type AddressRanges, plainAddress } from '../application/key/address-ranges.ts';

/**
 * The client's address; null if unknown. It is the peer, unless the peer is a trusted proxy: then it is the right-most
 * address of `X-Forwarded-For` that is not a trusted proxy. The client may have sent the entries to its left.
 *
 * `Forwarded` is ignored: most proxies set one of the two headers and pass on the other, which the client may have
 * sent.
 *
 * @param peer the other end of the connection
 * @param forwarded the header `X-Forwarded-For`
 */
export function clientAddress(peer: string | null, forwarded: string | null, proxies: AddressRanges): string | null {
  const nearest = peer === null ? null : plainAddress(peer);
  if (nearest === null || forwarded === null || !proxies.holds(nearest)) return nearest;
  let known = nearest;
  for (const hop of forwarded.split(',').toReversed()) {
    const address = addressOf(hop.trim());
    // A trusted proxy added this entry, and it is not an address.
    if (address === null) return null;
    if (!proxies.holds(address)) return address;
    known = address;
  }
  return known;
}

/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressOf(hop: string): string | null {
  if (isIP(hop) !== 0) return plainAddress(hop);
  const [, inBrackets, beforePort] = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/.exec(hop) ?? [];
  return plainAddress(inBrackets ?? beforePort ?? '');
}
