import { DAY_MS, MINUTE_MS } from '../../eventsourcing/durations.ts';

/** Maximum number of addresses in each of the two maps; the oldest are dropped first. */
const ADDRESSES = 10_000;

type Level = { readonly wrong: number; readonly atMs: number };

/**
 * Counts wrong bearer tokens by address (docs/decisions/0038). `waitMs`: how long tokens from an address are refused
 * without a check; 0: not refused. An address that sent the right token within a day is never refused.
 */
export type FailedAttempts = {
  waitMs(address: string | null, atMs: number): number;
  failed(address: string | null, atMs: number): void;
  succeeded(address: string | null, atMs: number): void;
};

/** @param perMinute wrong tokens allowed in a row, and refilled per minute (token bucket) */
export function createFailedAttempts(perMinute: number): FailedAttempts {
  const levels = new Map<string, Level>();
  const succeededAtMs = new Map<string, number>();
  const levelOf = (network: string, atMs: number): number => {
    const { wrong, atMs: since } = levels.get(network) ?? { wrong: 0, atMs };
    return Math.max(0, wrong - (Math.max(0, atMs - since) * perMinute) / MINUTE_MS);
  };
  return {
    waitMs(address, atMs) {
      const network = networkOf(address);
      const succeededAt = succeededAtMs.get(network);
      if (succeededAt !== undefined && atMs - succeededAt < DAY_MS) return 0;
      return Math.ceil((Math.max(0, levelOf(network, atMs) + 1 - perMinute) * MINUTE_MS) / perMinute);
    },
    failed(address, atMs) {
      const network = networkOf(address);
      const wrong = Math.min(perMinute, levelOf(network, atMs) + 1);
      putLast(levels, network, { wrong, atMs });
    },
    succeeded(address, atMs) {
      putLast(succeededAtMs, networkOf(address), atMs);
    },
  };
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

function putLast<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.keys().next().value;
  if (map.size > ADDRESSES && oldest !== undefined) map.delete(oldest);
}
