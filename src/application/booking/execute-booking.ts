import type { LocalDate } from '../../domain/activity/activity.ts';
import { freeUntilMs, type Pricing } from '../../domain/activity/pricing.ts';
import { midnightMs } from '../../domain/activity/schedule.ts';
import type { Confirmation, Language } from '../../domain/activity/vocabulary.ts';
import { freeSlots, holdIn, presentPricing } from '../../domain/allotment/state.ts';
import type { BookingWorkflowInput } from '../../domain/booking/booking-workflow.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import type { GuestDetails } from '../../domain/guest/guest.ts';
import type { BookingId, CommandId, Fingerprint, KeyId } from '../../domain/ids.ts';
import { type Cause, type Position, unreachable } from '../../eventsourcing/message.ts';
import { usable } from '../hold/explain-hold.ts';
import { holdFor, whyNotUsable } from '../hold/hold-to-book.ts';
import type { AskedHold } from '../hold/read-hold.ts';
import { bookingIdOfKey, fingerprintOf, freshBookingId } from '../identifiers.ts';
import { keyReused } from '../in-flight.ts';
import { attributionTo, type ContextLog, readContextLog } from '../recommend/read-context-log.ts';
import { noReply, type Refused, serviceUnavailable } from '../refusal.ts';
import { freshVoucher } from '../voucher/fresh-voucher.ts';
import type { BookingContext } from './booking-context.ts';
import { exhausted, type Offer, type OfferRequest, offerOf } from './booking-offer.ts';
import { driveBooking } from './drive-booking.ts';
import { readGuest } from './read-booking.ts';

export type BookActivity = {
  readonly keyId: KeyId;
  readonly idempotencyKey: string | null;
  readonly activityId: string;
  readonly date: LocalDate;
  readonly numAdults: number;
  readonly numChildren: number;
  /** log_id of the recommendation that led to the booking. */
  readonly contextLogId: string | null;
  /** The hold to use: its slots and its price. */
  readonly holdId: string | null;
  readonly guest: GuestDetails;
  /** Null: the language of the context log, else English. */
  readonly language: Language | null;
  readonly webhookUrl: string | null;
};

export type QuoteBooking = Omit<OfferRequest, 'hotelId'> & Pick<BookActivity, 'keyId' | 'contextLogId' | 'holdId'>;

export type Booked = {
  readonly kind: 'booked';
  readonly id: BookingId;
  readonly booking: ExistingBooking;
  readonly guest: GuestDetails;
  readonly revision: number;
  /** True if an earlier request with this Idempotency-Key made the booking. */
  readonly replayed: boolean;
  /** Position of the last event that this request appended; null for a replay. */
  readonly position: Position | null;
};

export type Quote = {
  readonly kind: 'quote';
  readonly availableSlots: number;
  readonly guests: number;
  readonly pricing: Pricing;
  readonly confirmation: Confirmation;
  /** End of free cancellation (ms since the epoch), and the percentage kept after it. */
  readonly cancellation: { readonly freeUntilMs: number; readonly percentKept: number };
};

/**
 * Makes a booking: `confirmed`, or `pending` if the venue confirms on request. The allotment decides on availability,
 * the booking's stream on the booking; both are durable on return. If that takes too long, the booking is returned as
 * `processing` and finished in the background.
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
    return book({ ...request, id, fingerprint, abandonments: 0, fresh: true }, cause, context);
  }
  const id = bookingIdOfKey(digest, keyId, idempotencyKey);
  const replayOr = async (
    otherwise: (abandonments: number) => Promise<Booked | Refused> | Refused,
  ): Promise<Booked | Refused> => {
    const known = await bookingOfKey(id, request.guest, context);
    if (known.kind === 'refused') return known;
    if (known.kind === 'none') return otherwise(known.abandonments);
    return known.booking.facts.fingerprint === fingerprint ? known : keyReused();
  };
  const work = () =>
    replayOr((abandonments) => book({ ...request, id, fingerprint, abandonments, fresh: false }, cause, context));
  return inFlight.run(id, fingerprint, work, () => replayOr(keyReused));
}

/**
 * The booking that the same request made before under its Idempotency-Key, or IDEMPOTENCY_IN_PROGRESS; null if there is
 * none, or if the key was used for another body. Writes nothing.
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
  const look = () => bookingOfKey(id, guest, context);
  const result = await inFlight.run(id, fingerprint, look, look);
  if (result.kind === 'none') return null;
  return result.kind === 'refused' || result.booking.facts.fingerprint === fingerprint ? result : null;
}

/** The present price and the free slots, those of the caller's hold included. Writes nothing. */
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
  if (reply.kind !== 'state') return noReply(reply);
  const { opening, hotelPercentOff } = offer;
  const guests = request.numAdults + request.numChildren;
  const { cancellation: policy } = opening;
  const quote = {
    kind: 'quote',
    guests,
    confirmation: offer.activity.confirmation,
    cancellation: { freeUntilMs: freeUntilMs(policy, offer.day.opensAtMs), percentKept: policy.percentKept },
  } as const;
  const free = freeSlots(reply.state, opening);
  const nowMs = context.clock.nowMs();
  if (hold === null) {
    const pricing = presentPricing(reply.state, opening, { hotelPercentOff, nowMs });
    return { ...quote, availableSlots: free, pricing };
  }
  const held = usable(hold.id, holdIn(reply.state, hold.id), nowMs);
  if (held.kind === 'refused') return held;
  return { ...quote, availableSlots: free + held.hold.size, pricing: held.hold.pricing };
}

/** The context log and the hold that a request refers to; null for none. */
type Named = { readonly kind: 'named'; readonly log: ContextLog | null; readonly hold: AskedHold | null };

async function namedBy(request: QuoteBooking, context: BookingContext): Promise<Named | Refused> {
  const { contextLogId, holdId, keyId } = request;
  const log = contextLogId === null ? null : await readContextLog(contextLogId, keyId, context);
  if (log?.kind === 'refused') return log;
  const hold = holdId === null ? null : await holdFor(holdId, request, context);
  return hold?.kind === 'refused' ? hold : { kind: 'named', log, hold };
}

/**
 * The booking that an Idempotency-Key made, whatever its body was; else the number of abandoned claims in its stream.
 */
async function bookingOfKey(
  id: BookingId,
  guest: GuestDetails,
  context: KnownContext,
): Promise<Booked | Refused | { readonly kind: 'none'; readonly abandonments: number }> {
  const { streams, clock, limits } = context;
  const known = await streams.bookings.read(id, clock.nowMs() + limits.responseMs);
  if (known.kind !== 'state') return noReply(known);
  const { state: booking, revision } = known;
  if (booking.status === 'none') return { kind: 'none', abandonments: booking.abandoned.length };
  const present = await guestOf(id, booking, guest, context);
  if (present.kind === 'refused') return present;
  return { kind: 'booked', id, booking, guest: present.details, revision, replayed: true, position: null };
}

/** The present guest. The guest stream is read only if it differs from the request: it may not exist yet. */
function guestOf(id: BookingId, booking: ExistingBooking, asked: GuestDetails, context: KnownContext) {
  const unchanged = !booking.guestErased && booking.facts.guest === fingerprintOfGuest(id, asked, context.digest);
  return unchanged ? ({ kind: 'guest', details: asked } as const) : readGuest(booking, context);
}

/** Fingerprint of the guest record that is made with a booking. */
function fingerprintOfGuest(id: BookingId, guest: GuestDetails, digest: BookingContext['digest']): Fingerprint {
  return fingerprintOf(digest, [id, guest.name, guest.email, guest.specialRequests]);
}

type KnownContext = Pick<BookingContext, 'streams' | 'clock' | 'limits' | 'digest'>;

/**
 * Fingerprint of all fields. Absent optional fields are left out, so that fingerprints stored before they existed still
 * match.
 */
function fingerprintOfRequest(request: BookActivity, digest: BookingContext['digest']): Fingerprint {
  const { activityId, date, numAdults, numChildren, guest, webhookUrl, contextLogId, holdId } = request;
  const fields = [activityId, date, numAdults, numChildren, guest.name, guest.email, guest.specialRequests, webhookUrl];
  if (holdId !== null) return fingerprintOf(digest, [...fields, contextLogId, holdId]);
  return fingerprintOf(digest, contextLogId === null ? fields : [...fields, contextLogId]);
}

type IdentifiedRequest = BookActivity & {
  readonly id: BookingId;
  readonly fingerprint: Fingerprint;
  readonly abandonments: number;
  readonly fresh: boolean;
};

async function book(asked: IdentifiedRequest, cause: Cause, context: BookingContext): Promise<Booked | Refused> {
  const named = await namedBy(asked, context);
  if (named.kind === 'refused') return named;
  const { log, hold } = named;
  const offerRequest = { ...asked, hotelId: log?.facts.hotelId ?? null };
  const offer = await offerOf(offerRequest, context);
  if (offer.kind === 'refused') return offer;
  const result = await driveBooking(workflowInputOf(asked, offer, named, cause, context), asked.fresh, cause, context);
  switch (result.outcome.kind) {
    case 'booked':
    case 'processing': {
      if (result.booked === null) throw new Error(`${asked.id} was booked, but no step wrote to its stream`);
      const { state, revision, position, events } = result.booked;
      if (state.status === 'none') throw new Error(`${asked.id} was booked, but its stream has no booking`);
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
      return exhausted(offerRequest, offer, result.outcome.free, context);
    case 'hold-refused':
      if (hold === null) throw new Error(`${asked.id} has no hold, but its hold was refused`);
      return whyNotUsable(hold, context);
    case 'key-reused':
      return keyReused();
    case 'contended':
      return serviceUnavailable('contended', result.last);
    case 'unavailable':
      return noReply(result.outcome);
    default:
      return unreachable(result.outcome);
  }
}

function workflowInputOf(
  asked: IdentifiedRequest,
  { activity, day, allotment, opening, hotelPercentOff }: Offer,
  { log, hold }: Named,
  cause: Cause,
  context: BookingContext,
): BookingWorkflowInput {
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
