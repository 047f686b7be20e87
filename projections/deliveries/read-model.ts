import type { DeliveryFacts, DeliveryId, Exhaustion, TestFacts } from '../../src/domain/delivery/delivery.ts';

type LoggedAttempt = {
  /** When it ended, ISO 8601 UTC. */
  readonly at: string;
  /** Null without a response. */
  readonly responseCode: number | null;
  readonly responseTimeMs: number;
  readonly error: string | null;
};

/** A delivery in the delivery log. Payload and URL are resolved from other streams. */
export type DeliveryDocument = EventDelivery | TestDelivery;

/** The delivery of a booking's event. */
export type EventDelivery = Omit<DeliveryFacts, 'at'> & Logged;

/** An example that `POST /api/webhooks/test` sent; it belongs to no booking. */
export type TestDelivery = Logged &
  Pick<TestFacts, 'eventId' | 'event' | 'keyId'> & { readonly test: Pick<TestFacts, 'origin'> };

type Logged = {
  readonly deliveryId: DeliveryId;
  /** `scheduled` until the first attempt has ended. */
  readonly status: 'scheduled' | 'success' | 'retrying' | 'failed';
  readonly attempts: readonly LoggedAttempt[];
  /** The revision of the key's stream that the last attempt used. */
  readonly keyRevision: number | null;
  readonly nextAttemptAtMs: number | null;
  /** Why no attempt follows; null unless the delivery of an event has failed. */
  readonly exhaustion: Exhaustion | null;
  /** ISO 8601 UTC. */
  readonly scheduledAt: string;
};
