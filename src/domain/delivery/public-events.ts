import { type Recorded, streamId } from '../../eventsourcing/message.ts';
import { encodeBase32 } from '../base32.ts';
import type { BookingEvent } from '../booking/events.ts';
import type { PublicFacts } from '../booking/facts.ts';
import type { BookingId } from '../ids.ts';
import type { DeliveryFacts, DeliveryTarget, PublicEventId, WebhookEvent } from './delivery.ts';

/** The public name of each event of a booking; null if it is not public. */
export const PUBLIC_NAMES = {
  BookingConfirmed: 'booking_confirmed',
  VoucherMailed: 'voucher_delivered',
  VisitVerified: 'qr_verified',
  BookingModified: 'booking_modified',
  BookingCancelled: 'booking_cancelled',
  BookingRejected: 'booking_cancelled',
  BookingStarted: null,
  BookingPlacedOnRequest: null,
  ChargeRecorded: null,
  RefundRecorded: null,
  VoucherIssued: null,
  ReferenceRecorded: null,
  ClaimAbandoned: null,
  GuestsArrived: null,
  VisitVoided: null,
  GuestErased: null,
  VoucherMailRequested: null,
  VoucherMailFailed: null,
  ReplacedVoucherMailed: null,
  NoticeMailed: null,
  NoticeMailFailed: null,
} as const satisfies Readonly<Record<BookingEvent['type'], WebhookEvent | null>>;

/** A booking's event that is public. `facts` is null in events of earlier versions. */
export type Announcement = Pick<DeliveryFacts, 'event' | 'bookingId' | 'bookingRevision'> & {
  readonly facts: Pick<DeliveryFacts, 'keyId' | 'endpoint' | 'activityRevision'> | null;
};

/** The public event that a booking's event becomes; null if it is not public. */
export function announcedBy(event: Recorded<BookingEvent>): Announcement | null {
  const name = PUBLIC_NAMES[event.type];
  if (name === null) return null;
  const { publicFacts } = event.data as { readonly publicFacts?: PublicFacts };
  return {
    event: name,
    bookingId: streamId(event.stream) as BookingId,
    bookingRevision: event.revision,
    facts: publicFacts === undefined ? null : referencesOf(publicFacts),
  };
}

/** The booking's own webhook URL takes precedence over the key's. */
export function referencesOf({ keyId, webhookOrigin, activityRevision }: PublicFacts) {
  const endpoint: DeliveryTarget =
    webhookOrigin === null ? { kind: 'key' } : { kind: 'booking', origin: webhookOrigin };
  return { keyId, endpoint, activityRevision };
}

const ID_BYTES = 15;

/** The id of a public event, from the SHA-256 of its stored event's id. */
export function publicEventIdFrom(hash: Uint8Array): PublicEventId {
  return `evt_${encodeBase32(hash, ID_BYTES).toLowerCase()}` as PublicEventId;
}
