import type { DeliveryFacts, DeliveryId } from '../../src/domain/delivery/delivery.ts';

export type LoggedAttempt = {
  /** When it ended, ISO 8601 UTC. */
  readonly at: string;
  /** Null where there was no answer. */
  readonly responseCode: number | null;
  readonly responseTimeMs: number;
  readonly error: string | null;
};

/** A delivery as the log shows it. Payload and URL are in other streams and are rebuilt from there. */
export type DeliveryDocument = Omit<DeliveryFacts, 'at'> & {
  readonly deliveryId: DeliveryId;
  /** `scheduled` until the first attempt has ended; the log begins there. */
  readonly status: 'scheduled' | 'success' | 'retrying' | 'failed';
  readonly attempts: readonly LoggedAttempt[];
  /** The revision of the key's stream that the last attempt used. */
  readonly keyRevision: number | null;
  readonly nextAttemptAtMs: number | null;
  /** ISO 8601 UTC. */
  readonly scheduledAt: string;
};
