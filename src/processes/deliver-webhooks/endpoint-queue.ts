import type { PriorityQueue } from '../../collections/priority-queue.ts';
import type { Bulkhead, Counts } from './bulkheads.ts';
import type { OpenDelivery } from './open-delivery.ts';

/** Maximum number of concurrent attempts at one receiver. */
const MAX_CONCURRENCY = 8;
/** A receiver that takes longer to respond is slow. */
const SLOW_AFTER_MS = 2_000;

/**
 * Concurrency limit of a receiver (additive increase, multiplicative decrease), and whether its last response was slow.
 */
export type ConcurrencyLimit = { readonly limit: number; readonly slow: boolean };

/** For a receiver without a known response. */
export const INITIAL_LIMIT: ConcurrencyLimit = { limit: 1, slow: false };

/** A success raises the limit by one. */
export function afterSuccess({ limit }: ConcurrencyLimit, responseTimeMs: number): ConcurrencyLimit {
  return { limit: Math.min(MAX_CONCURRENCY, limit + 1), slow: responseTimeMs > SLOW_AFTER_MS };
}

/** A failure halves the limit; a slow failure sets it to one. */
export function afterFailure({ limit }: ConcurrencyLimit, responseTimeMs: number): ConcurrencyLimit {
  const slow = responseTimeMs > SLOW_AFTER_MS;
  return { limit: slow ? 1 : Math.max(1, Math.floor(limit / 2)), slow };
}

/** The open deliveries of one receiver. */
export type EndpointQueue = {
  /** The API key's id, or the origin of the booking's own webhook URL. */
  readonly queueKey: string;
  readonly waiting: PriorityQueue<OpenDelivery>;
  readonly inFlight: Counts;
  readonly concurrency: ConcurrencyLimit;
  /** End of its last attempt, ms since the epoch. The queue that has waited longest is next. */
  readonly lastTurnMs: number;
};

/** The bulkhead of the queue's next attempt; null while the queue is at its limit. */
export function nextBulkhead({ concurrency: { limit, slow }, inFlight }: EndpointQueue): Bulkhead | null {
  if (inFlight.first + inFlight.further + inFlight.slow >= limit) return null;
  if (slow) return 'slow';
  return inFlight.first === 0 ? 'first' : 'further';
}

export function isEmpty({ waiting, inFlight }: EndpointQueue): boolean {
  return waiting.size === 0 && inFlight.first + inFlight.further + inFlight.slow === 0;
}
