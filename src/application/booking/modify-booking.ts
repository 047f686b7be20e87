import type { BookingPricing } from '../../domain/activity/pricing.ts';
import type { Changes, EventData } from '../../domain/booking/events.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import {
  type ModificationWorkflowInput,
  type ModificationWorkflowOutcome,
  modificationWorkflow,
} from '../../domain/booking/modification-workflow.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import { ERASED, type GuestDetails } from '../../domain/guest/guest.ts';
import type { BookingId, CommandId } from '../../domain/ids.ts';
import { type Cause, type Position, unreachable } from '../../eventsourcing/message.ts';
import { overUnpaidShare } from '../exposure/refusals.ts';
import { claimIdWith, commandIdOfKey, fingerprintOf } from '../identifiers.ts';
import { keyReused } from '../in-flight.ts';
import { noReply, type Refused, serviceUnavailable } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';
import { exhausted } from './booking-offer.ts';
import { driveWorkflow, type WorkflowResult } from './drive-workflow.ts';
import { easeNow } from './ease-spending.ts';
import { priceChanged } from './expected-total.ts';
import { explainBooking } from './explain-booking.ts';
import { exposedAfter, settleGuests, withGuestsReserved } from './expose-booking.ts';
import { type CommandIdentity, type ModifyBooking, planModification } from './plan-modification.ts';
import { type BookingView, readBooking, readGuestRecord } from './read-booking.ts';
import { releaseSlots } from './release-slots.ts';
import { spendingLimit } from './spending-limits.ts';

/** The effect of a modification. */
export type ModificationSummary = {
  readonly changes: Changes;
  /** The guest before and after; the fields in `changes` differ. */
  readonly guestBefore: GuestDetails;
  readonly guestAfter: GuestDetails;
  /** Price and number of guests, after it. */
  readonly pricing: BookingPricing;
  readonly guests: number;
};

/** The present booking, and the effect of this command. */
export type Modified = ModificationSummary & {
  readonly kind: 'modified';
  readonly id: BookingId;
  readonly booking: ExistingBooking;
  readonly guest: GuestDetails;
  readonly revision: number;
  /** True if an earlier request with this Idempotency-Key made the change. */
  readonly replayed: boolean;
  /** Position of the last event that this request appended; null if it wrote nothing. */
  readonly position: Position | null;
};

/**
 * Changes a booking: claims new slots, then the booking's stream decides on the change, then the dropped slots are
 * released. Writes nothing if nothing differs.
 */
export async function modifyBooking(
  request: ModifyBooking,
  cause: Cause,
  context: BookingContext,
): Promise<Modified | Refused> {
  const identity = commandIdentityOf(request, context);
  const replayOrModify = async () => {
    const view = await readBooking(request.id, request.asker, context);
    if (view.kind === 'refused') return view;
    return (await replayOf(identity, view, context)) ?? modify(view, request, identity, cause, context);
  };
  if (request.idempotencyKey === null) return replayOrModify();
  const replayOrRefuse = async () => {
    const view = await readBooking(request.id, request.asker, context);
    if (view.kind === 'refused') return view;
    return (await replayOf(identity, view, context)) ?? keyReused();
  };
  return context.inFlight.run(identity.commandId, identity.fingerprint, replayOrModify, replayOrRefuse);
}

/**
 * The change that the same request made before under its Idempotency-Key, or IDEMPOTENCY_IN_PROGRESS; null if there is
 * none, or if the key was used for another body. Writes nothing.
 */
export async function committedModification(
  request: ModifyBooking,
  context: BookingContext,
): Promise<Modified | Refused | null> {
  if (request.idempotencyKey === null) return null;
  const identity = commandIdentityOf(request, context);
  const replay = async () => {
    const view = await readBooking(request.id, request.asker, context);
    if (view.kind === 'refused') return view.refusal.code === 'BOOKING_NOT_FOUND' ? null : view;
    return replayOf(identity, view, context);
  };
  const result = await context.inFlight.run(identity.commandId, identity.fingerprint, replay, replay);
  if (result === null) return null;
  return result.kind === 'refused' && result.refusal.code === 'IDEMPOTENCY_KEY_REUSED' ? null : result;
}

/** Without an Idempotency-Key every request is a new command. */
function commandIdentityOf(
  { id, asker, idempotencyKey, date, numAdults, numChildren, name, email, specialRequests }: ModifyBooking,
  { digest, ids }: BookingContext,
): CommandIdentity {
  const fields = [
    date,
    numAdults,
    numChildren,
    name,
    email,
    ...(specialRequests === undefined ? [] : [specialRequests]),
  ];
  const scope = [`POST /api/b2a/bookings/${id}/modify`, asker];
  return {
    commandId: idempotencyKey === null ? (ids.uuid() as CommandId) : commandIdOfKey(digest, scope, idempotencyKey),
    fingerprint: fingerprintOf(digest, fields),
  };
}

/** The answer of this command if the booking has already applied it; else null. */
async function replayOf(
  { commandId, fingerprint }: CommandIdentity,
  { id, booking, guest, revision }: BookingView,
  context: BookingContext,
): Promise<Modified | Refused | null> {
  const made = booking.modifications.get(commandId);
  if (made === undefined) return null;
  if (made.fingerprint !== fingerprint) return keyReused();
  const guests = await guestsAround(made, booking, context);
  if (guests.kind === 'refused') return guests;
  const outcome = { ...outcomeOf(made), guestBefore: guests.before, guestAfter: guests.after };
  return { kind: 'modified', ...outcome, id, booking, guest, revision, replayed: true, position: null };
}

async function modify(
  view: BookingView,
  request: ModifyBooking,
  identity: CommandIdentity,
  cause: Cause,
  context: BookingContext,
): Promise<Modified | Refused> {
  const { id, booking } = view;
  const beganMs = context.clock.nowMs();
  const plan = await planModification(view, request, identity, cause, context);
  if (plan.kind === 'refused') return plan;
  const { input, slots } = plan;
  const exposed = slots === null ? null : exposedAfter(id, booking, { party: input, offer: slots.offer });
  const deadlineMs = context.clock.nowMs() + context.limits.responseMs;
  const drive = () => {
    const workflow = modificationWorkflow(input, claimIdWith(context.digest));
    return driveWorkflow(workflow, false, cause, deadlineMs, context);
  };
  const driven = await withGuestsReserved(booking.facts.keyId, exposed, drive, context);
  if (driven.kind === 'refused') return driven;
  const { result } = driven;
  switch (result.outcome.kind) {
    case 'modified':
      return modifiedBy({ view, input, identity, accepted: result.accepted }, cause, { beganMs, deadlineMs }, context);
    case 'exhausted':
      if (slots === null) throw new Error(`${id} claimed no slots, but was refused for lack of them`);
      return exhausted(slots.offerRequest, slots.offer, result.outcome.free, context);
    case 'price-changed':
      return priceChanged(request, guestsOf(input), result.outcome.totalMinor, input.schedule.currency);
    case 'over-limit':
      return spendingLimit(result.outcome, context);
    case 'over-share':
      return overUnpaidShare(result.outcome.refusal);
    case 'rejected':
      return explainBooking(id, result.outcome.rejection);
    case 'contended':
      return serviceUnavailable('contended', result.last);
    case 'unavailable':
      return noReply(result.outcome);
    default:
      return unreachable(result.outcome);
  }
}

type Applied = {
  readonly view: BookingView;
  readonly input: ModificationWorkflowInput;
  readonly identity: CommandIdentity;
  readonly accepted: WorkflowResult<ModificationWorkflowOutcome>['accepted'];
};

/** The effect of a modification that was just stored. What it dropped is released before it returns, or by the reaper. */
async function modifiedBy(
  { view, input, identity, accepted }: Applied,
  cause: Cause,
  { beganMs, deadlineMs }: { readonly beganMs: number; readonly deadlineMs: number },
  context: BookingContext,
): Promise<Modified | Refused> {
  const { id, guest: guestBefore } = view;
  if (accepted === null) throw new Error(`${id} was modified, but no step wrote to its stream`);
  const { state: booking, revision, position, events } = accepted;
  if (booking.status === 'none') throw new Error(`${id} was modified, but its stream has no booking`);
  const made = booking.modifications.get(identity.commandId);
  if (made !== undefined && events.length === 0) return replayed(identity, view, context);
  const guestAfter = input.guest?.details ?? guestBefore;
  const outcome = made === undefined ? unchanged(booking) : outcomeOf(made);
  const releasedAt = made === undefined ? null : await releaseSlots(made, cause, deadlineMs, context.streams);
  await easeNow(id, booking.facts.keyId, cause, deadlineMs, context);
  if (changesPlaces(outcome.changes)) await settleGuests(id, booking, context, beganMs);
  const modified = { ...outcome, guestBefore, guestAfter, id, booking, guest: guestAfter, revision };
  return { kind: 'modified', ...modified, replayed: false, position: releasedAt ?? position };
}

function changesPlaces({ date, numAdults, numChildren }: Changes): boolean {
  return date !== undefined || numAdults !== undefined || numChildren !== undefined;
}

/** Another node completed the same request after the booking was read. */
async function replayed(identity: CommandIdentity, { id, booking }: BookingView, context: BookingContext) {
  const view = await readBooking(id, booking.facts.keyId, context);
  if (view.kind === 'refused') return view;
  return (
    (await replayOf(identity, view, context)) ??
    serviceUnavailable('contended', { call: `replay of the change of booking-${id}` })
  );
}

function outcomeOf({ changes, pricing, numGuests }: EventData<'BookingModified'>) {
  return { changes, pricing, guests: numGuests };
}

function unchanged({ facts }: ExistingBooking) {
  return { changes: {}, pricing: facts.pricing, guests: guestsOf(facts) };
}

/** The guest before and after a modification; the same if it did not change the guest. */
async function guestsAround(
  { guest }: EventData<'BookingModified'>,
  { guestRecord, guestRecords, guestErased }: ExistingBooking,
  context: BookingContext,
): Promise<{ readonly kind: 'guests'; readonly before: GuestDetails; readonly after: GuestDetails } | Refused> {
  // The erasure is requested; the record may not be deleted yet.
  if (guestErased) return { kind: 'guests', before: ERASED, after: ERASED };
  const record = guest?.record ?? guestRecord;
  const earlier = guest === null ? record : (guestRecords[guestRecords.indexOf(record) - 1] ?? record);
  const [before, after] = await Promise.all([readGuestRecord(earlier, context), readGuestRecord(record, context)]);
  if (before.kind === 'refused') return before;
  if (after.kind === 'refused') return after;
  return { kind: 'guests', before: before.details, after: after.details };
}
