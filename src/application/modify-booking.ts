import type { Pricing } from '../domain/activity/pricing.ts';
import type { BookingId } from '../domain/allotment/allotment.ts';
import {
  type Changes,
  type CommandId,
  type EventData,
  type ExistingBooking,
  guestsOf,
} from '../domain/booking/booking.ts';
import { modificationAttempt } from '../domain/booking/modification-attempt.ts';
import { ERASED, type GuestDetails } from '../domain/guest/guest.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import { unreachable } from '../eventsourcing/message.ts';
import type { BookingContext } from './booking-context.ts';
import { exhausted } from './booking-offer.ts';
import { drive } from './drive-attempt.ts';
import { explainBooking } from './explain-booking.ts';
import { freeSlotsOf } from './free-slots.ts';
import { claimIdWith, commandIdOfKey, fingerprintOf } from './identifiers.ts';
import { keyReused } from './in-flight.ts';
import { type ModifyBooking, planModification, type Wished } from './plan-modification.ts';
import { type BookingView, readBooking, readGuestRecord } from './read-booking.ts';
import { type Refused, serviceUnavailable } from './refusal.ts';

/** What a modification made of a booking. */
export type Outcome = {
  readonly changes: Changes;
  /** The guest before and after it; what `changes` names of them differs. */
  readonly guestBefore: GuestDetails;
  readonly guestAfter: GuestDetails;
  /** Per person, for so many guests, after it. */
  readonly pricing: Pricing;
  readonly guests: number;
};

/** The booking as it is now, and what this wish once made of it. */
export type Modified = Outcome & {
  readonly kind: 'modified';
  readonly id: BookingId;
  readonly booking: ExistingBooking;
  readonly guest: GuestDetails;
  readonly revision: number;
  /** True where an earlier request with this Idempotency-Key had changed it. */
  readonly replayed: boolean;
  /** Of the last event this request appended; null where it wrote nothing. */
  readonly position: Position | null;
};

/**
 * Changes a booking: new slots are claimed first, the change is decided by the booking's own stream, and what it gives up
 * is freed after that. Where nothing differs, nothing is written.
 */
export async function modifyBooking(
  request: ModifyBooking,
  cause: Cause,
  context: BookingContext,
): Promise<Modified | Refused> {
  const wished = wishOf(request, context);
  const ownOr = async (
    otherwise: (view: BookingView) => Promise<Modified | Refused> | Refused,
  ): Promise<Modified | Refused> => {
    const view = await readBooking(request.id, request.keyId, context);
    if (view.kind === 'refused') return view;
    return (await knownUnder(wished, view, context)) ?? otherwise(view);
  };
  const work = () => ownOr((view) => attempt(view, request, wished, cause, context));
  if (request.idempotencyKey === null) return work();
  return context.inFlight.run(wished.command, wished.fingerprint, work, () => ownOr(keyReused));
}

/**
 * What the same request made before under its Idempotency-Key, or that it is still being worked on; null where neither is
 * so, or where the key was used for another body. Nothing is made.
 */
export async function committedModification(
  request: ModifyBooking,
  context: BookingContext,
): Promise<Modified | Refused | null> {
  if (request.idempotencyKey === null) return null;
  const wished = wishOf(request, context);
  const look = async () => {
    const view = await readBooking(request.id, request.keyId, context);
    if (view.kind === 'refused') return view.refusal.code === 'BOOKING_NOT_FOUND' ? null : view;
    return knownUnder(wished, view, context);
  };
  const result = await context.inFlight.run(wished.command, wished.fingerprint, look, look);
  if (result === null) return null;
  return result.kind === 'refused' && result.refusal.code === 'IDEMPOTENCY_KEY_REUSED' ? null : result;
}

/** Without an Idempotency-Key every request is a wish of its own. */
function wishOf(
  { id, keyId, idempotencyKey, date, numAdults, numChildren, name, email, specialRequests }: ModifyBooking,
  { digest, ids }: BookingContext,
): Wished {
  const fields = [
    date,
    numAdults,
    numChildren,
    name,
    email,
    ...(specialRequests === undefined ? [] : [specialRequests]),
  ];
  const scope = [`POST /api/b2a/bookings/${id}/modify`, keyId];
  return {
    command: idempotencyKey === null ? (ids.uuid() as CommandId) : commandIdOfKey(digest, scope, idempotencyKey),
    fingerprint: fingerprintOf(digest, fields),
  };
}

/** What the wish made of the booking before; null where it has not. */
async function knownUnder(
  { command, fingerprint }: Wished,
  { id, booking, guest, revision }: BookingView,
  context: BookingContext,
): Promise<Modified | Refused | null> {
  const made = booking.modifications.get(command);
  if (made === undefined) return null;
  if (made.fingerprint !== fingerprint) return keyReused();
  const guests = await guestsAround(made, booking, context);
  if (guests.kind === 'refused') return guests;
  const outcome = { ...outcomeOf(made), guestBefore: guests.before, guestAfter: guests.after };
  return { kind: 'modified', ...outcome, id, booking, guest, revision, replayed: true, position: null };
}

async function attempt(
  view: BookingView,
  request: ModifyBooking,
  wished: Wished,
  cause: Cause,
  context: BookingContext,
): Promise<Modified | Refused> {
  const { id, guest: guestBefore } = view;
  const plan = await planModification(view, request, wished, cause, context);
  if (plan.kind === 'refused') return plan;
  const { ask, slots } = plan;
  const deadlineMs = context.clock.nowMs() + context.limits.responseMs;
  const driven = await drive(modificationAttempt(ask, claimIdWith(context.digest)), false, cause, deadlineMs, context);
  switch (driven.outcome.kind) {
    case 'modified': {
      if (driven.booked === null) throw new Error(`${id} was modified, but by no step`);
      const { state: booking, revision, position, events } = driven.booked;
      if (booking.status === 'none') throw new Error(`${id} was modified, but its stream says nothing of it`);
      const made = booking.modifications.get(wished.command);
      if (made !== undefined && events.length === 0) return replayed(wished, view, context);
      const guestAfter = ask.guest?.details ?? guestBefore;
      const outcome = made === undefined ? unchanged(booking) : outcomeOf(made);
      const freed = made === undefined ? null : await freeSlotsOf(made, cause, deadlineMs, context.streams);
      const modified = { ...outcome, guestBefore, guestAfter, id, booking, guest: guestAfter, revision };
      return { kind: 'modified', ...modified, replayed: false, position: freed ?? position };
    }
    case 'exhausted':
      if (slots === null) throw new Error(`${id} claimed no slots, and there are too few`);
      return exhausted(slots.wish, slots.offer, driven.outcome.free, context);
    case 'refused':
      return explainBooking(id, driven.outcome.rejection);
    case 'contended':
      return serviceUnavailable('contended');
    case 'unavailable':
      return serviceUnavailable(driven.outcome.reason);
    default:
      return unreachable(driven.outcome);
  }
}

/** The same request has come to its end elsewhere, since the booking was read. */
async function replayed(wished: Wished, { id, booking }: BookingView, context: BookingContext) {
  const view = await readBooking(id, booking.facts.keyId, context);
  if (view.kind === 'refused') return view;
  return (await knownUnder(wished, view, context)) ?? serviceUnavailable('contended');
}

function outcomeOf({ changes, pricing, numGuests }: EventData<'BookingModified'>) {
  return { changes, pricing, guests: numGuests };
}

function unchanged({ facts }: ExistingBooking) {
  return { changes: {}, pricing: facts.pricing, guests: guestsOf(facts) };
}

/** Who it was for before a modification, and after it; the same where it did not change that. */
async function guestsAround(
  { guest }: EventData<'BookingModified'>,
  { guestRecord, guestRecords, guestErased }: ExistingBooking,
  context: BookingContext,
): Promise<{ readonly kind: 'guests'; readonly before: GuestDetails; readonly after: GuestDetails } | Refused> {
  // What is to be erased is not told any more, whether it is already gone or not.
  if (guestErased) return { kind: 'guests', before: ERASED, after: ERASED };
  const record = guest?.record ?? guestRecord;
  const earlier = guest === null ? record : (guestRecords[guestRecords.indexOf(record) - 1] ?? record);
  const [before, after] = await Promise.all([readGuestRecord(earlier, context), readGuestRecord(record, context)]);
  if (before.kind === 'refused') return before;
  if (after.kind === 'refused') return after;
  return { kind: 'guests', before: before.details, after: after.details };
}
