import type { Activity } from '../domain/activity/activity.ts';
import { type Currency, toDecimal } from '../domain/activity/money.ts';
import { amounts, type Pricing } from '../domain/activity/pricing.ts';
import type { Category } from '../domain/activity/vocabulary.ts';
import type { WebhookEvent } from '../domain/apikey/apikey.ts';
import type {
  BookingEvent,
  CancellationReason,
  Changer,
  Changes,
  EventData,
  GuestField,
} from '../domain/booking/events.ts';
import { guestsOf } from '../domain/booking/facts.ts';
import type { ExistingBooking } from '../domain/booking/state.ts';
import type { PublicEventId } from '../domain/delivery/delivery.ts';
import type { GuestDetails } from '../domain/guest/guest.ts';
import type { BookingId } from '../domain/ids.ts';
import { type Recorded, unreachable } from '../eventsourcing/message.ts';

export const API_VERSION = '2026-11';

/** Amounts are decimal numbers of the currency's own precision; times ISO 8601 UTC. */
type PublicPricing = {
  readonly unit_price: number;
  readonly subtotal: number;
  readonly discount: number;
  readonly total: number;
  readonly currency: Currency;
};

/** Data of each event: the union of the two published shapes. These types are the contract with receivers. */
export type PublicData = {
  readonly booking_confirmed: {
    readonly booking_id: string;
    readonly activity_id: string;
    readonly activity_title: string;
    readonly activity_category: Category;
    readonly user_email: string;
    readonly user_name: string;
    readonly booking_date: string;
    readonly num_adults: number;
    readonly num_children: number;
    readonly num_guests: number;
    readonly total_price: number;
    readonly currency: Currency;
    readonly pricing: PublicPricing;
    readonly context_log_id: string | null;
    readonly voucher_code: string | null;
  };
  readonly voucher_delivered: {
    readonly booking_id: string;
    readonly voucher_code: string | null;
    readonly delivered_to: string;
    readonly delivered_at: string;
    readonly delivery_method: 'email';
    readonly email_provider_id: string;
  };
  readonly qr_verified: {
    readonly booking_id: string;
    readonly activity_id: string;
    readonly activity_title: string;
    readonly context_log_id: string | null;
    readonly verified_at: string;
    readonly verification_method: 'qr_scan' | 'manual';
    readonly venue_id: string;
    readonly venue_name: string;
    readonly check_in_data: { readonly gate: string | null; readonly device_id: string };
  };
  readonly booking_cancelled: {
    readonly booking_id: string;
    readonly activity_id: string;
    readonly cancelled_at: string;
    readonly reason: CancellationReason;
    readonly cancellation_reason: CancellationReason;
    readonly refund_status: 'processed' | 'pending' | 'none';
    readonly refund_amount: number;
    readonly currency: Currency;
  };
  readonly booking_modified: {
    readonly booking_id: string;
    readonly modified_at: string;
    readonly changes: PublicChanges;
    readonly new_pricing: PublicPricing;
    readonly modified_by: Changer;
  };
};

/** By request field name; a missing text is null. */
type PublicChanges = Readonly<
  Record<string, { readonly from: string | number | null; readonly to: string | number | null }>
>;

type Envelope<E extends WebhookEvent> = {
  /** The same at every attempt, for every receiver. */
  readonly id: PublicEventId;
  readonly event: E;
  readonly api_version: typeof API_VERSION;
  readonly created_at: string;
  /** Increases within a booking, with gaps. */
  readonly sequence: number;
  readonly data: PublicData[E];
};

/** The body of a webhook. */
export type PublicEvent = { readonly [E in WebhookEvent]: Envelope<E> }[WebhookEvent];

/** A booking's event and its context, as of the time it was stored. */
export type EventFacts = {
  readonly id: PublicEventId;
  readonly bookingId: BookingId;
  readonly bookingEvent: Recorded<BookingEvent>;
  /** The booking after the event. */
  readonly booking: ExistingBooking;
  /** The voucher valid at the event, or issued with it. */
  readonly voucherCode: string | null;
  readonly guest: GuestDetails;
  /** The guest before the event; the same if the event does not change the guest. */
  readonly guestBefore: GuestDetails;
  /** Null if the catalogue never had it; then its id replaces the title. */
  readonly activity: Activity | null;
};

/** Deterministic: the same facts give the same bytes, at every attempt and in the delivery log. */
export function publicEvent(facts: EventFacts): PublicEvent {
  const { id, bookingEvent } = facts;
  const envelope = <E extends WebhookEvent>(event: E, data: PublicData[E]): Envelope<E> => ({
    id,
    event,
    api_version: API_VERSION,
    created_at: bookingEvent.cause.at,
    sequence: bookingEvent.revision + 1,
    data,
  });
  switch (bookingEvent.type) {
    case 'BookingConfirmed':
      return envelope('booking_confirmed', confirmed(facts));
    case 'VoucherMailed':
      return envelope('voucher_delivered', mailed(facts, bookingEvent.data));
    case 'VisitVerified':
      return envelope('qr_verified', verified(facts, bookingEvent.data));
    case 'BookingModified':
      return envelope('booking_modified', modified(facts, bookingEvent.data));
    case 'BookingCancelled':
      return envelope('booking_cancelled', cancelled(facts, bookingEvent.data, bookingEvent.data.refundMinor));
    case 'BookingRejected':
      return envelope('booking_cancelled', cancelled(facts, bookingEvent.data, 0));
    case 'BookingStarted':
    case 'BookingPlacedOnRequest':
    case 'ChargeRecorded':
    case 'RefundRecorded':
    case 'VoucherIssued':
    case 'ClaimAbandoned':
    case 'GuestErased':
    case 'VoucherMailFailed':
      throw new Error(`${bookingEvent.type} of ${bookingEvent.stream} is not a public event`);
    default:
      return unreachable(bookingEvent);
  }
}

function confirmed({ bookingId, booking, voucherCode, guest, activity }: EventFacts): PublicData['booking_confirmed'] {
  const { facts } = booking;
  const pricing = publicPricing(facts.pricing, guestsOf(facts));
  return {
    booking_id: bookingId,
    activity_id: facts.activityId,
    activity_title: titleOf(booking, activity),
    activity_category: facts.category,
    user_email: guest.email,
    user_name: guest.name,
    booking_date: facts.date,
    num_adults: facts.numAdults,
    num_children: facts.numChildren,
    num_guests: guestsOf(facts),
    total_price: pricing.total,
    currency: pricing.currency,
    pricing,
    context_log_id: facts.attribution?.logId ?? null,
    voucher_code: voucherCode,
  };
}

function mailed(
  { bookingId, voucherCode, guest }: EventFacts,
  { messageId, providerId, at }: Extract<BookingEvent, { type: 'VoucherMailed' }>['data'],
): PublicData['voucher_delivered'] {
  return {
    booking_id: bookingId,
    voucher_code: voucherCode,
    delivered_to: guest.email,
    delivered_at: at,
    delivery_method: 'email',
    // Without a provider id the mail server identifies the mail by its Message-ID.
    email_provider_id: providerId ?? messageId,
  };
}

function verified(
  { bookingId, booking, activity }: EventFacts,
  visit: Extract<BookingEvent, { type: 'VisitVerified' }>['data'],
): PublicData['qr_verified'] {
  return {
    booking_id: bookingId,
    activity_id: visit.activityId,
    activity_title: titleOf(booking, activity),
    context_log_id: visit.attribution?.logId ?? null,
    verified_at: new Date(visit.verifiedAtMs).toISOString(),
    verification_method: visit.method,
    venue_id: visit.venueId,
    venue_name: activity?.venue.name ?? visit.venueId,
    check_in_data: { gate: visit.gate, device_id: visit.deviceId },
  };
}

function cancelled(
  { bookingId }: EventFacts,
  { activityId, reason, currency, at }: EventData<'BookingCancelled' | 'BookingRejected'>,
  refundMinor: number,
): PublicData['booking_cancelled'] {
  return {
    booking_id: bookingId,
    activity_id: activityId,
    cancelled_at: at,
    reason,
    cancellation_reason: reason,
    // No supplier settles refunds yet: a refund is credited at once.
    refund_status: refundMinor === 0 ? 'none' : 'processed',
    refund_amount: toDecimal(refundMinor, currency),
    currency,
  };
}

function modified(
  { bookingId, guest, guestBefore }: EventFacts,
  { changes, pricing, numGuests, by, at }: EventData<'BookingModified'>,
): PublicData['booking_modified'] {
  return {
    booking_id: bookingId,
    modified_at: at,
    changes: publicChanges(changes, guestBefore, guest),
    new_pricing: publicPricing(pricing, numGuests),
    modified_by: by,
  };
}

/** Changed fields, with the names and in the order of a booking request. */
export function publicChanges(changes: Changes, before: GuestDetails, after: GuestDetails): PublicChanges {
  const { date, numAdults, numChildren, guest = [] } = changes;
  const personal = (field: GuestField) =>
    guest.includes(field) ? { [FIELD_NAMES[field]]: { from: before[field], to: after[field] } } : {};
  return {
    ...personal('email'),
    ...personal('name'),
    ...(date === undefined ? {} : { booking_date: date }),
    ...(numAdults === undefined ? {} : { num_adults: numAdults }),
    ...(numChildren === undefined ? {} : { num_children: numChildren }),
    ...personal('specialRequests'),
  };
}

const FIELD_NAMES = { name: 'user_name', email: 'user_email', specialRequests: 'special_requests' } as const;

function titleOf({ facts }: ExistingBooking, activity: Activity | null): string {
  return activity?.texts[facts.language].title ?? facts.activityId;
}

function publicPricing(pricing: Pricing, guests: number): PublicPricing {
  const { currency } = pricing;
  const { subtotalMinor, discountMinor, totalMinor } = amounts(pricing, guests);
  return {
    unit_price: toDecimal(pricing.unitPriceMinor, currency),
    subtotal: toDecimal(subtotalMinor, currency),
    discount: toDecimal(discountMinor, currency),
    total: toDecimal(totalMinor, currency),
    currency,
  };
}
