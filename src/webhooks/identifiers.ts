import { encodeBase32 } from '../domain/base32.ts';
import type { KeyId } from '../domain/booking/booking.ts';
import type {
  DeliveryFacts,
  DeliveryId,
  PublicEventId,
  ReplayId,
  ResendRequestId,
} from '../domain/delivery/delivery.ts';
import type { EndpointId } from '../domain/endpoint/endpoint.ts';
import type { Digest } from '../ports/digest.ts';
import type { Ids } from '../ports/ids.ts';

const ID_BYTES = 15;

/** Whose request it is, and what it asks for. */
type Scope = readonly [KeyId, ...string[]];
type Naming = { readonly digest: Digest; readonly ids: Ids };

/** The public event of a stored one: the same id whoever asks, and however often. */
export function publicEventId(digest: Digest, storedEventId: string): PublicEventId {
  return `evt_${idOf(digest.hash(storedEventId))}` as PublicEventId;
}

/** The delivery of an event to an endpoint: a fan-out, or a replay, that repeats itself means the same one. */
export function deliveryId(
  digest: Digest,
  { eventId, keyId, endpoint }: Pick<DeliveryFacts, 'eventId' | 'keyId' | 'endpoint'>,
  replay: ReplayId | null,
): DeliveryId {
  const named = [eventId, keyId, endpoint.kind, ...(replay === null ? [] : [replay])];
  return `dlv_${idOf(digest.hash(JSON.stringify(named)))}` as DeliveryId;
}

/**
 * The receiver of a delivery, where the key's URL is this one (null: it has none). Made under the service's own secret,
 * since a URL may hold secrets.
 */
export function endpointId(
  digest: Digest,
  { keyId, endpoint }: Pick<DeliveryFacts, 'keyId' | 'endpoint'>,
  keyUrl: string | null,
): EndpointId | null {
  const address = endpoint.kind === 'booking' ? endpoint.origin : keyUrl;
  if (address === null) return null;
  return `ep_${idOf(digest.keyed(JSON.stringify(['webhook endpoint', keyId, endpoint.kind, address])))}` as EndpointId;
}

/** A text as a public event's id, null where it has not the form of one. */
export function parsePublicEventId(text: string): PublicEventId | null {
  return /^evt_[0-9a-hjkmnp-tv-z]{24}$/.test(text) ? (text as PublicEventId) : null;
}

/** The replay that an Idempotency-Key stands for, in its scope; without an Idempotency-Key one of its own. */
export function replayId(scope: Scope, idempotencyKey: string | null, context: Naming): ReplayId {
  return `rpl_${namedId(scope, idempotencyKey, context)}` as ReplayId;
}

/**
 * The request to send again that an Idempotency-Key stands for, in its scope (the key's id, the operation and what it was
 * asked for); without an Idempotency-Key one of its own.
 */
export function resendRequestId(scope: Scope, idempotencyKey: string | null, context: Naming): ResendRequestId {
  return `req_${namedId(scope, idempotencyKey, context)}` as ResendRequestId;
}

/** Ids of a test, which no other event or delivery has. */
export function freshIds(ids: Ids): { readonly eventId: PublicEventId; readonly deliveryId: DeliveryId } {
  const fresh = (): string => idOf(ids.secret(ID_BYTES));
  return { eventId: `evt_${fresh()}` as PublicEventId, deliveryId: `dlv_${fresh()}` as DeliveryId };
}

/** A text as a delivery's id, null where it has not the form of one. */
export function parseDeliveryId(text: string): DeliveryId | null {
  return /^dlv_[0-9a-hjkmnp-tv-z]{24}$/.test(text) ? (text as DeliveryId) : null;
}

function namedId(scope: Scope, idempotencyKey: string | null, { digest, ids }: Naming): string {
  return idOf(idempotencyKey === null ? ids.secret(ID_BYTES) : digest.hash(JSON.stringify([...scope, idempotencyKey])));
}

function idOf(bytes: Uint8Array): string {
  return encodeBase32(bytes, ID_BYTES).toLowerCase();
}
