const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Of so many addresses it is known what they sent wrongly, and of so many that they know a token. The oldest go first. */
const ADDRESSES = 10_000;

type Level = { readonly wrong: number; readonly atMs: number };

/**
 * Who sends wrong bearer tokens, by address (docs/decisions/0038). `waitMs` says how long no token from an address is
 * looked at; 0: it is. An address from which the right one came within a day is looked at always.
 */
export type FailedAttempts = {
  waitMs(address: string | null, atMs: number): number;
  failed(address: string | null, atMs: number): void;
  succeeded(address: string | null, atMs: number): void;
};

/** @param perMinute so many wrong ones may come from an address in a row; as many are forgiven in a minute */
export function createFailedAttempts(perMinute: number): FailedAttempts {
  const levels = new Map<string, Level>();
  const knowing = new Map<string, number>();
  const levelOf = (network: string, atMs: number): number => {
    const { wrong, atMs: since } = levels.get(network) ?? { wrong: 0, atMs };
    return Math.max(0, wrong - (Math.max(0, atMs - since) * perMinute) / MINUTE_MS);
  };
  return {
    waitMs(address, atMs) {
      const network = networkOf(address);
      const knownSince = knowing.get(network);
      if (knownSince !== undefined && atMs - knownSince < DAY_MS) return 0;
      return Math.ceil((Math.max(0, levelOf(network, atMs) + 1 - perMinute) * MINUTE_MS) / perMinute);
    },
    failed(address, atMs) {
      const network = networkOf(address);
      const wrong = Math.min(perMinute, levelOf(network, atMs) + 1);
      putLast(levels, network, { wrong, atMs });
    },
    succeeded(address, atMs) {
      putLast(knowing, networkOf(address), atMs);
    },
  };
}

/** Whoever has one IPv6 address has all of its /64. Callers whose address is not known count as one. */
function networkOf(address: string | null): string {
  if (address === null) return 'unknown';
  if (!address.includes(':')) return address;
  const [before = '', after] = address.split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = Array.from({ length: after === undefined ? 0 : 8 - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(':')}::/64`;
}

function putLast<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next().value;
  if (map.size > ADDRESSES && oldest !== undefined) map.delete(oldest);
}
