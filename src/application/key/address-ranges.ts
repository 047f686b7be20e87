import { BlockList, isIP } from 'node:net';

/** A list of CIDR ranges. An IPv4-mapped IPv6 address counts as the IPv4 address. */
export type AddressRanges = { holds(address: string): boolean };

type Range = { readonly network: string; readonly bits: number; readonly family: 'ipv4' | 'ipv6' };

const MAPPED_BITS = 96;
/** The widest private ranges: 10.0.0.0/8 and fc00::/7. */
const LEAST_BITS = { ipv4: 8, ipv6: 7 } as const;

/** Whether a text is a CIDR range (`10.0.0.0/8`, `2001:db8::/32`) or a single address. */
export function isAddressRange(text: string): boolean {
  return rangeOf(text) !== null;
}

/** The ranges that hold addresses of strangers. */
export function wideRanges(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => {
    const range = rangeOf(text);
    return range !== null && range.bits < LEAST_BITS[range.family];
  });
}

/** @param texts CIDR ranges or addresses; an invalid text matches nothing */
export function addressRanges(texts: readonly string[]): AddressRanges {
  // Two lists: a BlockList of IPv6 ranges treats an IPv4 address as a mapped one.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const range of texts.map(rangeOf))
    if (range !== null) lists[range.family].addSubnet(range.network, range.bits, range.family);
  return {
    holds(address) {
      const plain = plainAddress(address);
      if (plain === null) return false;
      const family = isIP(plain) === 6 ? 'ipv6' : 'ipv4';
      return lists[family].check(plain, family);
    },
  };
}

/**
 * The normal form of an address: IPv6 in its shortest form without a zone, IPv4-mapped IPv6 as IPv4. Null if the text
 * is not an address.
 */
export function plainAddress(text: string): string | null {
  const family = isIP(text);
  if (family !== 6) return family === 4 ? text : null;
  const shortest = URL.parse(`http://[${text.replace(/%.*$/, '')}]/`)?.hostname.slice(1, -1) ?? null;
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(shortest ?? '');
  if (mapped === null) return shortest;
  const [high, low] = [Number.parseInt(mapped[1] ?? '', 16), Number.parseInt(mapped[2] ?? '', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function rangeOf(text: string): Range | null {
  const [, address = '', written] = /^([^/]+?)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (address.includes('%')) return null;
  const network = plainAddress(address);
  if (network === null) return null;
  const widest = isIP(address) === 6 ? 128 : 32;
  const bits = written === undefined ? widest : Number(written);
  if (bits > widest) return null;
  if (isIP(network) === 6) return { network, bits, family: 'ipv6' };
  // An IPv4-mapped range becomes an IPv4 range, unless it is wider than all of IPv4.
  const own = isIP(address) === 6 ? bits - MAPPED_BITS : bits;
  return own < 0 ? null : { network, bits: own, family: 'ipv4' };
}
