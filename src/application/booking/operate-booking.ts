import { runningCancellation } from '../../domain/allotment/state.ts';
import type { BookingCommandOf, BookingRejection } from '../../domain/booking/commands.ts';
import type { BookingEvent, RejectionCode } from '../../domain/booking/events.ts';
import { ERASED } from '../../domain/guest/guest.ts';
import type { BookingId } from '../../domain/ids.ts';
import type { Cause, Position } from '../../eventsourcing/message.ts';
import { noReply, type Refused, refused } from '../refusal.ts';
import { freshVoucher } from '../voucher/fresh-voucher.ts';
import { type BookingContext, revisionOf } from './booking-context.ts';
import { easeNow } from './ease-spending.ts';
import { explainBooking, refusedByStatus } from './explain-booking.ts';
import { settleGuests } from './expose-booking.ts';
import { type BookingView, readBooking } from './read-booking.ts';
import { recordPaid, releaseSlots } from './release-slots.ts';

/** Until when the venue may answer by its link, ms since the epoch; undefined: an operator answers, whenever. */
type WithDeadline = { readonly answerByMs?: number };

type ConfirmRequest = {
  /** As the caller sent it; not validated yet. */
  readonly id: string;
  /** From If-Match: versions that may be confirmed; null: the present one. */
  readonly ifVersions: readonly number[] | null;
} & WithDeadline;

type RejectRequest = {
  readonly id: string;
  readonly reason: keyof typeof CODES;
  /** Undefined: the operator. */
  readonly by?: 'venue' | 'operator';
  /** Versions that may be rejected; undefined: any. */
  readonly ifVersions?: readonly number[];
} & WithDeadline;

/** A booking after an operator's command. `position`: of the last event appended, null for none. */
export type ChangedBooking = BookingView & { readonly position: Position | null };

/** `code` of a rejected booking in answers, by reason. */
const CODES = { venue_unavailable: 'ACTIVITY_UNAVAILABLE', system: 'SERVICE_UNAVAILABLE' } as const satisfies Record<
  string,
  RejectionCode
>;

/**
 * The venue accepts a booking on request: confirms it, charges it and issues the voucher. Only the version that was
 * read is confirmed: if a guest changes it meanwhile, the venue must be asked again. Refused while the date is being cancelled;
 * a confirmation that overtakes the cancellation is cancelled with the others.
 */
export async function confirmRequest(
  request: ConfirmRequest,
  cause: Cause,
  context: BookingContext,
): Promise<ChangedBooking | Refused> {
  const view = await readBooking(request.id, 'operator', context);
  if (view.kind === 'refused') return view;
  const { hours, version, facts } = view.booking;
  if (hours === null) throw new Error(`${view.id} has no opening hours, which a voucher needs`);
  const closed = await refuseCancelledDate(view, context);
  if (closed !== null) return closed;
  const agreed = request.ifVersions === null || request.ifVersions.includes(version) ? [version] : [];
  const voucher = freshVoucher(view.id, hours, context);
  const nowMs = context.clock.nowMs();
  const activityRevision = revisionOf(facts.activityId, context.catalogue);
  const confirm = { type: 'ConfirmByVenue', voucher, activityRevision, ifVersions: agreed, nowMs } as const;
  return handle(view, { ...confirm, ...answered(request, nowMs) }, cause, context);
}

/**
 * The venue or the operator rejects a booking on request. Nothing was charged; the slots are released before it
 * returns, or by the reaper.
 */
export async function rejectRequest(
  { id, reason, by = 'operator', ifVersions, ...venue }: RejectRequest,
  cause: Cause,
  context: BookingContext,
): Promise<ChangedBooking | Refused> {
  const view = await readBooking(id, 'operator', context);
  if (view.kind === 'refused') return view;
  const answer = answered(venue, context.clock.nowMs());
  const reject = { type: 'Reject', reason, code: CODES[reason], by, at: cause.at, ...answer } as const;
  return handle(view, ifVersions === undefined ? reject : { ...reject, ifVersions }, cause, context);
}

function answered({ answerByMs }: WithDeadline, nowMs: number): Pick<BookingCommandOf<'Reject'>, 'answer'> {
  return answerByMs === undefined ? {} : { answer: { nowMs, answerByMs } };
}

/** From here on no read returns the guest's data; the reaper then deletes the guest stream. */
export async function eraseGuest(id: string, cause: Cause, context: BookingContext): Promise<ChangedBooking | Refused> {
  const view = await readBooking(id, 'operator', context);
  if (view.kind === 'refused') return view;
  return handle({ ...view, guest: ERASED }, { type: 'EraseGuest', by: 'operator', at: cause.at }, cause, context);
}

type OperatorCommand = BookingCommandOf<'ConfirmByVenue' | 'Reject' | 'EraseGuest'>;

async function handle(
  view: BookingView,
  command: OperatorCommand,
  cause: Cause,
  context: BookingContext,
): Promise<ChangedBooking | Refused> {
  const { id } = view;
  const deadlineMs = context.clock.nowMs() + context.limits.responseMs;
  const answerByMs = ('answer' in command ? command.answer?.answerByMs : undefined) ?? deadlineMs;
  // A command that waited past the venue's deadline is not decided.
  const decideByMs = Math.min(deadlineMs, answerByMs);
  const reply = await context.streams.bookings.handle(id, command, cause, decideByMs);
  if (reply.kind === 'rejected') return explain(id, reply.rejection, IN_WORDS[command.type]);
  if (reply.kind !== 'accepted') return noReply(reply);
  const { state: booking, revision } = reply;
  if (booking.status === 'none') throw new Error(`${id} accepted ${command.type}, but its stream has no booking`);
  const claims = { dropped: droppedBy(reply.events), shrunk: [], version: booking.version };
  const releasedAt = await releaseSlots(claims, cause, deadlineMs, context.streams);
  if (command.type === 'Reject') {
    await easeNow(id, booking.facts.keyId, cause, deadlineMs, context);
    await settleGuests(id, booking, context);
  }
  if (command.type === 'ConfirmByVenue') await recordPaid(booking.facts.claims, cause, deadlineMs, context.streams);
  return { ...view, booking, revision, position: releasedAt ?? reply.position };
}

async function refuseCancelledDate(
  { booking: { facts, status } }: BookingView,
  { streams, clock, limits }: BookingContext,
): Promise<Refused | null> {
  for (const { allotment } of status === 'pending' ? facts.claims : []) {
    const reply = await streams.allotments.read(allotment, clock.nowMs() + limits.responseMs);
    if (reply.kind !== 'state') return noReply(reply);
    const cancellation = runningCancellation(reply.state);
    if (cancellation === null) continue;
    const message = `All bookings of ${facts.date} are being cancelled (${cancellation.reason}), this one too; it cannot be confirmed.`;
    return refused('BOOKING_NOT_MODIFIABLE', message, { details: 'status: pending' });
  }
  return null;
}

const IN_WORDS = {
  ConfirmByVenue: 'confirmed',
  Reject: 'rejected',
  EraseGuest: 'changed',
} as const satisfies Record<OperatorCommand['type'], string>;

function droppedBy(events: readonly BookingEvent[]) {
  return events.flatMap((event) => (event.type === 'BookingRejected' ? event.data.dropped : []));
}

function explain(id: BookingId, rejection: BookingRejection, command: string): Refused {
  if (rejection.code !== 'BOOKING_NOT_MODIFIABLE') return explainBooking(id, rejection);
  const advice = rejection.why === 'confirmed' ? 'cancel it instead' : 'the guests can make a new booking';
  return refusedByStatus(rejection.code, rejection.why, `it cannot be ${command}`, advice);
}
