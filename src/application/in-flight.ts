import type { Fingerprint } from '../domain/ids.ts';
import { type Refused, refused } from './refusal.ts';

export type InFlight = {
  /**
   * Runs `work`. If a command with this id is running on this node, the same body is refused as
   * IDEMPOTENCY_IN_PROGRESS; for another body `beside` runs, which can replay an earlier answer.
   */
  run<T>(
    id: string,
    fingerprint: Fingerprint,
    work: () => Promise<T>,
    beside: () => Promise<T | Refused>,
  ): Promise<T | Refused>;
};

/**
 * Commands with an Idempotency-Key that run on this node. Lets a duplicate fail fast; the streams guarantee the single
 * outcome, on all nodes.
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

/** Refusal of a key that was used with another body. */
export function keyReused(): Refused {
  return refused(
    'IDEMPOTENCY_KEY_REUSED',
    'This Idempotency-Key was used for a request with another body; send a new Idempotency-Key.',
  );
}

/** Refusal of a duplicate whose first request is still running. */
function stillRunning(): Refused {
  return refused(
    'IDEMPOTENCY_IN_PROGRESS',
    'The first request with this Idempotency-Key is still in progress; send it again after one second.',
    { retryAfterSeconds: 1 },
  );
}
