import type { LocalDate } from '../../domain/activity/activity.ts';
import { amounts } from '../../domain/activity/pricing.ts';
import { localDate, midnightMs } from '../../domain/activity/schedule.ts';
import type { Changer, GuestField } from '../../domain/booking/events.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import type { ModificationWorkflowInput } from '../../domain/booking/modification-workflow.ts';
import { pricingAfter } from '../../domain/booking/price-lines.ts';
import { type ExistingBooking, unchangeable } from '../../domain/booking/state.ts';
import type { GuestDetails } from '../../domain/guest/guest.ts';
import { allotmentIdOf, type CommandId, type Fingerprint, type KeyId, modeOf } from '../../domain/ids.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import { fingerprintOf } from '../identifiers.ts';
import { readContextLog } from '../recommend/read-context-log.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';
import { type GuestsHotel, guestsHotel, type Offer, type OfferRequest, offerOf } from './booking-offer.ts';
import { type ExpectedTotal, expectedTotalIn, priceChanged } from './expected-total.ts';
import { explainBooking } from './explain-booking.ts';
import { unpaidTaker } from './expose-booking.ts';
import type { BookingView } from './read-booking.ts';
import { quoteAddedSpending, spendingGuard } from './spending-limits.ts';

const GUEST_FIELDS: readonly GuestField[] = ['email', 'name', 'specialRequests'];

/** Requested changes; null: unchanged. */
export type ModifyBooking = ExpectedTotal & {
  readonly id: string;
  /** An API key may change its own bookings, the operator any. */
  readonly asker: KeyId | 'operator';
  readonly idempotencyKey: string | null;
  /** From If-Match: versions that may be changed; null: any. */
  readonly ifVersions: readonly number[] | null;
  readonly date: LocalDate | null;
  readonly numAdults: number | null;
  readonly numChildren: number | null;
  readonly name: string | null;
  readonly email: string | null;
  /** Null removes them; undefined: unchanged. */
  readonly specialRequests: string | null | undefined;
  /** Maximum number of guests of a booking. */
  readonly maxGuests: number;
};

/** Identifies a command: the same for every repetition of a request. */
export type CommandIdentity = { readonly commandId: CommandId; readonly fingerprint: Fingerprint };

export type ModificationPlan = {
  readonly kind: 'plan';
  readonly input: ModificationWorkflowInput;
  /** The slots to claim; null for none. */
  readonly slots: NewSlots | null;
};

type NewSlots = {
  readonly kind: 'slots';
  /** `slotsTaken`: slots that the booking already has on the date. */
  readonly offerRequest: OfferRequest & { readonly slotsTaken: number };
  readonly offer: Offer;
};

/**
 * Works out a modification from the booking as it was read, and refuses what can be refused without the allotment. The
 * booking's stream decides again; this check only avoids useless claims.
 */
export async function planModification(
  view: BookingView,
  request: ModifyBooking,
  identity: CommandIdentity,
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
  const newGuest = changedGuest(guest, request);
  const refusal = predictRefusal(view, request, newGuest !== null, nowMs);
  if (refusal !== null) return refusal;
  if (more && guestsOf(party) > request.maxGuests) return tooMany(guestsOf(party), request.maxGuests);
  const date = request.date ?? facts.date;
  const moves = date !== facts.date;
  const slots = moves || more ? await newSlots(view, { date, ...party }, nowMs, context) : null;
  if (slots?.kind === 'refused') return slots;
  const guards = await guardsOf(booking, request, { party, offer: slots?.offer ?? null, moves }, cause, context);
  if (guards.kind === 'refused') return guards;
  const current = slots === null ? await storedSchedule(view, context) : slots.offer;
  if (current.kind === 'refused') return current;
  const { commandId, fingerprint } = identity;
  const input: ModificationWorkflowInput = {
    bookingId: id,
    booking,
    metadata: {
      commandId,
      fingerprint,
      by: changerOf(request),
      ifVersions: request.ifVersions,
      nowMs,
      at: cause.at,
    },
    move: moves && slots !== null ? moveTo(slots.offer) : null,
    ...party,
    hotelPercentOff: current.hotelPercentOff,
    expectedTotalMinor: guards.expectedTotalMinor,
    guest: newGuest && { ...newGuest, fingerprint: fingerprintOfNewGuest(newGuest.details, fingerprint, context) },
    schedule: current.schedule,
    testDay: testDayOf(view, nowMs),
    claimDeadlineMs: context.clock.nowMs() + context.limits.claimMs,
    unpaid: unpaidTaker(facts.keyId, booking.status === 'pending' ? 'on_request' : 'instant', context),
    spending: guards.spending,
  };
  return { kind: 'plan', input, slots };
}

function changerOf({ asker }: ModifyBooking): Changer {
  return asker === 'operator' ? 'operator' : 'user';
}

/** Selects the test allotment that provides the slots; null for a live booking. */
function testDayOf({ id, booking }: BookingView, nowMs: number): LocalDate | null {
  return modeOf(id) === 'test' ? localDate(booking.facts.city, nowMs) : null;
}

type Party = { readonly numAdults: number; readonly numChildren: number };

/** What the price must comply with: the caller's expected total, and the limits of the key. */
async function guardsOf(
  booking: ExistingBooking,
  request: ModifyBooking,
  { party, ...slots }: { readonly party: Party; readonly offer: Offer | null; readonly moves: boolean },
  cause: Cause,
  context: BookingContext,
): Promise<
  (Pick<ModificationWorkflowInput, 'expectedTotalMinor' | 'spending'> & { readonly kind: 'guards' }) | Refused
> {
  const { pricing, keyId } = booking.facts;
  const expected = expectedTotalIn(request, pricing.currency);
  if (expected.kind === 'refused') return expected;
  if (slots.offer === null) {
    const guests = guestsOf(party);
    const after = pricingAfter(pricing, guestsOf(booking.facts), { guests, moves: false, price: null });
    const { totalMinor } = amounts(after, guests);
    if (expected.minor !== null && expected.minor !== totalMinor)
      return priceChanged(request, guests, totalMinor, pricing.currency);
    return { kind: 'guards', expectedTotalMinor: null, spending: null };
  }
  // The allotment decides on the price of new slots.
  const guard = spendingGuard(keyId, cause.at, context);
  const quoted = await quoteAddedSpending(booking, party, { offer: slots.offer, moves: slots.moves }, guard, context);
  if (quoted.kind === 'refused') return quoted;
  return { kind: 'guards', expectedTotalMinor: expected.minor, spending: quoted.spending };
}

/** The refusal that the booking's decider would give; null for none. */
function predictRefusal(
  { id, booking }: BookingView,
  { ifVersions }: ModifyBooking,
  changesGuest: boolean,
  nowMs: number,
): Refused | null {
  const { guestErased, version } = booking;
  const why = unchangeable(booking, nowMs) ?? (guestErased && changesGuest ? 'erased' : null);
  if (why !== null) return explainBooking(id, { code: 'BOOKING_NOT_MODIFIABLE', why });
  const stale = ifVersions !== null && !ifVersions.includes(version);
  return stale ? explainBooking(id, { code: 'REVISION_CONFLICT', version }) : null;
}

/** The new guest details and the fields that differ; null if none does. */
function changedGuest(
  guest: GuestDetails,
  { name, email, specialRequests }: ModifyBooking,
): { readonly details: GuestDetails; readonly fields: readonly GuestField[] } | null {
  const details = {
    ...guest,
    name: name ?? guest.name,
    email: email ?? guest.email,
    specialRequests: specialRequests === undefined ? guest.specialRequests : specialRequests,
  };
  const fields = GUEST_FIELDS.filter((field) => details[field] !== guest[field]);
  return fields.length === 0 ? null : { details, fields };
}

/** Includes the command's fingerprint, since the claim, and so the guest stream, is named after it. */
function fingerprintOfNewGuest(
  { name, email, specialRequests }: GuestDetails,
  request: Fingerprint,
  { digest }: BookingContext,
) {
  return fingerprintOf(digest, [request, name, email, specialRequests]);
}

function tooMany(guests: number, maxGuests: number): Refused {
  const message = `num_adults and num_children add up to ${guests} guests; one booking takes at most ${maxGuests}. Make another booking for the others.`;
  return refused('BOOKING_LIMIT_EXCEEDED', message);
}

/** Checks another date, or more guests, by the rules of a new booking. */
async function newSlots(
  { id, booking }: BookingView,
  wanted: Pick<OfferRequest, 'date' | 'numAdults' | 'numChildren'>,
  nowMs: number,
  context: BookingContext,
): Promise<NewSlots | Refused> {
  const { facts, status } = booking;
  const { activityId, city, date } = facts;
  const entry = context.catalogue.get(activityId);
  const title = entry?.activity.texts.en.title ?? activityId;
  if (entry === undefined || !entry.listed) {
    const message = `${title} is no longer offered, so the date cannot change and guests cannot be added; make a new booking of another activity.`;
    return refused('ACTIVITY_UNAVAILABLE', message, { alternatives: [] });
  }
  if (status === 'confirmed' && entry.activity.confirmation === 'on_request') {
    const message = `${title} is confirmed by the venue on request, and the venue would have to confirm another date or more guests; cancel this booking and make a new one.`;
    return refused('BOOKING_NOT_MODIFIABLE', message, { details: `status: ${status}` });
  }
  const slotsTaken = wanted.date === date ? guestsOf(facts) : 0;
  // An activity that is open past midnight takes no more guests for yesterday's date.
  if (slotsTaken > 0 && date < localDate(city, nowMs)) {
    return refused(
      'ACTIVITY_UNAVAILABLE',
      `${title} takes no more guests on ${date}; make a new booking for the others.`,
      { alternatives: [] },
    );
  }
  const hotel = await hotelOf(booking, context);
  if ('refusal' in hotel) return hotel;
  const offerRequest = { ...wanted, mode: modeOf(id), activityId, ...hotel, slotsTaken };
  const offer = await offerOf(offerRequest, context);
  return offer.kind === 'refused' ? offer : { kind: 'slots', offerRequest, offer };
}

/** The guests' hotel, from the context log of the booking. */
async function hotelOf({ facts }: ExistingBooking, context: BookingContext): Promise<GuestsHotel | Refused> {
  if (facts.attribution === null) return guestsHotel(null, context);
  const contextLog = await readContextLog(facts.attribution.logId, facts.keyId, context);
  if (contextLog.kind === 'context-log') return guestsHotel(contextLog, context);
  return contextLog.refusal.code === 'SERVICE_UNAVAILABLE' ? contextLog : guestsHotel(null, context);
}

function moveTo({ activity, day, schedule: { date } }: Offer): ModificationWorkflowInput['move'] {
  const { opensAtMs, lastEntryMs, closesAtMs } = day;
  const hours = { beginsAtMs: midnightMs(activity.city, date), opensAtMs, closesAtMs };
  return { date, hours, lastEntryMs };
}

/** The schedule stored in the allotment of the booking's date; without new slots no discount applies. */
async function storedSchedule(
  { id, booking: { facts } }: BookingView,
  { streams, clock, limits }: BookingContext,
): Promise<(Pick<Offer, 'schedule' | 'hotelPercentOff'> & { readonly kind: 'schedule' }) | Refused> {
  const allotment = facts.claims[0]?.allotment ?? allotmentIdOf(facts.activityId, facts.date);
  const reply = await streams.allotments.read(allotment, clock.nowMs() + limits.responseMs);
  if (reply.kind !== 'state') return noReply(reply);
  if (reply.state.status === 'unopened')
    throw new Error(`${id} has slots of ${allotment}, which has no AllotmentOpened event`);
  return { kind: 'schedule', schedule: reply.state.schedule, hotelPercentOff: 0 };
}
