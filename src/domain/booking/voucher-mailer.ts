import type { Position, Recorded } from '../../eventsourcing/message.ts';
import type { ProcessManager } from '../../eventsourcing/process-manager.ts';
import type { BookingId } from '../allotment/allotment.ts';
import { OrderedMap } from '../ordered-map.ts';
import { PersistentMap } from '../persistent-map.ts';
import type { BookingEvent } from './booking.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** After the first attempts; from then on every half hour. */
const FIRST_DELAYS_MS = [10 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS];
const LATER_DELAY_MS = 30 * MINUTE_MS;
/** The last one is 47 h 42 min 40 s after the first, where each fails at once. */
export const MAX_MAIL_ATTEMPTS = 100;

/** How long after a failed attempt (from 1) the next one falls due, in ms; null after the last. Exact, without jitter. */
export function mailRetryDelayMs(attempt: number): number | null {
  return attempt >= MAX_MAIL_ATTEMPTS ? null : (FIRST_DELAYS_MS[attempt - 1] ?? LATER_DELAY_MS);
}

/** Hand the booking's present voucher to the guest's mail server. */
export type VoucherMailerCommand = { readonly type: 'MailVoucher'; readonly booking: BookingId };

type OwedMail = {
  readonly booking: BookingId;
  /** Where the voucher, or the last attempt, stands in the log. */
  readonly position: Position;
  /** Its place in `byDue`. */
  readonly due: string;
};

export type VoucherMailerState = {
  readonly owed: PersistentMap<OwedMail>;
  /** What is owed in the order it falls due. */
  readonly byDue: OrderedMap<OwedMail>;
};

/**
 * Owes a mail for every voucher issued, until it was accepted or given up, or is of no use any more: after a cancellation,
 * and where the guest is to be forgotten. A first attempt is due at once and comes
 * before all repetitions: a caller may be waiting for it, and while a mail server is away those would take every turn.
 */
export const voucherMailer: ProcessManager<VoucherMailerState, BookingEvent, VoucherMailerCommand> = {
  name: 'voucher-mailer',
  categories: ['booking'],
  initial: { owed: new PersistentMap(), byDue: new OrderedMap() },
  react(state, event) {
    switch (event.type) {
      case 'VoucherIssued':
        return owing(state, event, 0);
      case 'VoucherMailed':
      case 'BookingCancelled':
      case 'GuestErased':
        return settled(state, bookingOf(event));
      case 'VoucherMailFailed':
        return event.data.retryAtMs === null
          ? settled(state, bookingOf(event))
          : owing(state, event, event.data.retryAtMs);
      default:
        return state;
    }
  },
  due({ byDue }, nowMs, { limit, busy }) {
    const until = dueText(nowMs + 1);
    const commands: VoucherMailerCommand[] = [];
    for (const [due, { booking }] of byDue.entries()) {
      if (due >= until || commands.length >= limit) break;
      if (!busy(booking)) commands.push({ type: 'MailVoucher', booking });
    }
    return commands;
  },
  done: (state) => state,
  oldestOpen({ owed }) {
    let oldest: Position | null = null;
    for (const [, { position }] of owed.entries()) if (oldest === null || position < oldest) oldest = position;
    return oldest;
  },
};

/** Of the same booking only one is under way. */
export function voucherMailerKey({ booking }: VoucherMailerCommand): string {
  return booking;
}

function owing(state: VoucherMailerState, event: Recorded<BookingEvent>, dueMs: number): VoucherMailerState {
  const { position } = event;
  const item = { booking: bookingOf(event), position, due: `${dueText(dueMs)} ${position}` };
  const { owed, byDue } = settled(state, item.booking);
  return { owed: owed.with(item.booking, item), byDue: byDue.with(item.due, item) };
}

function settled({ owed, byDue }: VoucherMailerState, booking: BookingId): VoucherMailerState {
  const before = owed.get(booking);
  return before === undefined ? { owed, byDue } : { owed: owed.without(booking), byDue: byDue.without(before.due) };
}

/** At a fixed width, so that text order is time order. */
function dueText(ms: number): string {
  return String(ms).padStart(16, '0');
}

function bookingOf({ stream }: Recorded<BookingEvent>): BookingId {
  return stream.slice('booking-'.length) as BookingId;
}
