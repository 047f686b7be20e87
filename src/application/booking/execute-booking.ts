import type { ActivityId } from '../../domain/activity/activity.ts';
import { midnightMs } from '../../domain/activity/schedule.ts';
import type { Language } from '../../domain/activity/vocabulary.ts';
import { releasesOf } from '../../domain/allotment/state.ts';
import type { BookingWorkflowInput } from '../../domain/booking/booking-workflow.ts';
import { guestsOf } from '../../domain/booking/facts.ts';
import type { ExistingBooking } from '../../domain/booking/state.ts';
import { type CallerData, type GuestDetails, hasCallerData } from '../../domain/guest/guest.ts';
import { allotmentIdOf, type BookingId, type CommandId, type Fingerprint } from '../../domain/ids.ts';
import { type Cause, type Position, unreachable } from '../../eventsourcing/message.ts';
import { overUnpaidShare } from '../exposure/refusals.ts';
import { settleExposure } from '../exposure/reserve-exposure.ts';
import { explainUnusableHold } from '../hold/read-hold.ts';
import { bookingIdOfKey, fingerprintOf, fingerprintOfReference, freshBookingId } from '../identifiers.ts';
import { keyReused } from '../in-flight.ts';
import { attributionTo } from '../recommend/read-context-log.ts';
import { noReply, type Refused, serviceUnavailable } from '../refusal.ts';
import { freshVoucher } from '../voucher/fresh-voucher.ts';
import { type BookingContext, revisionOf } from './booking-context.ts';
import { exhausted, type ReferringRequest, type RequestedOffer, requestedOffer } from './booking-offer.ts';
import { driveBooking } from './drive-booking.ts';
import { type ExpectedTotal, expectedTotalIn, priceChanged } from './expected-total.ts';
import { exposedBy, unpaidTaker, withGuestsReserved } from './expose-booking.ts';
import { type BookingView, readGuest } from './read-booking.ts';
import { quoteSpending, spendingGuard, spendingLimit } from './spending-limits.ts';

type ExecuteBooking = ReferringRequest &
  ExpectedTotal & {
    readonly idempotencyKey: string | null;
    readonly guest: GuestDetails;
    /** Null: the language of the context log, else English. */
    readonly language: Language | null;
    readonly webhookUrl: string | null;
  };

/** The booking that a request made, also while it is `processing`. */
export type ExecutedBooking = BookingView & {
  /** True if an earlier request with this Idempotency-Key made the booking. */
  readonly replayed: boolean;
  /** Position of the last event that this request appended; null for a replay. */
  readonly position: Position | null;
};

/**
 * Makes a booking: `confirmed`, or `pending` if the venue confirms on request. The allotment decides on availability,
 * the booking's stream on the booking; both are durable on return. If only the last steps take too long,
 * the booking is returned as `processing` and finished in the background.
 */
export async function executeBooking(
  request: ExecuteBooking,
  cause: Cause,
  context: BookingContext,
): Promise<ExecutedBooking | Refused> {
  const { digest, ids, clock, inFlight } = context;
  const { mode, idempotencyKey } = request;
  const fingerprint = fingerprintOfRequest(request, digest);
  if (idempotencyKey === null) {
    const id = freshBookingId(mode, ids, clock.nowMs());
    const releasesSeen = knownReleases(request, context);
    return runWorkflow({ ...request, id, fingerprint, releasesSeen, abandonments: 0, fresh: true }, cause, context);
  }
  const id = bookingIdOfKey(digest, request, idempotencyKey);
  const replay = async () => {
    const stored = await storedBooking(id, request.guest, context);
    return stored.kind === 'booking' && stored.booking.facts.fingerprint !== fingerprint ? keyReused() : stored;
  };
  return inFlight.run(
    id,
    fingerprint,
    async () => {
      // Before the booking is read: what it has not dropped by then was not released by then.
      const releasesSeen = knownReleases(request, context);
      const stored = await replay();
      if (stored.kind !== 'none') return stored;
      const { abandonments } = stored;
      return runWorkflow({ ...request, id, fingerprint, releasesSeen, abandonments, fresh: false }, cause, context);
    },
    async () => {
      const stored = await replay();
      return stored.kind === 'none' ? keyReused() : stored;
    },
  );
}

/**
 * The booking that the same request made before under its Idempotency-Key, or IDEMPOTENCY_IN_PROGRESS; null if there is
 * none, or if the key was used for another body. Writes nothing.
 */
export async function committedBooking(
  request: ExecuteBooking,
  context: BookingContext,
): Promise<ExecutedBooking | Refused | null> {
  const { digest, inFlight } = context;
  const { idempotencyKey, guest } = request;
  if (idempotencyKey === null) return null;
  const id = bookingIdOfKey(digest, request, idempotencyKey);
  const fingerprint = fingerprintOfRequest(request, digest);
  const read = () => storedBooking(id, guest, context);
  const stored = await inFlight.run(id, fingerprint, read, read);
  if (stored.kind === 'none') return null;
  return stored.kind === 'refused' || stored.booking.facts.fingerprint === fingerprint ? stored : null;
}

type IdentifiedRequest = ExecuteBooking & {
  readonly id: BookingId;
  readonly fingerprint: Fingerprint;
  /** Number of the allotment's releases that was known before the booking's stream was read. */
  readonly releasesSeen: number;
  /** Number of claims that the booking's stream abandoned: part of the next claim's id. */
  readonly abandonments: number;
  /** True if no other request can have the same id. */
  readonly fresh: boolean;
};

/** The number of releases that an actor in memory knows; 0 without one, and for a test allotment. */
function knownReleases({ mode, activityId, date }: ExecuteBooking, { streams }: BookingContext): number {
  return mode === 'test' ? 0 : releasesOf(streams.allotments.peek(allotmentIdOf(activityId as ActivityId, date)));
}

/** Runs the booking workflow. */
async function runWorkflow(
  request: IdentifiedRequest,
  cause: Cause,
  context: BookingContext,
): Promise<ExecutedBooking | Refused> {
  const requested = await requestedOffer(request, context);
  if (requested.kind === 'refused') return requested;
  const { id } = request;
  const { currency } = requested.offer.schedule;
  const expected = expectedTotalIn(request, currency);
  if (expected.kind === 'refused') return expected;
  const guard = spendingGuard(request.keyId, cause.at, context);
  const priced = { offer: requested.offer, holdId: requested.hold?.id ?? null };
  const quoted = await quoteSpending(guestsOf(request), priced, guard, context);
  if (quoted.kind === 'refused') return quoted;
  const input = {
    ...workflowInputOf(request, requested, cause, context),
    expectedTotalMinor: expected.minor,
    spending: quoted.spending,
  };
  const exposed = exposedBy(id, request, requested.offer);
  const drive = () => driveBooking(input, request.fresh, cause, context);
  const driven = await withGuestsReserved(request.keyId, exposed, drive, context);
  if (driven.kind === 'refused') return driven;
  const { result } = driven;
  switch (result.outcome.kind) {
    case 'booked':
    case 'processing':
      if (requested.hold !== null)
        await settleExposure(request.keyId, 'openHolds', { subject: requested.hold.id, counts: null }, context);
      return bookedBy(request, result.accepted, context);
    case 'exhausted':
      return exhausted(requested.offerRequest, requested.offer, result.outcome.free, context);
    case 'price-changed':
      return priceChanged(request, guestsOf(request), result.outcome.totalMinor, currency);
    case 'hold-rejected':
      if (requested.hold === null) throw new Error(`${id} has no hold, but its hold was refused`);
      return explainUnusableHold(requested.hold, context);
    case 'over-limit':
      return spendingLimit(result.outcome, context);
    case 'over-share':
      return overUnpaidShare(result.outcome.refusal);
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

/** The booking that the request has just made or started. */
async function bookedBy(
  request: IdentifiedRequest,
  accepted: Awaited<ReturnType<typeof driveBooking>>['accepted'],
  context: BookingContext,
): Promise<ExecutedBooking | Refused> {
  const { id } = request;
  if (accepted === null) throw new Error(`${id} was booked, but no step wrote to its stream`);
  const { state: booking, revision, position, events } = accepted;
  if (booking.status === 'none') throw new Error(`${id} was booked, but its stream has no booking`);
  const guest = await guestOf(id, booking, request.guest, context);
  if (guest.kind === 'refused') return guest;
  const replayed = events.length === 0;
  return { kind: 'booking', id, booking, guest: guest.details, revision, position, replayed };
}

function workflowInputOf(
  request: IdentifiedRequest,
  { offer, contextLog, hold }: RequestedOffer,
  cause: Cause,
  context: BookingContext,
): Omit<BookingWorkflowInput, 'expectedTotalMinor' | 'spending'> {
  const { id, keyId, fingerprint, date, numAdults, numChildren, guest, language, webhookUrl } = request;
  const { activity, day, allotment, schedule, hotelPercentOff } = offer;
  const { opensAtMs, closesAtMs } = day;
  const hours = { beginsAtMs: midnightMs(activity.city, date), opensAtMs, closesAtMs };
  return {
    bookingId: id,
    allotmentId: allotment,
    schedule,
    hotelPercentOff,
    holdId: hold?.id ?? null,
    nowMs: context.clock.nowMs(),
    guests: guestsOf(request),
    guestDetails: guest,
    guestFingerprint: fingerprintOfGuest(id, guest, context.digest),
    reference: guest.reference === null ? null : fingerprintOfReference(context.digest, guest.reference),
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
      language: language ?? contextLog?.facts.language ?? 'en',
      attribution: contextLog === null ? null : attributionTo(contextLog, activity.id),
      webhookUrl,
      at: cause.at,
    },
    finalStep:
      activity.confirmation === 'instant'
        ? {
            kind: 'confirm',
            voucher: freshVoucher(id, hours, context),
            activityRevision: revisionOf(activity.id, context.catalogue),
          }
        : {
            kind: 'place-on-request',
            answerByMs: Math.min(context.clock.nowMs() + context.limits.onRequestMs, day.lastEntryMs),
          },
    claimDeadlineMs: context.clock.nowMs() + context.limits.claimMs,
    unpaid: unpaidTaker(keyId, activity.confirmation, context),
    releasesSeen: request.releasesSeen,
    abandonments: request.abandonments,
  };
}

/**
 * The booking that an Idempotency-Key made, whatever its body was; else the number of abandoned claims in its stream.
 */
async function storedBooking(
  id: BookingId,
  requestedGuest: GuestDetails,
  context: BookingContext,
): Promise<ExecutedBooking | Refused | { readonly kind: 'none'; readonly abandonments: number }> {
  const { streams, clock, limits } = context;
  const reply = await streams.bookings.read(id, clock.nowMs() + limits.responseMs);
  if (reply.kind !== 'state') return noReply(reply);
  const { state: booking, revision } = reply;
  if (booking.status === 'none') return { kind: 'none', abandonments: booking.abandoned.length };
  const guest = await guestOf(id, booking, requestedGuest, context);
  if (guest.kind === 'refused') return guest;
  return { kind: 'booking', id, booking, guest: guest.details, revision, replayed: true, position: null };
}

/** The booking's present guest. Reads the guest stream, which may not exist yet, only if the guest has changed. */
function guestOf(id: BookingId, booking: ExistingBooking, requested: GuestDetails, context: BookingContext) {
  const unchanged = !booking.guestErased && booking.facts.guest === fingerprintOfGuest(id, requested, context.digest);
  return unchanged ? ({ kind: 'guest', details: requested } as const) : readGuest(booking, context);
}

/**
 * Fingerprint of the body's fields. Leaves out an absent context log, hold or caller data, so that fingerprints stored
 * before these fields existed still match. `expected_total` is not part of it: it is a condition and changes nothing
 * that is booked, so a repetition with another expectation gets the same booking (docs/decisions/0049).
 */
function fingerprintOfRequest(request: ExecuteBooking, digest: BookingContext['digest']): Fingerprint {
  const { activityId, date, numAdults, numChildren, guest, webhookUrl, contextLogId, holdId } = request;
  const fields = [activityId, date, numAdults, numChildren, guest.name, guest.email, guest.specialRequests, webhookUrl];
  if (hasCallerData(guest)) return fingerprintOf(digest, [...fields, contextLogId, holdId, ...callerFields(guest)]);
  if (holdId !== null) return fingerprintOf(digest, [...fields, contextLogId, holdId]);
  return fingerprintOf(digest, contextLogId === null ? fields : [...fields, contextLogId]);
}

/** Fingerprint of the guest record that is made with a booking. */
function fingerprintOfGuest(id: BookingId, guest: GuestDetails, digest: BookingContext['digest']): Fingerprint {
  const fields = [id, guest.name, guest.email, guest.specialRequests];
  return fingerprintOf(digest, hasCallerData(guest) ? [...fields, ...callerFields(guest)] : fields);
}

/** The order in which the caller wrote the members does not matter. */
function callerFields({ reference, metadata }: CallerData): readonly (string | null)[] {
  return [reference, JSON.stringify(Object.entries(metadata).sort(([one], [other]) => (one < other ? -1 : 1)))];
}
