import type { WebhookEvent } from '../apikey/apikey.ts';
import type { BookingId, KeyId } from '../booking/booking.ts';
import type { EndpointId } from '../endpoint/endpoint.ts';

export type DeliveryId = string & { readonly __brand: 'DeliveryId' };
/** The id of a public event: the same in every delivery, attempt and feed. */
export type PublicEventId = string & { readonly __brand: 'PublicEventId' };

/** A caller's request to send again: a repetition with the same Idempotency-Key means the same one. */
export type ResendRequestId = string & { readonly __brand: 'ResendRequestId' };

/** A caller's request to send the events of a time again. */
export type ReplayId = string & { readonly __brand: 'ReplayId' };

/** Where a delivery goes: to the key's URL as it is at the attempt, or to the one that the booking was made with. */
export type Endpoint =
  | { readonly kind: 'key' }
  /** `origin` (scheme, host, port) tells receivers apart; the rest of the URL may hold secrets and stays in the booking. */
  | { readonly kind: 'booking'; readonly origin: string };

/** One public event for one receiver. Names facts in other streams, so that it needs no payload and no URL of its own. */
export type DeliveryFacts = {
  readonly eventId: PublicEventId;
  readonly event: WebhookEvent;
  readonly bookingId: BookingId;
  /** The event of the booking's stream that it tells of. */
  readonly bookingRevision: number;
  readonly keyId: KeyId;
  readonly endpoint: Endpoint;
  /** The catalogue entry as it was then: titles and venue are told as of this revision. */
  readonly activityRevision: number;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** Why no (further) attempt is made. */
export type Exhaustion = 'retries_used' | 'no_webhook_url' | 'key_inactive' | 'suspended';

type Attempted = {
  /** From 1. */
  readonly attempt: number;
  /** The revision of the key's stream whose URL and secret were used. */
  readonly keyRevision: number;
  /** The receiver that it went to; null where an earlier release made it. */
  readonly endpointId: EndpointId | null;
  readonly responseTimeMs: number;
  /** When it ended. */
  readonly at: string;
};

/** These types are the storage format. No payload, no URL, no secret, and nothing of what a receiver answers. */
export type DeliveryEvent =
  | { readonly type: 'DeliveryScheduled'; readonly data: DeliveryFacts }
  /** Nobody listened for it. It is not sent, and stands in the feed like any other; `endpoint` is where it would have gone. */
  | { readonly type: 'DeliveryOmitted'; readonly data: DeliveryFacts }
  /** A delivery of its own, of an event of the past. */
  | { readonly type: 'ReplayScheduled'; readonly data: DeliveryFacts & { readonly replay: ReplayId } }
  | {
      readonly type: 'AttemptFailed';
      readonly data: Attempted & {
        /** Null where there was no answer. */
        readonly responseCode: number | null;
        readonly error: string;
        /** ms since the epoch; null where none follows. */
        readonly nextAttemptAtMs: number | null;
      };
    }
  | { readonly type: 'DeliverySucceeded'; readonly data: Attempted & { readonly responseCode: number } }
  /** Always in one append with the last AttemptFailed, or by itself where an attempt could not even be made. */
  | { readonly type: 'DeliveryExhausted'; readonly data: { readonly reason: Exhaustion; readonly at: string } }
  /** Sent once more, in a round of attempts of its own. Names the receiver, so that who follows the log needs nothing older. */
  | { readonly type: 'ResendRequested'; readonly data: Resent };

/** An asked round of attempts: `attempt` is the number of its first. */
type Resent = Pick<DeliveryFacts, 'keyId' | 'endpoint' | 'at'> & {
  readonly attempt: number;
  readonly request: ResendRequestId;
};

export type Delivery =
  | { readonly status: 'none' }
  | { readonly status: 'omitted' }
  | {
      readonly status: 'open' | 'succeeded' | 'exhausted';
      readonly facts: DeliveryFacts;
      /** Attempts made. */
      readonly attempts: number;
      /** How many of them were made before the present round: retries are counted, and paused for, anew in each. */
      readonly earlierAttempts: number;
      /** The requests that were obeyed. */
      readonly requests: readonly ResendRequestId[];
    };

export type DeliveryCommand =
  /** The first of the first two holds: whether anybody listens is decided once. */
  | { readonly type: 'ScheduleDelivery'; readonly facts: DeliveryFacts }
  | { readonly type: 'OmitDelivery'; readonly facts: DeliveryFacts }
  | { readonly type: 'ScheduleReplay'; readonly facts: DeliveryFacts; readonly replay: ReplayId }
  | ({ readonly type: 'RecordSuccess'; readonly responseCode: number } & Attempted)
  | ({
      readonly type: 'RecordFailure';
      readonly responseCode: number | null;
      readonly error: string;
      /** What the receiver's `Retry-After` came to, in ms since the epoch; null where it sent none. */
      readonly retryAfterMs: number | null;
      readonly failedAtMs: number;
    } & Attempted)
  /** `Resend` sends whatever became of it; `Recover` only what has failed. */
  | { readonly type: 'Resend'; readonly request: ResendRequestId; readonly at: string }
  | { readonly type: 'Recover'; readonly request: ResendRequestId; readonly at: string }
  | { readonly type: 'GiveUp'; readonly reason: Exclude<Exhaustion, 'retries_used'>; readonly at: string };

export type DeliveryRejection = { readonly code: 'DELIVERY_NOT_FOUND' };
