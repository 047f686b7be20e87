import type { Clock } from '../ports/clock.ts';

const DAY_MS = 86_400_000;
/** Longer than any city is ahead of UTC or behind it, and than a night that goes on after midnight. */
const GRACE_MS = 2 * DAY_MS;

/**
 * Which allotments (`{activity}-{date}`) still matter to who looks for something to do: those whose date has not passed. A
 * date that has passed once is never said to matter again, also where the clock is put back.
 */
export function datesNotPassed(clock: Clock): (allotment: string) => boolean {
  let firstDate = '';
  return (allotment) => {
    const now = new Date(clock.nowMs() - GRACE_MS).toISOString().slice(0, 10);
    if (now > firstDate) firstDate = now;
    return allotment.slice(-firstDate.length) >= firstDate;
  };
}
