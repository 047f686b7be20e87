import type { LocalDate } from '../domain/activity/activity.ts';
import { freeUntilMs, type Pricing } from '../domain/activity/pricing.ts';
import { midnightMs } from '../domain/activity/schedule.ts';
import type { Confirmation, Language } from '../domain/activity/vocabulary.ts';
import { type BookingId, freeSlots, holdIn } from '../domain/allotment/allotment.ts';
import { presentPricing } from '../domain/allotment/decider.ts';
import type { BookingAsk } from '../domain/booking/attempt.ts';
import type { CommandId, ExistingBooking, Fingerprint, KeyId } from '../domain/booking/booking.ts';
import type { GuestDetails } from '../domain/guest/guest.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import { unreachable } from '../eventsourcing/message.ts';
import type { BookingContext } from './booking-context.ts';
import { exhausted, type Offer, offerOf, type Wish } from './booking-offer.ts';
import { driveBooking } from './drive-booking.ts';
import { usable } from './explain-hold.ts';
import { freshVoucher } from './fresh-voucher.ts';
import { holdFor, whyNotUsable } from './hold-to-book.ts';
import { bookingIdOfKey, fingerprintOf, freshBookingId } from './identifiers.ts';
import { keyReused } from './in-flight.ts';
import { readGuest } from './read-booking.ts';
import { attributionTo, type ContextLog, readContextLog } from './read-context-log.ts';
import type { AskedHold } from './read-hold.ts';
import { type Refused, serviceUnavailable } from './refusal.ts';

export type BookActivity = {
  readonly keyId: KeyId;
  readonly idempotencyKey: string | null;
  readonly activityId: string;
  readonly date: LocalDate;
  readonly numAdults: number;
  readonly numChildren: number;
  /** The log_id of the recommendation that it follows. */
  readonly contextLogId: string | null;
  /** The hold whose slots and price it takes. */
  readonly holdId: string | null;
  readonly guest: GuestDetails;
  /** Null: the context log's, else English. */
  readonly language: Language | null;
  readonly webhookUrl: string | null;
};

export type QuoteBooking = Omit<Wish, 'hotelId'> & Pick<BookActivity, 'keyId' | 'contextLogId' | 'holdId'>;

export type Booked = {
  readonly kind: 'booked';
  readonly id: BookingId;
  readonly booking: ExistingBooking;
  readonly guest: GuestDetails;
  readonly revision: number;
  /** True where an earlier request with this Idempotency-Key had made the booking. */
  readonly replayed: boolean;
  /** Of the last event this request appended; null for a replay. */
  readonly position: Position | null;
};

export type Quote = {
  readonly kind: 'quote';
  readonly availableSlots: number;
  readonly guests: number;
  readonly pricing: Pricing;
  readonly confirmation: Confirmation;
  /** Until when the guests may take it back and pay nothing (ms since the epoch), and what percentage is kept from then on. */
  readonly cancellation: { readonly freeUntilMs: number; readonly percentKept: number };
};

/**
 * Books, or asks the venue where it confirms on request: the availability is decided by the allotment, the booking by its own
 * stream, and both are durable on return. Where that takes too long the booking is returned as `processing`, and comes to
 * its end by itself.
 */
export async function bookActivity(
  request: BookActivity,
  cause: Cause,
  context: BookingContext,
): Promise<Booked | Refused> {
  const { digest, ids, clock, inFlight } = context;
  const { keyId, idempotencyKey } = request;
  const fingerprint = fingerprintOfRequest(request, digest);
  if (idempotencyKey === null) {
    const id = freshBookingId(ids, clock.nowMs());
    return attempt({ ...request, id, fingerprint, abandonments: 0, fresh: true }, cause, context);
  }
  const id = bookingIdOfKey(digest, keyId, idempotencyKey);
  const ownOr = async (
    otherwise: (abandonments: number) => Promise<Booked | Refused> | Refused,
  ): Promise<Booked | Refused> => {
    const known = await knownUnder(id, request.guest, context);
    if (known.kind === 'refused') return known;
    if (known.kind === 'none') return otherwise(known.abandonments);
    return known.booking.facts.fingerprint === fingerprint ? known : keyReused();
  };
  const work = () =>
    ownOr((abandonments) => attempt({ ...request, id, fingerprint, abandonments, fresh: false }, cause, context));
  return inFlight.run(id, fingerprint, work, () => ownOr(keyReused));
}

/**
 * What the same request made before under its Idempotency-Key, or that it is still being made; null where neither is so,
 * or where the key was used for another body. Nothing is made.
 */
export async function committedBooking(
  request: BookActivity,
  context: BookingContext,
): Promise<Booked | Refused | null> {
  const { digest, inFlight } = context;
  const { keyId, idempotencyKey, guest } = request;
  if (idempotencyKey === null) return null;
  const id = bookingIdOfKey(digest, keyId, idempotencyKey);
  const fingerprint = fingerprintOfRequest(request, digest);
  const look = () => knownUnder(id, guest, context);
  const result = await inFlight.run(id, fingerprint, look, look);
  if (result.kind === 'none') return null;
  return result.kind === 'refused' || result.booking.facts.fingerprint === fingerprint ? result : null;
}

/** What a booking would cost now, and whether there is room: for who has a hold, in it too. Writes nothing. */
export async function quoteBooking(request: QuoteBooking, context: BookingContext): Promise<Quote | Refused> {
  const named = await namedBy(request, context);
  if (named.kind === 'refused') return named;
  const { log, hold } = named;
  const offer = await offerOf({ ...request, hotelId: log?.facts.hotelId ?? null }, context);
  if (offer.kind === 'refused') return offer;
  const reply = await context.streams.allotments.read(
    offer.allotment,
    context.clock.nowMs() + context.limits.responseMs,
  );
  if (reply.kind !== 'state') return serviceUnavailable(reply.kind === 'erased' ? 'erased' : reply.reason);
  const { opening, hotelPercentOff } = offer;
  const guests = request.numAdults + request.numChildren;
  const { cancellation: policy } = opening;
  const told = {
    kind: 'quote',
    guests,
    confirmation: offer.activity.confirmation,
    cancellation: { freeUntilMs: freeUntilMs(policy, offer.day.opensAtMs), percentKept: policy.percentKept },
  } as const;
  const free = freeSlots(reply.state, opening);
  const nowMs = context.clock.nowMs();
  if (hold === null) {
    const pricing = presentPricing(reply.state, opening, { hotelPercentOff, nowMs });
    return { ...told, availableSlots: free, pricing };
  }
  const held = usable(hold.id, holdIn(reply.state, hold.id), nowMs);
  if (held.kind === 'refused') return held;
  return { ...told, availableSlots: free + held.hold.size, pricing: held.hold.pricing };
}

/** What a request names beside an activity and a date: the recommendation it follows and the hold it takes; null for none. */
type Named = { readonly kind: 'named'; readonly log: ContextLog | null; readonly hold: AskedHold | null };

async function namedBy(request: QuoteBooking, context: BookingContext): Promise<Named | Refused> {
  const { contextLogId, holdId, keyId } = request;
  const log = contextLogId === null ? null : await readContextLog(contextLogId, keyId, context);
  if (log?.kind === 'refused') return log;
  const hold = holdId === null ? null : await holdFor(holdId, request, context);
  return hold?.kind === 'refused' ? hold : { kind: 'named', log, hold };
}

/** The booking of an Idempotency-Key as it is now, whatever its body was, or how often an attempt at it was abandoned. */
async function knownUnder(
  id: BookingId,
  guest: GuestDetails,
  context: KnownContext,
): Promise<Booked | Refused | { readonly kind: 'none'; readonly abandonments: number }> {
  const { streams, clock, limits } = context;
  const known = await streams.bookings.read(id, clock.nowMs() + limits.responseMs);
  if (known.kind !== 'state') return serviceUnavailable(known.kind === 'erased' ? 'erased' : known.reason);
  const { state: booking, revision } = known;
  if (booking.status === 'none') return { kind: 'none', abandonments: booking.abandoned.length };
  const present = await guestOf(id, booking, guest, context);
  if (present.kind === 'refused') return present;
  return { kind: 'booked', id, booking, guest: present.details, revision, replayed: true, position: null };
}

/** Who the booking is for now. As long as that is whom it was asked for, no record need be read; there may be none yet. */
function guestOf(id: BookingId, booking: ExistingBooking, asked: GuestDetails, context: KnownContext) {
  const unchanged = !booking.guestErased && booking.facts.guest === fingerprintOfGuest(id, asked, context.digest);
  return unchanged ? ({ kind: 'guest', details: asked } as const) : readGuest(booking, context);
}

/** Of a record that is made with a booking. */
function fingerprintOfGuest(id: BookingId, guest: GuestDetails, digest: BookingContext['digest']): Fingerprint {
  return fingerprintOf(digest, [id, guest.name, guest.email, guest.specialRequests]);
}

type KnownContext = Pick<BookingContext, 'streams' | 'clock' | 'limits' | 'digest'>;

/** Of everything in which two wishes can differ. Without a context log, or a hold, it is what it was before there were any. */
function fingerprintOfRequest(request: BookActivity, digest: BookingContext['digest']): Fingerprint {
  const { activityId, date, numAdults, numChildren, guest, webhookUrl, contextLogId, holdId } = request;
  const fields = [activityId, date, numAdults, numChildren, guest.name, guest.email, guest.specialRequests, webhookUrl];
  if (holdId !== null) return fingerprintOf(digest, [...fields, contextLogId, holdId]);
  return fingerprintOf(digest, contextLogId === null ? fields : [...fields, contextLogId]);
}

type Asked = BookActivity & {
  readonly id: BookingId;
  readonly fingerprint: Fingerprint;
  readonly abandonments: number;
  readonly fresh: boolean;
};

async function attempt(asked: Asked, cause: Cause, context: BookingContext): Promise<Booked | Refused> {
  const named = await namedBy(asked, context);
  if (named.kind === 'refused') return named;
  const { log, hold } = named;
  const wish = { ...asked, hotelId: log?.facts.hotelId ?? null };
  const offer = await offerOf(wish, context);
  if (offer.kind === 'refused') return offer;
  const driven = await driveBooking(askOf(asked, offer, named, cause, context), asked.fresh, cause, context);
  switch (driven.outcome.kind) {
    case 'booked':
    case 'processing': {
      if (driven.booked === null) throw new Error(`${asked.id} was booked, but by no step`);
      const { state, revision, position, events } = driven.booked;
      if (state.status === 'none') throw new Error(`${asked.id} was booked, but its stream says nothing of it`);
      const guest = await guestOf(asked.id, state, asked.guest, context);
      if (guest.kind === 'refused') return guest;
      return {
        kind: 'booked',
        id: asked.id,
        booking: state,
        guest: guest.details,
        revision,
        position,
        replayed: events.length === 0,
      };
    }
    case 'exhausted':
      return exhausted(wish, offer, driven.outcome.free, context);
    case 'hold-refused':
      if (hold === null) throw new Error(`${asked.id} asked for no hold`);
      return whyNotUsable(hold, context);
    case 'key-reused':
      return keyReused();
    case 'contended':
      return serviceUnavailable('contended');
    case 'unavailable':
      return serviceUnavailable(driven.outcome.reason);
    default:
      return unreachable(driven.outcome);
  }
}

function askOf(
  asked: Asked,
  { activity, day, allotment, opening, hotelPercentOff }: Offer,
  { log, hold }: Named,
  cause: Cause,
  context: BookingContext,
): BookingAsk {
  const { id, keyId, fingerprint, date, numAdults, numChildren, guest, language, webhookUrl, abandonments } = asked;
  const { opensAtMs, closesAtMs } = day;
  const hours = { beginsAtMs: midnightMs(activity.city, date), opensAtMs, closesAtMs };
  return {
    booking: id,
    allotment,
    opening,
    hotelPercentOff,
    hold: hold?.id ?? null,
    nowMs: context.clock.nowMs(),
    guests: numAdults + numChildren,
    guest,
    guestFingerprint: fingerprintOfGuest(id, guest, context.digest),
    facts: {
      keyId,
      command: 'book' as CommandId,
      fingerprint,
      activityId: activity.id,
      venueId: activity.venue.id,
      city: activity.city,
      category: activity.category,
      date,
      hours,
      numAdults,
      numChildren,
      language: language ?? log?.facts.language ?? 'en',
      attribution: log === null ? null : attributionTo(log, activity.id),
      webhookUrl,
      at: cause.at,
    },
    ends:
      activity.confirmation === 'instant'
        ? { as: 'confirmed', voucher: freshVoucher(id, hours, context) }
        : { as: 'pending', answerByMs: Math.min(context.clock.nowMs() + context.limits.onRequestMs, day.lastEntryMs) },
    claimDeadlineMs: context.clock.nowMs() + context.limits.claimMs,
    abandonments,
  };
}
