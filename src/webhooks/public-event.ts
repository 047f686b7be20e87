import type { Activity } from '../domain/activity/activity.ts';
import { toDecimal } from '../domain/activity/money.ts';
import { amounts, type BookingPricing, type PriceLine } from '../domain/activity/pricing.ts';
import type { BookingEvent, Changes, EventData, GuestField } from '../domain/booking/events.ts';
import { guestsOf } from '../domain/booking/facts.ts';
import type { ExistingBooking } from '../domain/booking/state.ts';
import type { PublicEventId, WebhookEvent } from '../domain/delivery/delivery.ts';
import { PUBLIC_NAMES } from '../domain/delivery/public-events.ts';
import type { GuestDetails } from '../domain/guest/guest.ts';
import { type BookingId, modeOf } from '../domain/ids.ts';
import type { Recorded } from '../eventsourcing/message.ts';
import { API_VERSION, type PublicData } from './event-contracts.ts';

type PublicChanges = PublicData['booking_modified']['changes'];
type PublicPricing = PublicData['booking_confirmed']['pricing'];

type Envelope<E extends WebhookEvent> = {
  /** The same at every attempt, for every receiver. */
  readonly id: PublicEventId;
  readonly event: E;
  readonly api_version: typeof API_VERSION;
  readonly created_at: string;
  /** Increases within a booking, with gaps. */
  readonly sequence: number;
  /** Only in events of test bookings. */
  readonly test?: true;
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
  /** The address of the voucher's mail: the guest's, or of a test booking that of the key's contact. */
  readonly mailedTo: string;
  /** Null if the catalogue never had it; then its id replaces the title. */
  readonly activity: Activity | null;
};

/** Deterministic: the same facts give the same bytes, at every attempt and in the delivery log. */
export function publicEvent(facts: EventFacts): PublicEvent {
  const { id, bookingId, bookingEvent } = facts;
  const test = modeOf(bookingId) === 'test' ? ({ test: true } as const) : {};
  const envelope = <E extends WebhookEvent>(event: E, data: PublicData[E]): Envelope<E> => ({
    id,
    event,
    api_version: API_VERSION,
    created_at: bookingEvent.cause.at,
    sequence: bookingEvent.revision + 1,
    ...test,
    data,
  });
  switch (bookingEvent.type) {
    case 'BookingConfirmed':
      return envelope(PUBLIC_NAMES.BookingConfirmed, confirmedData(facts));
    case 'VoucherMailed':
      return envelope(PUBLIC_NAMES.VoucherMailed, mailedData(facts, bookingEvent.data));
    case 'VisitVerified':
      return envelope(PUBLIC_NAMES.VisitVerified, verifiedData(facts, bookingEvent.data));
    case 'BookingModified':
      return envelope(PUBLIC_NAMES.BookingModified, modifiedData(facts, bookingEvent.data));
    case 'BookingCancelled':
      return envelope(
        PUBLIC_NAMES.BookingCancelled,
        cancelledData(facts, bookingEvent.data, bookingEvent.data.refundMinor),
      );
    case 'BookingRejected':
      return envelope(PUBLIC_NAMES.BookingRejected, cancelledData(facts, bookingEvent.data, 0));
    default:
      // A public event without a case above does not compile.
      PUBLIC_NAMES[bookingEvent.type] satisfies null;
      throw new Error(`${bookingEvent.type} of ${bookingEvent.stream} is not a public event`);
  }
}

function confirmedData({
  bookingId,
  booking,
  voucherCode,
  guest,
  activity,
}: EventFacts): PublicData['booking_confirmed'] {
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
    ...callerData(guest),
  };
}

function mailedData(
  { bookingId, voucherCode, guest, mailedTo }: EventFacts,
  { messageId, providerId, at }: Extract<BookingEvent, { type: 'VoucherMailed' }>['data'],
): PublicData['voucher_delivered'] {
  return {
    booking_id: bookingId,
    voucher_code: voucherCode,
    delivered_to: mailedTo,
    delivered_at: at,
    delivery_method: 'email',
    // Without a provider id the mail server identifies the mail by its Message-ID.
    email_provider_id: providerId ?? messageId,
    ...callerData(guest),
  };
}

function verifiedData(
  { bookingId, booking, guest, activity }: EventFacts,
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
    ...callerData(guest),
  };
}

function cancelledData(
  { bookingId, guest }: EventFacts,
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
    ...callerData(guest),
  };
}

function modifiedData(
  { bookingId, guest, guestBefore }: EventFacts,
  { changes, pricing, numGuests, by, at }: EventData<'BookingModified'>,
): PublicData['booking_modified'] {
  return {
    booking_id: bookingId,
    modified_at: at,
    changes: publicChanges(changes, guestBefore, guest),
    new_pricing: publicPricing(pricing, numGuests),
    modified_by: by,
    ...callerData(guest),
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

function callerData({ reference, metadata }: GuestDetails) {
  return { reference, metadata };
}

const FIELD_NAMES = { name: 'user_name', email: 'user_email', specialRequests: 'special_requests' } as const;

function titleOf({ facts }: ExistingBooking, activity: Activity | null): string {
  return activity?.texts[facts.language].title ?? facts.activityId;
}

/** The price of all guests, as decimal numbers. */
export function publicPricing(pricing: BookingPricing, guests: number): PublicPricing {
  const { currency, lines, retainedMinor } = pricing;
  const { subtotalMinor, discountMinor, totalMinor } = amounts(pricing, guests);
  const decimal = (amountMinor: number): number => toDecimal(amountMinor, currency);
  return {
    unit_price: decimal(pricing.unitPriceMinor),
    subtotal: decimal(subtotalMinor),
    discount: decimal(discountMinor),
    total: decimal(totalMinor),
    currency,
    ...(lines === undefined ? {} : { lines: lines.map((line) => publicLine(line, decimal)) }),
    ...(retainedMinor === undefined ? {} : { retained: decimal(retainedMinor) }),
  };
}

function publicLine(
  { guests, unitPriceMinor, discountMinor }: PriceLine,
  decimal: (amountMinor: number) => number,
): NonNullable<PublicPricing['lines']>[number] {
  return { guests, unit_price: decimal(unitPriceMinor), price: decimal(unitPriceMinor - discountMinor) };
}
