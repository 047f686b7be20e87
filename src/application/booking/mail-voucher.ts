import type { CommandId } from '../../domain/ids.ts';
import type { Cause } from '../../eventsourcing/message.ts';
import { commandIdOfKey } from '../identifiers.ts';
import { noReply, type Refused } from '../refusal.ts';
import type { BookingContext } from './booking-context.ts';
import { explainBooking, refusedByStatus } from './explain-booking.ts';
import type { ChangedBooking } from './operate-booking.ts';
import { readBooking } from './read-booking.ts';

type MailVoucher = {
  /** As the caller sent it; not validated yet. */
  readonly id: string;
  readonly idempotencyKey: string | null;
};

/** Asks for another mail with the present voucher. The process manager of voucher mails sends it, within the bounds of mails. */
export async function mailVoucher(
  { id, idempotencyKey }: MailVoucher,
  cause: Cause,
  context: BookingContext,
): Promise<(ChangedBooking & { readonly replayed: boolean }) | Refused> {
  const view = await readBooking(id, 'operator', context);
  if (view.kind === 'refused') return view;
  const { clock, digest, ids, limits, streams } = context;
  const nowMs = clock.nowMs();
  const scope = [`POST /api/bookings/${view.id}/voucher-mail`];
  const commandId = idempotencyKey === null ? (ids.uuid() as CommandId) : commandIdOfKey(digest, scope, idempotencyKey);
  const command = { type: 'RequestVoucherMail', commandId, by: 'operator', nowMs, at: cause.at } as const;
  const reply = await streams.bookings.handle(view.id, command, cause, nowMs + limits.responseMs);
  if (reply.kind === 'rejected') {
    const { rejection } = reply;
    if (rejection.code !== 'BOOKING_NOT_MODIFIABLE') return explainBooking(view.id, rejection);
    const advice = rejection.why === 'pending' ? 'confirm it first' : 'no mail is sent';
    return refusedByStatus(rejection.code, rejection.why, 'its voucher cannot be mailed', advice);
  }
  if (reply.kind !== 'accepted') return noReply(reply);
  const { state: booking, revision, position, events } = reply;
  if (booking.status === 'none') throw new Error(`${view.id} asked for a mail, but its stream has no booking`);
  return { ...view, booking, revision, position, replayed: events.length === 0 };
}
