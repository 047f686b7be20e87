import type { OrderedMap } from '../../collections/ordered-map.ts';
import type { CommandId, Fingerprint } from '../ids.ts';

/** Why an operator cancels a whole date. None of them is the guest's: each is refunded in full. */
export const DATE_CANCELLATION_REASONS = ['weather', 'venue_unavailable', 'system'] as const;
export type DateCancellationReason = (typeof DATE_CANCELLATION_REASONS)[number];

/**
 * The outcome of a booking of a cancelled date. `cancelled`: by this cancellation. `visited`: its guests were there, so it
 * stays. `gone`: it had ended or moved before its turn, or was never completed.
 */
export const DATE_OUTCOMES = ['cancelled', 'visited', 'gone'] as const;
export type DateOutcome = (typeof DATE_OUTCOMES)[number];

/** How far the cancellation is that keeps a date closed. */
export type Closing = 'runs' | 'finished';

/** The cancellation of a date. */
export type DateCancellation = {
  readonly command: CommandId;
  readonly fingerprint: Fingerprint;
  readonly reason: DateCancellationReason;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** Bookings, their places, and open holds when the date was closed. */
  readonly bookings: number;
  readonly places: number;
  readonly holds: number;
  /** Bookings whose turn has not come. */
  readonly pending: OrderedMap<string, true>;
  /** Bookings that stay because they were visited. */
  readonly visited: OrderedMap<string, true>;
  readonly cancelled: number;
  readonly gone: number;
  readonly refundMinor: number;
  /** ISO 8601 UTC; null: bookings or holds are left. */
  readonly finishedAt: string | null;
};
