import type { EndpointId } from '../endpoint/endpoint.ts';
import type { BookingId, KeyId } from '../ids.ts';

/** The public events, as webhooks name them. */
export const WEBHOOK_EVENTS = [
  'booking_confirmed',
  'voucher_delivered',
  'qr_verified',
  'booking_cancelled',
  'booking_modified',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export type DeliveryId = string & { readonly __brand: 'DeliveryId' };
/** The id of a public event; equal in all deliveries, attempts and feeds. */
export type PublicEventId = string & { readonly __brand: 'PublicEventId' };

/** A caller's request to resend; repetitions with the same Idempotency-Key have the same id. */
export type ResendRequestId = string & { readonly __brand: 'ResendRequestId' };

/** A caller's request to send the events of a period again. */
export type ReplayId = string & { readonly __brand: 'ReplayId' };

/** The target of a delivery: the key's URL at the time of the attempt, or the booking's own URL. */
export type DeliveryTarget =
  | { readonly kind: 'key' }
  /**
   * `origin` (scheme, host, port) identifies the receiver; the rest of the URL may hold secrets and stays in the
   * booking.
   */
  | { readonly kind: 'booking'; readonly origin: string };

/** One public event for one receiver. Refers to facts in other streams instead of storing payload and URL. */
export type DeliveryFacts = {
  readonly eventId: PublicEventId;
  readonly event: WebhookEvent;
  readonly bookingId: BookingId;
  /** Revision of the booking event that became the public event. */
  readonly bookingRevision: number;
  readonly keyId: KeyId;
  readonly endpoint: DeliveryTarget;
  /** Revision of the catalogue entry that title and venue are taken from; 0 if the payload has neither. */
  readonly activityRevision: number;
  /** ISO 8601 UTC. */
  readonly at: string;
};

/** Why there is no further attempt. */
export const EXHAUSTIONS = ['retries_used', 'no_webhook_url', 'key_inactive', 'suspended'] as const;
export type Exhaustion = (typeof EXHAUSTIONS)[number];

type AttemptFacts = {
  /** From 1. */
  readonly attempt: number;
  /** The revision of the key's stream whose URL and secret were used. */
  readonly keyRevision: number;
  /** The receiver; null in events of earlier versions. */
  readonly endpointId: EndpointId | null;
  readonly responseTimeMs: number;
  /** When the attempt ended, ISO 8601 UTC. */
  readonly at: string;
};

/** An example of an event, sent once to a receiver that its owner tests (docs/decisions/0077). */
export type TestFacts = Pick<DeliveryFacts, 'eventId' | 'event' | 'keyId'> &
  Pick<AttemptFacts, 'keyRevision' | 'responseTimeMs' | 'at'> & {
    /** Scheme, host and port of the URL in the request, the rest of which may hold secrets; null: the key's own URL. */
    readonly origin: string | null;
    /** Null if there was no answer. */
    readonly responseCode: number | null;
    /** Null if the receiver acknowledged it. */
    readonly error: string | null;
    /** When it was sent, ISO 8601 UTC. */
    readonly sentAt: string;
  };

/** These types are the storage format. They contain no payload, URL, secret or response body. */
export type DeliveryEvent =
  | { readonly type: 'DeliveryScheduled'; readonly data: DeliveryFacts }
  /**
   * No receiver listened for an event of an earlier version: it is not sent, but listed in the feed. `endpoint` is its
   * would-be target.
   */
  | { readonly type: 'DeliveryOmitted'; readonly data: DeliveryFacts }
  /** A separate delivery of a past event. */
  | { readonly type: 'ReplayScheduled'; readonly data: DeliveryFacts & { readonly replay: ReplayId } }
  | {
      readonly type: 'AttemptFailed';
      readonly data: AttemptFacts & {
        /** Null if there was no answer. */
        readonly responseCode: number | null;
        readonly error: string;
        /** ms since the epoch; null if no attempt follows. */
        readonly nextAttemptAtMs: number | null;
      };
    }
  | { readonly type: 'DeliverySucceeded'; readonly data: AttemptFacts & { readonly responseCode: number } }
  /** Appended together with the last AttemptFailed, or alone if no attempt could be made. */
  | { readonly type: 'DeliveryExhausted'; readonly data: { readonly reason: Exhaustion; readonly at: string } }
  /** Starts a new round of attempts. Names the receiver, so that subscribers need no older event. */
  | { readonly type: 'ResendRequested'; readonly data: ResendFacts }
  /** The only event of its stream: appended after the attempt, so that nothing can repeat it. */
  | { readonly type: 'TestAttempted'; readonly data: TestFacts };

/** A requested round of attempts; `attempt` is the number of its first attempt. */
type ResendFacts = Pick<DeliveryFacts, 'keyId' | 'endpoint' | 'at'> & {
  readonly attempt: number;
  readonly request: ResendRequestId;
};

export type Delivery =
  | { readonly status: 'none' }
  | { readonly status: 'omitted' }
  | { readonly status: 'tested' }
  | {
      readonly status: 'open' | 'succeeded' | 'exhausted';
      readonly facts: DeliveryFacts;
      /** Attempts made. */
      readonly attempts: number;
      /** Attempts made before the current round; each round counts its retries and delays from the start. */
      readonly earlierAttempts: number;
      /** The resend requests that took effect. */
      readonly requests: readonly ResendRequestId[];
    };

export type DeliveryCommand =
  /** Of ScheduleDelivery and OmitDelivery, only the first takes effect: whether a receiver listens is decided once. */
  | { readonly type: 'ScheduleDelivery'; readonly facts: DeliveryFacts }
  | { readonly type: 'OmitDelivery'; readonly facts: DeliveryFacts }
  | { readonly type: 'ScheduleReplay'; readonly facts: DeliveryFacts; readonly replay: ReplayId }
  | { readonly type: 'RecordTest'; readonly facts: TestFacts }
  | ({ readonly type: 'RecordSuccess'; readonly responseCode: number } & AttemptFacts)
  | ({
      readonly type: 'RecordFailure';
      readonly responseCode: number | null;
      readonly error: string;
      /** The time in the receiver's `Retry-After`, ms since the epoch; null without that header. */
      readonly retryAfterMs: number | null;
      readonly failedAtMs: number;
    } & AttemptFacts)
  /** `Resend` resends in any status; `Recover` only an exhausted delivery. */
  | { readonly type: 'Resend'; readonly request: ResendRequestId; readonly at: string }
  | { readonly type: 'Recover'; readonly request: ResendRequestId; readonly at: string }
  | { readonly type: 'StopAttempts'; readonly reason: Exclude<Exhaustion, 'retries_used'>; readonly at: string };

export type DeliveryRejection = { readonly code: 'DELIVERY_NOT_FOUND' };
