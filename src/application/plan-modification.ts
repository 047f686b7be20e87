import type { HotelId, LocalDate } from '../domain/activity/activity.ts';
import { localDate, midnightMs } from '../domain/activity/schedule.ts';
import { allotmentId, type Opening } from '../domain/allotment/allotment.ts';
import {
  type CommandId,
  type ExistingBooking,
  type Fingerprint,
  type GuestField,
  guestsOf,
  type KeyId,
} from '../domain/booking/booking.ts';
import type { ModificationAsk } from '../domain/booking/modification-attempt.ts';
import { unmodifiable } from '../domain/booking/modify.ts';
import type { GuestDetails } from '../domain/guest/guest.ts';
import type { Cause } from '../eventsourcing/message.ts';
import type { BookingContext } from './booking-context.ts';
import { type Offer, offerOf, type Wish } from './booking-offer.ts';
import { explainBooking } from './explain-booking.ts';
import { fingerprintOf } from './identifiers.ts';
import type { BookingView } from './read-booking.ts';
import { readContextLog } from './read-context-log.ts';
import { type Refused, refused, serviceUnavailable } from './refusal.ts';

const GUEST_FIELDS: readonly GuestField[] = ['email', 'name', 'specialRequests'];

/** What a caller wants of a booking; null: as it is. */
export type ModifyBooking = {
  readonly id: string;
  readonly keyId: KeyId;
  readonly idempotencyKey: string | null;
  /** Versions of the booking that may be changed; null: whichever it has. */
  readonly ifVersion: readonly number[] | null;
  readonly date: LocalDate | null;
  readonly numAdults: number | null;
  readonly numChildren: number | null;
  readonly name: string | null;
  readonly email: string | null;
  /** Null removes them; undefined: as they are. */
  readonly specialRequests: string | null | undefined;
  /** How many guests one booking may come to have. */
  readonly maxGuests: number;
};

/** One caller's wish, however often it is sent. */
export type Wished = { readonly command: CommandId; readonly fingerprint: Fingerprint };

export type ModificationPlan = {
  readonly kind: 'plan';
  readonly ask: ModificationAsk;
  /** What slots are to be claimed for; null where none are. */
  readonly slots: NewSlots | null;
};

type NewSlots = {
  readonly kind: 'slots';
  /** `seated` of its guests have slots on the date already. */
  readonly wish: Wish & { readonly seated: number };
  readonly offer: Offer;
};

/**
 * What a modification asks for, worked out on the booking as it was read; refuses what needs no look at the slots. The
 * booking's stream decides all of it once more, so this only spares claims that would come to nothing.
 */
export async function planModification(
  view: BookingView,
  request: ModifyBooking,
  wished: Wished,
  cause: Cause,
  context: BookingContext,
): Promise<ModificationPlan | Refused> {
  const { id, booking, guest } = view;
  const { facts } = booking;
  const nowMs = Date.parse(cause.at);
  const party = {
    numAdults: request.numAdults ?? facts.numAdults,
    numChildren: request.numChildren ?? facts.numChildren,
  };
  const more = guestsOf(party) > guestsOf(facts);
  const personal = personalChange(guest, request);
  const known = refusedAsKnown(view, request, personal !== null, nowMs);
  if (known !== null) return known;
  if (more && guestsOf(party) > request.maxGuests) return tooMany(guestsOf(party), request.maxGuests);
  const date = request.date ?? facts.date;
  const moves = date !== facts.date;
  const slots = moves || more ? await newSlots(view, { date, ...party }, nowMs, context) : null;
  if (slots?.kind === 'refused') return slots;
  const present = slots === null ? await presentOpening(view, context) : slots.offer;
  if (present.kind === 'refused') return present;
  const { command, fingerprint } = wished;
  const ask: ModificationAsk = {
    booking: id,
    state: booking,
    wished: { command, fingerprint, by: 'user', ifVersion: request.ifVersion, nowMs, at: cause.at },
    move: moves && slots !== null ? moveTo(slots.offer) : null,
    ...party,
    guest: personal === null ? null : { ...personal, fingerprint: recordOf(personal.details, fingerprint, context) },
    opening: present.opening,
    claimDeadlineMs: context.clock.nowMs() + context.limits.claimMs,
  };
  return { kind: 'plan', ask, slots };
}

/** What the booking itself says against it, as its decider will; null for nothing. */
function refusedAsKnown(
  { id, booking }: BookingView,
  { ifVersion }: ModifyBooking,
  personal: boolean,
  nowMs: number,
): Refused | null {
  const { guestErased, version } = booking;
  const why = unmodifiable(booking, nowMs) ?? (guestErased && personal ? 'erased' : null);
  if (why !== null) return explainBooking(id, { code: 'BOOKING_NOT_MODIFIABLE', why });
  const other = ifVersion !== null && !ifVersion.includes(version);
  return other ? explainBooking(id, { code: 'REVISION_CONFLICT', version }) : null;
}

/** The guest as they are to be, and which fields differ; null where none does. */
function personalChange(
  guest: GuestDetails,
  { name, email, specialRequests }: ModifyBooking,
): { readonly details: GuestDetails; readonly fields: readonly GuestField[] } | null {
  const details = {
    name: name ?? guest.name,
    email: email ?? guest.email,
    specialRequests: specialRequests === undefined ? guest.specialRequests : specialRequests,
  };
  const fields = GUEST_FIELDS.filter((field) => details[field] !== guest[field]);
  return fields.length === 0 ? null : { details, fields };
}

/** Of the wish too: its claim, and with that the place of its record, is named after it. */
function recordOf({ name, email, specialRequests }: GuestDetails, wish: Fingerprint, { digest }: BookingContext) {
  return fingerprintOf(digest, [wish, name, email, specialRequests]);
}

function tooMany(guests: number, maxGuests: number): Refused {
  const message = `num_adults and num_children would be ${guests} guests together; one booking takes at most ${maxGuests}. Make another booking for the others.`;
  return refused('BOOKING_LIMIT_EXCEEDED', message);
}

/** What the catalogue and the calendar offer for another date or more guests: by the rules of a new booking. */
async function newSlots(
  { booking }: BookingView,
  wanted: Pick<Wish, 'date' | 'numAdults' | 'numChildren'>,
  nowMs: number,
  context: BookingContext,
): Promise<NewSlots | Refused> {
  const { facts, status } = booking;
  const { activityId, city, date } = facts;
  const entry = context.catalogue.get(activityId);
  const title = entry?.activity.texts.en.title ?? activityId;
  if (entry === undefined || !entry.listed) {
    const message = `${title} is no longer offered, so this booking takes neither another date nor more guests; make a new booking of another activity.`;
    return refused('ACTIVITY_UNAVAILABLE', message);
  }
  if (status === 'confirmed' && entry.activity.confirmation === 'on_request') {
    const message = `${title} is confirmed by the venue on request, and another date or more guests need its word again; cancel this booking and make a new one.`;
    return refused('BOOKING_NOT_MODIFIABLE', message, { details: `status: ${status}` });
  }
  const seated = wanted.date === date ? guestsOf(facts) : 0;
  // A night that began yesterday goes on, but it cannot be booked any more.
  if (seated > 0 && date < localDate(city, nowMs)) {
    return refused(
      'ACTIVITY_UNAVAILABLE',
      `${title} takes no more guests on ${date}; make a new booking for the others.`,
    );
  }
  const hotelId = await hotelOf(booking, context);
  if (typeof hotelId === 'object' && hotelId !== null) return hotelId;
  const wish = { ...wanted, activityId, hotelId, seated };
  const offer = await offerOf(wish, context);
  return offer.kind === 'refused' ? offer : { kind: 'slots', wish, offer };
}

/** The hotel that the booking's recommendation knew of; null where there was none, or nobody knows it any more. */
async function hotelOf({ facts }: ExistingBooking, context: BookingContext): Promise<HotelId | null | Refused> {
  if (facts.attribution === null) return null;
  const log = await readContextLog(facts.attribution.logId, facts.keyId, context);
  if (log.kind === 'log') return log.facts.hotelId;
  return log.refusal.code === 'SERVICE_UNAVAILABLE' ? log : null;
}

function moveTo({ activity, day, opening: { date }, hotelPercentOff }: Offer): ModificationAsk['move'] {
  const { opensAtMs, lastEntryMs, closesAtMs } = day;
  const hours = { beginsAtMs: midnightMs(activity.city, date), opensAtMs, closesAtMs };
  return { date, hours, lastEntryMs, hotelPercentOff };
}

/** What the allotment of the booking's own date says of itself. */
async function presentOpening(
  { id, booking: { facts } }: BookingView,
  { streams, clock, limits }: BookingContext,
): Promise<{ readonly kind: 'opening'; readonly opening: Opening } | Refused> {
  const allotment = allotmentId(facts.activityId, facts.date);
  const reply = await streams.allotments.read(allotment, clock.nowMs() + limits.responseMs);
  if (reply.kind !== 'state') return serviceUnavailable(reply.kind === 'erased' ? 'erased' : reply.reason);
  if (reply.state.status === 'unopened') throw new Error(`${id} has slots of ${allotment}, which nobody opened`);
  return { kind: 'opening', opening: reply.state.schedule };
}
