import { BlockList, isIP } from 'node:net';

/** Checks webhook URLs and addresses. Loopback is allowed outside production only. */
type Destinations = {
  /** Why a URL is refused, as the end of a sentence; null if allowed. Does no DNS lookup. */
  readonly faultOf: (url: string) => string | null;
  /** Whether a connection to this IP address is allowed. Check the resolved address, against DNS rebinding. */
  readonly permits: (address: string) => boolean;
};

/** Private, reserved and multicast addresses (RFC 6890 and the IANA special-purpose registries). */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Public, but reaches the host's services from every Azure virtual machine.
  '168.63.129.16/32',
];
/** All public IPv6. IPv4-mapped and NAT64 addresses lie outside and are refused. */
const GLOBAL_IPV6 = '2000::/3';
/** Refused parts of it: protocols, tunnels to IPv4 (Teredo, 6to4), documentation. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

const specialIpv4 = listOf(SPECIAL_IPV4);
const globalIpv6 = listOf([GLOBAL_IPV6]);
const specialIpv6 = listOf(SPECIAL_IPV6);
const loopback = listOf(LOOPBACK);

export function destinations(production: boolean): Destinations {
  const permits = (address: string): boolean => isPublic(address) || (!production && isOn(loopback, address));
  return {
    permits,
    faultOf(text) {
      const url = URL.parse(text);
      if (url === null) return 'is not a URL';
      if (url.protocol !== 'https:' && (production || url.protocol !== 'http:'))
        return production ? 'does not begin with https://' : 'begins neither with https:// nor with http://';
      if (url.username !== '' || url.password !== '') return 'contains a user name or password';
      const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
      if (production && /(^|\.)localhost\.?$/.test(host)) return 'leads to the service itself';
      if (isIP(host) !== 0 && !permits(host)) return 'leads to an address that is not public';
      return null;
    },
  };
}

function isPublic(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !isOn(specialIpv4, address);
    case 6:
      return isOn(globalIpv6, address) && !isOn(specialIpv6, address);
    default:
      return false;
  }
}

function isOn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  }
  return list;
}
