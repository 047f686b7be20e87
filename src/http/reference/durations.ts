import { RETRY_DELAYS_MS } from '../../domain/delivery/schedule.ts';

const UNITS = [
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A duration in the largest unit that it is a whole number of: "90 seconds", "2 minutes", "1 hour". */
export function inWords(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1];
  const count = ms / size;
  return `${count} ${unit}${count === 1 || size === 1 ? '' : 's'}`;
}

/** When a delivery that failed is tried again. */
export function retriesInWords(): string {
  const pauses = RETRY_DELAYS_MS.map(inWords);
  return `${pauses.slice(0, -1).join(', ')} and ${pauses.at(-1)}`;
}
