import type { BookingEvent } from '../../domain/booking/events.ts';
import { evolve } from '../../domain/booking/evolve.ts';
import type { BookingId } from '../../domain/ids.ts';
import { inBothModes } from '../../domain/test-streams.ts';
import { type Cause, type Position, type Recorded, streamId } from '../../eventsourcing/message.ts';
import type { FollowedFeed } from '../../ports/event-store.ts';
import type { Log } from '../../ports/log.ts';
import { Progress } from '../../runtime/progress.ts';
import { type Running, runLoop } from '../../runtime/running.ts';
import type { Refused } from '../refusal.ts';
import type { Streams } from '../streams.ts';
import type { BookingContext } from './booking-context.ts';
import type { ExecutedBooking } from './execute-booking.ts';

const BOOKINGS = inBothModes('booking');

/**
 * The end of an attempt to send a booking's mail. `event` records it at `revision`; null if another event recorded it, or if
 * there was nothing to record, and the stream has `revision`.
 */
export type EndedMail = { readonly revision: number; readonly event: BookingEvent | null };

/** Notifies waiting requests that an attempt to send a booking's mail has ended, with success or not. */
export type MailNotifier = {
  /**
   * Resolves at the end of an attempt that is recorded after the revision, at once if it has just ended. After `signal`
   * aborts it never resolves.
   */
  next(booking: BookingId, afterRevision: number, signal: AbortSignal): Promise<EndedMail>;
  /** Call it once the outcome of the attempt can be read. */
  ended(booking: BookingId, mail: EndedMail): void;
};

/**
 * Number of bookings whose last attempt is remembered. An attempt can end before its request waits for it: on another node,
 * while the request's append is being answered.
 */
const REMEMBERED = 1_024;

export function createMailNotifier(): MailNotifier {
  const waiting = new Map<BookingId, Set<(mail: EndedMail) => void>>();
  /** The bookings whose attempts ended last, oldest first. */
  const remembered = new Map<BookingId, EndedMail>();
  const remember = (booking: BookingId, mail: EndedMail): void => {
    remembered.delete(booking);
    remembered.set(booking, mail);
    if (remembered.size <= REMEMBERED) return;
    for (const oldest of remembered.keys()) {
      remembered.delete(oldest);
      return;
    }
  };
  return {
    next(booking, afterRevision, signal) {
      const last = remembered.get(booking);
      if (last !== undefined && last.revision > afterRevision) return Promise.resolve(last);
      return new Promise((resolve) => {
        const waiters = waiting.get(booking) ?? new Set();
        const notify = (mail: EndedMail): void => {
          if (mail.revision <= afterRevision) return;
          forget();
          resolve(mail);
        };
        const forget = (): void => {
          waiters.delete(notify);
          if (waiters.size === 0 && waiting.get(booking) === waiters) waiting.delete(booking);
        };
        waiting.set(booking, waiters.add(notify));
        signal.addEventListener('abort', forget, { once: true });
      });
    },
    ended(booking, mail) {
      remember(booking, mail);
      for (const notify of waiting.get(booking) ?? []) notify(mail);
    },
  };
}

/** Reads the log and tells the notifier about the attempts of all nodes that share the engines. */
export function followMails(
  notifier: Pick<MailNotifier, 'ended'>,
  after: Position,
  { store, log }: { readonly store: FollowedFeed; readonly log: Log },
): Running {
  return runLoop((signal) => {
    const following = store.follower.follow({
      reader: 'mail notifier',
      categories: BOOKINGS,
      progress: new Progress(after),
      apply({ events }) {
        for (const event of (events as readonly Recorded<BookingEvent>[]).filter(endsAttempt))
          notifier.ended(streamId(event.stream) as BookingId, { revision: event.revision, event });
      },
      log,
      signal,
    });
    // It ends at an unknown event, which the follower has logged. From here on requests wait for `mailWaitMs`.
    return following.catch(() => {});
  });
}

function endsAttempt({ type }: Recorded<BookingEvent>): boolean {
  return type === 'VoucherMailed' || type === 'VoucherMailFailed';
}

type MailWaitContext = Pick<BookingContext, 'clock'> & {
  readonly streams: { readonly bookings: Pick<Streams['bookings'], 'read'> };
  readonly limits: Pick<BookingContext['limits'], 'responseMs'>;
  readonly mails: MailNotifier;
  /** How long a response waits for the mail; 0: not at all. */
  readonly mailWaitMs: number;
};

/** A booking after a request; `position` is null if the request wrote nothing. */
type Written = Pick<ExecutedBooking, 'id' | 'booking' | 'revision' | 'position'> & { readonly kind: string };

/**
 * Delays the answer to a request that issued a voucher until the first attempt to mail it has ended, at most
 * `mailWaitMs` and until the response deadline. If the request wrote nothing, or there is no voucher, it returns at
 * once.
 */
export async function awaitVoucherMail<Outcome extends Written>(
  answer: Outcome | Refused,
  cause: Pick<Cause, 'at'>,
  context: MailWaitContext,
): Promise<Outcome | Refused> {
  const { clock, limits, mailWaitMs } = context;
  if (isRefused(answer) || answer.position === null || answer.booking.voucher === null || mailWaitMs === 0)
    return answer;
  return whenMailed(answer, Math.min(clock.nowMs() + mailWaitMs, Date.parse(cause.at) + limits.responseMs), context);
}

function isRefused(answer: Written | Refused): answer is Refused {
  return answer.kind === 'refused';
}

/**
 * Applies the event of the ended attempt to the booking that the request wrote, if it is the next one. Else it reads the
 * booking: if another command has changed it, the answer stays as it was; if the attempt was for an earlier voucher, the
 * wait goes on.
 */
async function whenMailed<Outcome extends Written>(
  written: Outcome,
  untilMs: number,
  { mails, streams, clock }: MailWaitContext,
): Promise<Outcome> {
  const over = new AbortController();
  const { id, booking: before } = written;
  const late = clock.until(untilMs, over.signal).then(() => null);
  try {
    for (let { revision } = written; ; ) {
      const ended = await Promise.race([mails.next(id, revision, over.signal), late]);
      if (ended === null) return written;
      if (ended.event !== null && ended.revision === written.revision + 1) {
        const booking = evolve(before, ended.event);
        return booking.status === 'none' ? written : { ...written, booking, revision: ended.revision };
      }
      const reply = await streams.bookings.read(id, untilMs);
      if (reply.kind !== 'state' || reply.state.status === 'none' || reply.state.version !== before.version)
        return written;
      if (reply.state.mail.status !== 'unsent') return { ...written, booking: reply.state, revision: reply.revision };
      revision = reply.revision;
    }
  } finally {
    over.abort();
  }
}
