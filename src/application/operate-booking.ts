import type {
  BookingCommand,
  BookingEvent,
  BookingId,
  BookingRejection,
  RejectionCode,
} from '../domain/booking/booking.ts';
import { ERASED } from '../domain/guest/guest.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import type { BookingContext } from './booking-context.ts';
import { explainBooking, standing } from './explain-booking.ts';
import { freeSlotsOf } from './free-slots.ts';
import { freshVoucher } from './fresh-voucher.ts';
import { type BookingView, readBooking } from './read-booking.ts';
import { type Refused, refused, serviceUnavailable } from './refusal.ts';

export type ConfirmRequest = {
  /** As the caller wrote it. */
  readonly id: string;
  /** Versions of the booking that the venue agrees to; null: as it is now. */
  readonly ifVersion: readonly number[] | null;
};

export type RejectRequest = { readonly id: string; readonly reason: keyof typeof CODES };

/** A booking after an operator's word. `position`: of the last event that it appended, null for none. */
export type Operated = BookingView & { readonly position: Position | null };

/** What a caller reads as a rejected booking's `code`. */
const CODES = { venue_unavailable: 'ACTIVITY_UNAVAILABLE', system: 'SERVICE_UNAVAILABLE' } as const satisfies Record<
  string,
  RejectionCode
>;

/**
 * The venue agrees to a booking on request: it is confirmed and charged, and has its voucher. That is made for the booking
 * as it was read: where its guests change it at that very moment, the venue has to be asked again.
 */
export async function confirmRequest(
  request: ConfirmRequest,
  cause: Cause,
  context: BookingContext,
): Promise<Operated | Refused> {
  const view = await readBooking(request.id, 'operator', context);
  if (view.kind === 'refused') return view;
  const { hours, version } = view.booking;
  if (hours === null) throw new Error(`${view.id} has no hours that a voucher could be valid for`);
  const agreed = request.ifVersion === null || request.ifVersion.includes(version) ? [version] : [];
  const voucher = freshVoucher(view.id, hours, context);
  const nowMs = context.clock.nowMs();
  return tell(view, { type: 'Confirm', voucher, ifVersion: agreed, nowMs }, cause, context);
}

/** The venue declines, or the operator does: nothing was charged, and the slots are free again on return. */
export async function rejectRequest(
  { id, reason }: RejectRequest,
  cause: Cause,
  context: BookingContext,
): Promise<Operated | Refused> {
  const view = await readBooking(id, 'operator', context);
  if (view.kind === 'refused') return view;
  return tell(view, { type: 'Reject', reason, code: CODES[reason], by: 'operator', at: cause.at }, cause, context);
}

/** The guest's data is told of no more from here on, anywhere; the reaper then removes it from the store. */
export async function eraseGuest(id: string, cause: Cause, context: BookingContext): Promise<Operated | Refused> {
  const view = await readBooking(id, 'operator', context);
  if (view.kind === 'refused') return view;
  return tell({ ...view, guest: ERASED }, { type: 'EraseGuest', by: 'operator', at: cause.at }, cause, context);
}

type Told = Extract<BookingCommand, { type: 'Confirm' | 'Reject' | 'EraseGuest' }>;

async function tell(
  view: BookingView,
  command: Told,
  cause: Cause,
  context: BookingContext,
): Promise<Operated | Refused> {
  const { id } = view;
  const deadlineMs = context.clock.nowMs() + context.limits.responseMs;
  const reply = await context.streams.bookings.handle(id, command, cause, deadlineMs);
  if (reply.kind === 'rejected') return explain(id, reply.rejection, IN_WORDS[command.type]);
  if (reply.kind !== 'accepted') return serviceUnavailable(reply.kind === 'erased' ? 'erased' : reply.reason);
  const { state: booking, revision } = reply;
  if (booking.status === 'none') throw new Error(`${id} took ${command.type}, but its stream says nothing of it`);
  const givenUp = { dropped: droppedBy(reply.events), shrunk: [], version: booking.version };
  const freed = await freeSlotsOf(givenUp, cause, deadlineMs, context.streams);
  return { ...view, booking, revision, position: freed ?? reply.position };
}

const IN_WORDS = {
  Confirm: 'be confirmed',
  Reject: 'be rejected',
  EraseGuest: 'be changed',
} as const satisfies Record<Told['type'], string>;

function droppedBy(events: readonly BookingEvent[]) {
  return events.flatMap((event) => (event.type === 'BookingRejected' ? event.data.dropped : []));
}

function explain(id: BookingId, rejection: BookingRejection, what: string): Refused {
  if (rejection.code !== 'BOOKING_NOT_MODIFIABLE') return explainBooking(id, rejection);
  const { why } = rejection;
  const sentence = (instead: string) => `${standing(why)}, so it cannot ${what}; ${instead}.`;
  const details = `status: ${why}`;
  if (why === 'processing')
    return refused('BOOKING_NOT_MODIFIABLE', sentence('try again in a moment'), { details, resolution: 'retry_later' });
  const instead = why === 'confirmed' ? 'cancel it instead' : 'its guests may book anew';
  return refused('BOOKING_NOT_MODIFIABLE', sentence(instead), { details });
}
