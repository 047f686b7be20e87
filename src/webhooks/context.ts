import type { StreamHandler } from '../actors/entity.ts';
import type { ApiKey, ApiKeyCommand, ApiKeyEvent, ApiKeyRejection } from '../domain/apikey/apikey.ts';
import type { BookingCommand, BookingRejection } from '../domain/booking/commands.ts';
import type { BookingEvent } from '../domain/booking/events.ts';
import type { Booking } from '../domain/booking/state.ts';
import type { Delivery, DeliveryCommand, DeliveryEvent, DeliveryRejection } from '../domain/delivery/delivery.ts';
import type { Endpoint, EndpointCommand, EndpointEvent } from '../domain/endpoint/endpoint.ts';
import type { Clock } from '../ports/clock.ts';
import type { Digest } from '../ports/digest.ts';
import type { DecodedEventStore } from '../ports/event-store.ts';
import type { Ids } from '../ports/ids.ts';
import type { Log } from '../ports/log.ts';
import type { Sealer } from '../ports/sealer.ts';
import type { Sender } from '../ports/sender.ts';
import type { ActivityAt } from './activities-at.ts';

/** Dependencies of webhooks. */
export type WebhookContext = {
  readonly streams: {
    readonly apiKeys: StreamHandler<ApiKeyCommand, ApiKey, ApiKeyEvent, ApiKeyRejection>;
    readonly bookings: StreamHandler<BookingCommand, Booking, BookingEvent, BookingRejection>;
    readonly deliveries: StreamHandler<DeliveryCommand, Delivery, DeliveryEvent, DeliveryRejection>;
    readonly endpoints: StreamHandler<EndpointCommand, Endpoint, EndpointEvent, never>;
  };
  readonly store: DecodedEventStore;
  readonly activityAt: ActivityAt;
  /** The present revision of an activity's catalogue entry. */
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

type WebhookLimits = {
  /** Deadline of a receiver's response. */
  readonly timeoutMs: number;
  /** Retention of the delivery log; older events are not scheduled. */
  readonly logDays: number;
  /** A receiver that has only failed for this long is suspended. */
  readonly suspendDays: number;
};

/** Deadline of a command to, or a read of, a stream. */
export const DECISION_MS = 10_000;
