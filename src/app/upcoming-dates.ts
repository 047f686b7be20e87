import { DAY_MS } from '../eventsourcing/durations.ts';
import type { Clock } from '../ports/clock.ts';

/** Longer than any UTC offset plus a night that ends after midnight. */
const GRACE_MS = 2 * DAY_MS;

/**
 * Whether the date of an allotment (`{activity}-{date}`) has not passed in any city. False stays false, even if the clock is set back.
 */
export function hasUpcomingDate(clock: Clock): (allotment: string) => boolean {
  let firstDate = '';
  return (allotment) => {
    const now = new Date(clock.nowMs() - GRACE_MS).toISOString().slice(0, 10);
    if (now > firstDate) firstDate = now;
    return allotment.slice(-firstDate.length) >= firstDate;
  };
}
