import type { Fingerprint } from '../domain/booking/booking.ts';
import { type Refused, refused } from './refusal.ts';

export type InFlight = {
  /**
   * Runs the work. Where a command with this id is running on this node, it refuses the same body, and does `beside` for
   * another one: what this body has made before is its own, whatever becomes of that one.
   */
  run<T>(
    id: string,
    fingerprint: Fingerprint,
    work: () => Promise<T>,
    beside: () => Promise<T | Refused>,
  ): Promise<T | Refused>;
};

/**
 * Commands under an Idempotency-Key that this node is working on. Only a courtesy to a caller who asks twice at once: that
 * two attempts have one outcome is the streams' work, also across nodes.
 */
export function createInFlight(): InFlight {
  const running = new Map<string, Fingerprint>();
  return {
    async run(id, fingerprint, work, beside) {
      const other = running.get(id);
      if (other !== undefined) return other === fingerprint ? stillRunning() : beside();
      running.set(id, fingerprint);
      try {
        return await work();
      } finally {
        running.delete(id);
      }
    },
  };
}

/** The same key with another body. */
export function keyReused(): Refused {
  return refused(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for a request with another body; send a new Idempotency-Key.',
  );
}

/** The same key and body, of which the first request is not answered yet. */
function stillRunning(): Refused {
  return refused(
    'IDEMPOTENCY_IN_PROGRESS',
    'The first request with this Idempotency-Key is still being worked on; send it again after a second.',
    { retryAfterSeconds: 1 },
  );
}
