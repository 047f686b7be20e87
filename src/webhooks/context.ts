import type { Entities } from '../actors/entity.ts';
import type { ApiKey, ApiKeyCommand, ApiKeyEvent, ApiKeyRejection } from '../domain/apikey/apikey.ts';
import type { Booking, BookingCommand, BookingEvent, BookingRejection } from '../domain/booking/booking.ts';
import type { Delivery, DeliveryCommand, DeliveryEvent, DeliveryRejection } from '../domain/delivery/delivery.ts';
import type { Endpoint, EndpointCommand, EndpointEvent } from '../domain/endpoint/endpoint.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { EventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Sender } from '../ports/sender.ts';
import type { ActivityAt } from './activities-at.ts';

/** What webhooks work with. */
export type WebhookContext = {
  readonly streams: {
    readonly apiKeys: Entities<ApiKeyCommand, ApiKey, ApiKeyEvent, ApiKeyRejection>;
    readonly bookings: Entities<BookingCommand, Booking, BookingEvent, BookingRejection>;
    readonly deliveries: Entities<DeliveryCommand, Delivery, DeliveryEvent, DeliveryRejection>;
    readonly endpoints: Entities<EndpointCommand, Endpoint, EndpointEvent, never>;
  };
  readonly store: EventStore;
  readonly activityAt: ActivityAt;
  /** Which revision of an activity's catalogue entry holds now. */
  readonly catalogue: { get(id: string): { readonly revision: number } | undefined };
  readonly clock: Clock;
  readonly ids: Ids;
  readonly digest: Digest;
  readonly sealer: Sealer;
  readonly sender: Sender;
  readonly log: Log;
  readonly version: string;
  readonly webhookLimits: WebhookLimits;
};

export type WebhookLimits = {
  /** A receiver that has not answered by then has failed. */
  readonly timeoutMs: number;
  /** How long deliveries are kept and shown; nothing that happened earlier is scheduled any more. */
  readonly logDays: number;
  /** A receiver that has only failed for so long is sent nothing more. */
  readonly suspendDays: number;
};

/** How long a stream may take to decide, or to tell its state. */
export const DECISION_MS = 10_000;
