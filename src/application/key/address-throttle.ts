import { MINUTE_MS } from '../../eventsourcing/durations.ts';
import { type Refused, refused } from '../refusal.ts';

/** Maximum number of addresses in a throttle; it drops those first that sent nothing for longest. */
const ADDRESSES = 10_000;

/** Requests of one address for the API reference, in a row, and per minute after that. */
const REFERENCE_PER_MINUTE = 60;
/** Requests of one address for vouchers and their images: 200 guests behind one Wi-Fi open a page and both images. */
const VOUCHERS_PER_MINUTE = 600;
/** Requests of one address for drawn pictures: the page of a city shows dozens, and mail services fetch for many guests. */
const PICTURES_PER_MINUTE = 600;
/** Requests of one address to sign in: each that succeeds stores an event. */
const SIGN_INS_PER_MINUTE = 60;
/** Reads of all sessions of one API key: a page of the dashboard has at most four, and loads them again at most once a second. */
const DASHBOARD_READS_PER_MINUTE = 240;
/** Short codes of one gate device: a person types fewer. A guess is right with a chance of 1 in 2^50 for each voucher of the venue. */
const SHORT_CODES_PER_MINUTE = 30;

type Level = { readonly used: number; readonly atMs: number };

/**
 * Counts requests by address in a token bucket, in the memory of this node (docs/decisions/0075). An unknown address is
 * null.
 */
export type AddressThrottle = {
  /** How long the address must wait; 0: it need not. In ms. */
  waitMs(address: string | null, atMs: number): number;
  count(address: string | null, atMs: number): void;
  /** Counts a request that need not wait. @returns as `waitMs` */
  take(address: string | null, atMs: number): number;
};

/**
 * `wrongKeys` counts API keys and device keys that are not known, `wrongTokens` bearer tokens. `dashboards` counts by key
 * instead of address, `shortCodes` by device.
 */
export type Throttles = Readonly<
  Record<
    'wrongTokens' | 'wrongKeys' | 'reference' | 'vouchers' | 'pictures' | 'sessions' | 'dashboards' | 'shortCodes',
    AddressThrottle
  >
>;

export function createThrottles({ wrongPerMinute }: { readonly wrongPerMinute: number }): Throttles {
  return {
    wrongTokens: createAddressThrottle(wrongPerMinute),
    wrongKeys: createAddressThrottle(wrongPerMinute),
    reference: createAddressThrottle(REFERENCE_PER_MINUTE),
    vouchers: createAddressThrottle(VOUCHERS_PER_MINUTE),
    pictures: createAddressThrottle(PICTURES_PER_MINUTE),
    sessions: createAddressThrottle(SIGN_INS_PER_MINUTE),
    dashboards: createAddressThrottle(DASHBOARD_READS_PER_MINUTE),
    shortCodes: createAddressThrottle(SHORT_CODES_PER_MINUTE),
  };
}

/** @param perMinute requests allowed in a row, and refilled per minute */
export function createAddressThrottle(perMinute: number): AddressThrottle {
  const levels = new Map<string, Level>();
  const levelOf = (network: string, atMs: number): number => {
    const { used, atMs: since } = levels.get(network) ?? { used: 0, atMs };
    return Math.max(0, used - (Math.max(0, atMs - since) * perMinute) / MINUTE_MS);
  };
  const throttle: AddressThrottle = {
    waitMs(address, atMs) {
      const level = levelOf(networkOf(address), atMs);
      return Math.ceil((Math.max(0, level + 1 - perMinute) * MINUTE_MS) / perMinute);
    },
    count(address, atMs) {
      const network = networkOf(address);
      const used = Math.min(perMinute, levelOf(network, atMs) + 1);
      levels.delete(network);
      levels.set(network, { used, atMs });
      const oldest = levels.keys().next().value;
      if (levels.size > ADDRESSES && oldest !== undefined) levels.delete(oldest);
    },
    take(address, atMs) {
      const waitMs = throttle.waitMs(address, atMs);
      if (waitMs === 0) throttle.count(address, atMs);
      return waitMs;
    },
  };
  return throttle;
}

/** @param sent what came too often, for the sentence "Too many … came from …" */
export function tooMany(sent: string, address: string | null, waitMs: number, details = ''): Refused {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  return refused(
    'RATE_LIMITED',
    `Too many ${sent} came from ${address ?? 'your address'}; send this one again in ${retryAfterSeconds} s.`,
    { details, retryAfterSeconds },
  );
}

/** One IPv6 user usually owns a whole /64. All unknown addresses count as one. */
function networkOf(address: string | null): string {
  if (address === null) return 'unknown';
  if (!address.includes(':')) return address;
  const [before = '', after] = address.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: after === undefined ? 0 : 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}
