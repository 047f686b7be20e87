import type { Fingerprint } from '../domain/ids.ts';
import { type Refused, refused } from './refusal.ts';

export type InFlight = {
  /**
   * Runs `work`, unless a command with this id is already running on this node. Then it refuses the same body as
   * IDEMPOTENCY_IN_PROGRESS, and for another body runs `replay`, which may find an earlier answer.
   */
  run<T>(
    id: string,
    fingerprint: Fingerprint,
    work: () => Promise<T>,
    replay: () => Promise<T | Refused>,
  ): Promise<T | Refused>;
};

/**
 * The commands with an Idempotency-Key that run on this node. It only lets duplicates fail fast: the streams guarantee
 * one outcome per key on all nodes.
 */
export function createInFlight(): InFlight {
  const running = new Map<string, Fingerprint>();
  return {
    async run(id, fingerprint, work, replay) {
      const other = running.get(id);
      if (other !== undefined) return other === fingerprint ? inProgress() : replay();
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
function inProgress(): Refused {
  return refused(
    'IDEMPOTENCY_IN_PROGRESS',
    'The first request with this Idempotency-Key is still in progress; send it again after one second.',
    { retryAfterSeconds: 1 },
  );
}
