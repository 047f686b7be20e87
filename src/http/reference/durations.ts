import { RETRY_DELAYS_MS } from '../../domain/delivery/schedule.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../eventsourcing/durations.ts';

const UNITS = [
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
] as const;

/** A duration in the largest unit that divides it: "90 seconds", "2 minutes", "1 hour". */
export function inWords(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms >= each && ms % each === 0) ?? ['ms', 1];
  const count = ms / size;
  return `${count} ${unit}${count === 1 || size === 1 ? '' : 's'}`;
}

/** The delays between the retries of a delivery. */
export function retriesInWords(): string {
  const pauses = RETRY_DELAYS_MS.map(inWords);
  return `${pauses.slice(0, -1).join(', ')} and ${pauses.at(-1)}`;
}
