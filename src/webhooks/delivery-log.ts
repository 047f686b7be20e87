import { apiKeyCodec, apiKeyDecider } from '../domain/apikey/decider.ts';
import { bookingDecider } from '../domain/booking/decider.ts';
import { bookingCodec } from '../domain/booking/events.ts';
import type { DeliveryFacts, TestFacts } from '../domain/delivery/delivery.ts';
import { HIDDEN_GUEST } from '../domain/guest/hidden-guest.ts';
import type { KeyId } from '../domain/ids.ts';
import { MASK } from '../domain/operator/roles.ts';
import { streamOf } from '../domain/test-streams.ts';
import { exampleEvent } from './event-contracts.ts';
import { readEventFacts } from './event-facts.ts';
import { type EventFacts, type PublicEvent, publicEvent } from './public-event.ts';
import { type StreamReader, stateAt } from './stream-state.ts';

export type LoggedFacts = Pick<
  DeliveryFacts,
  'eventId' | 'bookingId' | 'bookingRevision' | 'activityRevision' | 'keyId' | 'endpoint'
> & {
  /** The revision of the key's stream that the last attempt used; null before the first. */
  readonly keyRevision: number | null;
};

/** URL of the last attempt, and the payload, computed from facts. */
type DeliveryDetails = { readonly url: string | null; readonly payload: PublicEvent };

/**
 * @param guest whether the payload shows the guest and the voucher's code
 * @throws if the booking's stream does not contain the delivery's event
 */
export async function readDeliveryDetails(
  logged: LoggedFacts,
  guest: 'shown' | 'hidden',
  store: StreamReader,
): Promise<DeliveryDetails> {
  const [url, facts] = await Promise.all([deliveryUrl(logged, store), readEventFacts(logged, store)]);
  return { url, payload: publicEvent(guest === 'shown' ? facts : withoutGuest(facts)) };
}

function withoutGuest(facts: EventFacts): EventFacts {
  const voucherCode = facts.voucherCode === null ? null : MASK;
  return { ...facts, guest: HIDDEN_GUEST, guestBefore: HIDDEN_GUEST, mailedTo: MASK, voucherCode };
}

type LoggedTest = Pick<TestFacts, 'eventId' | 'event' | 'keyId' | 'origin' | 'sentAt'> &
  Pick<LoggedFacts, 'keyRevision'>;

/** Of a URL that was named in the request of the test, the log has only the origin. */
export async function readTestDetails(
  { eventId, event, keyId, keyRevision, origin, sentAt }: LoggedTest,
  store: StreamReader,
): Promise<DeliveryDetails> {
  return {
    url: origin ?? (await keyUrl(keyId, keyRevision, store)),
    // Each example fits the schema of its own event; the compiler cannot relate the two unions.
    payload: exampleEvent(event, eventId, Date.parse(sentAt)) as PublicEvent,
  };
}

/** The URL of an attempt that used this revision of the key's stream; null: the present URL. */
export async function deliveryUrl(
  { endpoint, bookingId, keyId, keyRevision }: Pick<LoggedFacts, 'endpoint' | 'bookingId' | 'keyId' | 'keyRevision'>,
  store: StreamReader,
): Promise<string | null> {
  if (endpoint.kind === 'booking') {
    const booking = await stateAt(streamOf(bookingCodec, bookingId), null, bookingDecider, store);
    return booking.status === 'none' ? null : booking.facts.webhookUrl;
  }
  return keyUrl(keyId, keyRevision, store);
}

async function keyUrl(keyId: KeyId, revision: number | null, store: StreamReader): Promise<string | null> {
  const key = await stateAt(`${apiKeyCodec.category}-${keyId}`, revision, apiKeyDecider, store);
  return key.status === 'none' ? null : key.facts.webhookUrl;
}
