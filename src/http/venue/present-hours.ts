import type { Hours } from '../../domain/booking/facts.ts';

/** The booked hours as a gate shows them; null if an earlier version did not record them. */
export function presentHours(hours: Hours | null) {
  return {
    opens_at: hours === null ? null : new Date(hours.opensAtMs).toISOString(),
    closes_at: hours === null ? null : new Date(hours.closesAtMs).toISOString(),
  };
}
