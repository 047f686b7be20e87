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

/** Notifies waiting requests that an attempt to send a booking's mail has ended, with success or not. */
export type MailNotifier = {
  /** Resolves when the booking's next attempt ends. After `signal` aborts it never resolves. */
  next(booking: BookingId, signal: AbortSignal): Promise<void>;
  /** Call it once the outcome of the attempt can be read. */
  ended(booking: BookingId): void;
};

export function createMailNotifier(): MailNotifier {
  const waiting = new Map<BookingId, Set<() => void>>();
  return {
    next(booking, signal) {
      return new Promise((resolve) => {
        const waiters = waiting.get(booking) ?? new Set();
        waiting.set(booking, waiters.add(resolve));
        const forget = (): void => {
          waiters.delete(resolve);
          if (waiters.size === 0 && waiting.get(booking) === waiters) waiting.delete(booking);
        };
        signal.addEventListener('abort', forget, { once: true });
      });
    },
    ended(booking) {
      const waiters = waiting.get(booking);
      waiting.delete(booking);
      for (const resolve of waiters ?? []) resolve();
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
        for (const event of events) if (endsAttempt(event)) notifier.ended(streamId(event.stream) as BookingId);
      },
      log,
      signal,
    });
    // It ends at an unknown event, which the follower has logged. From here on requests wait for `mailWaitMs`.
    return following.catch(() => {});
  });
}

function endsAttempt({ type }: Recorded): boolean {
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
 * Subscribes before it reads, so that no attempt is missed in between. The attempt may have been for an earlier
 * voucher, so it reads again. If another command has changed the booking, the answer stays as it was.
 */
async function whenMailed<Outcome extends Written>(
  written: Outcome,
  untilMs: number,
  { mails, streams, clock }: MailWaitContext,
): Promise<Outcome> {
  const over = new AbortController();
  const { version } = written.booking;
  try {
    for (;;) {
      const ended = mails.next(written.id, over.signal);
      const reply = await streams.bookings.read(written.id, untilMs);
      if (reply.kind !== 'state' || reply.state.status === 'none' || reply.state.version !== version) return written;
      const { state: booking, revision } = reply;
      if (booking.mail.status !== 'unsent' || clock.nowMs() >= untilMs) return { ...written, booking, revision };
      await Promise.race([ended, clock.until(untilMs, over.signal)]);
    }
  } finally {
    over.abort();
  }
}
