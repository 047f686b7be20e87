import { encodeBase32 } from '../domain/base32.ts';
import type {
  DeliveryFacts,
  DeliveryId,
  PublicEventId,
  ReplayId,
  ResendRequestId,
} from '../domain/delivery/delivery.ts';
import { publicEventIdFrom } from '../domain/delivery/public-events.ts';
import type { EndpointId } from '../domain/endpoint/endpoint.ts';
import type { KeyId } from '../domain/ids.ts';
import type { Digest } from '../ports/digest.ts';
import type { Ids } from '../ports/ids.ts';

const ID_BYTES = 15;

/** Key id, operation and its arguments. */
type Scope = readonly [KeyId, ...string[]];
type Naming = { readonly digest: Digest; readonly ids: Ids };

/** The public event id of a stored event: always the same. */
export function publicEventId(digest: Digest, storedEventId: string): PublicEventId {
  return publicEventIdFrom(digest.hash(storedEventId));
}

/** The delivery id of an event and an endpoint: a repeated schedule command or replay gets the same id. */
export function deliveryId(
  digest: Digest,
  { eventId, keyId, endpoint }: Pick<DeliveryFacts, 'eventId' | 'keyId' | 'endpoint'>,
  replay: ReplayId | null,
): DeliveryId {
  const named = [eventId, keyId, endpoint.kind, ...(replay === null ? [] : [replay])];
  return `dlv_${idOf(digest.hash(JSON.stringify(named)))}` as DeliveryId;
}

/**
 * The endpoint id of a delivery's receiver, if the key's URL is `keyUrl` (null: none). A keyed digest, since a URL may
 * contain secrets.
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

/** Parses a public event id; null if malformed. */
export function parsePublicEventId(text: string): PublicEventId | null {
  return /^evt_[0-9a-hjkmnp-tv-z]{24}$/.test(text) ? (text as PublicEventId) : null;
}

/** The replay id of an Idempotency-Key in its scope; without a key a new one. */
export function replayId(scope: Scope, idempotencyKey: string | null, context: Naming): ReplayId {
  return `rpl_${namedId(scope, idempotencyKey, context)}` as ReplayId;
}

/** The resend request id of an Idempotency-Key in its scope; without a key a new one. */
export function resendRequestId(scope: Scope, idempotencyKey: string | null, context: Naming): ResendRequestId {
  return `req_${namedId(scope, idempotencyKey, context)}` as ResendRequestId;
}

/** New random ids, for a test event. */
export function freshIds(ids: Ids): { readonly eventId: PublicEventId; readonly deliveryId: DeliveryId } {
  const fresh = (): string => idOf(ids.secret(ID_BYTES));
  return { eventId: `evt_${fresh()}` as PublicEventId, deliveryId: `dlv_${fresh()}` as DeliveryId };
}

/** Parses a delivery id; null if malformed. */
export function parseDeliveryId(text: string): DeliveryId | null {
  return /^dlv_[0-9a-hjkmnp-tv-z]{24}$/.test(text) ? (text as DeliveryId) : null;
}

function namedId(scope: Scope, idempotencyKey: string | null, { digest, ids }: Naming): string {
  return idOf(idempotencyKey === null ? ids.secret(ID_BYTES) : digest.hash(JSON.stringify([...scope, idempotencyKey])));
}

function idOf(bytes: Uint8Array): string {
  return encodeBase32(bytes, ID_BYTES).toLowerCase();
}
