import { isIP } from 'node:net';
import { type AddressRanges, plainAddress } from '../application/address-ranges.ts';

/**
 * The address of whoever sent a request; null where it is not known. It is the other end of the connection, unless that is
 * a proxy of ours: then the right-most address of `X-Forwarded-For` that is none of ours. What stands left of it was
 * written by whoever it names, and proves nothing.
 *
 * `Forwarded` is not looked at: a proxy that writes one of the two headers mostly passes the other on as it came, so that
 * whoever believed both would believe the caller.
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
    // A proxy of ours vouches for what it saw, and it saw no address.
    if (address === null) return null;
    if (!proxies.holds(address)) return address;
    known = address;
  }
  return known;
}

/** Some proxies write the port as well: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
function addressOf(hop: string): string | null {
  if (isIP(hop) !== 0) return plainAddress(hop);
  const [, inBrackets, beforePort] = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/.exec(hop) ?? [];
  return plainAddress(inBrackets ?? beforePort ?? '');
}
