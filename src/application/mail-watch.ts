import type { BookingId } from '../domain/allotment/allotment.ts';
import { bookingCodec } from '../domain/booking/decider.ts';
import { UnknownEvent } from '../eventsourcing/codec.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import type { EventStore, StoredEvent } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { Booked } from './book-activity.ts';
import type { BookingContext } from './booking-context.ts';
import type { Refused } from './refusal.ts';
import type { Streams } from './streams.ts';
import type { Begun } from './under-lease.ts';

const BOOKINGS = [bookingCodec.category];

/** Tells those who wait for a booking's mail that an attempt at it has ended, well or not. */
export type MailWatch = {
  /** Resolves at the next attempt of this booking to end. Where `signal` aborts it is forgotten, and never resolves. */
  next(booking: BookingId, signal: AbortSignal): Promise<void>;
  /** To be called once what came of the attempt can be read. */
  ended(booking: BookingId): void;
};

export function createMailWatch(): MailWatch {
  const waiting = new Map<BookingId, Set<() => void>>();
  return {
    next(booking, signal) {
      return new Promise((resolve) => {
        const told = waiting.get(booking) ?? new Set();
        waiting.set(booking, told.add(resolve));
        const forget = (): void => {
          told.delete(resolve);
          if (told.size === 0 && waiting.get(booking) === told) waiting.delete(booking);
        };
        signal.addEventListener('abort', forget, { once: true });
      });
    },
    ended(booking) {
      const told = waiting.get(booking);
      waiting.delete(booking);
      for (const resolve of told ?? []) resolve();
    },
  };
}

const RETRY_MS = 200;

/** Tells a watch of the attempts that are made anywhere, from the log: on nodes that share the engines. */
export function followMails(
  watch: Pick<MailWatch, 'ended'>,
  after: Position,
  { store, log }: { readonly store: EventStore; readonly log: Log },
): Begun {
  const stopping = new AbortController();
  const { signal } = stopping;
  const follow = async (): Promise<void> => {
    let position = after;
    while (!signal.aborted) {
      try {
        for await (const { events, upTo } of store.subscribe({ after: position, categories: BOOKINGS, signal })) {
          for (const event of events.filter(endsAttempt)) watch.ended(bookingOf(event.stream));
          position = upTo;
        }
      } catch (fault) {
        // Noted where it was met; whoever waits for a mail waits its time out.
        if (fault instanceof UnknownEvent) return;
        log.error('mails of other nodes cannot be followed', { retryMs: RETRY_MS, fault });
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  };
  const following = follow();
  return {
    async stop() {
      stopping.abort();
      await following;
    },
  };
}

function endsAttempt(event: StoredEvent): boolean {
  const { type } = bookingCodec.decode(event);
  return type === 'VoucherMailed' || type === 'VoucherMailFailed';
}

function bookingOf(stream: string): BookingId {
  // The codec read an event of this stream as a booking's.
  return stream.slice(bookingCodec.category.length + 1) as BookingId;
}

type Waiting = Pick<BookingContext, 'clock'> & {
  readonly streams: { readonly bookings: Pick<Streams['bookings'], 'read'> };
  readonly limits: Pick<BookingContext['limits'], 'responseMs'>;
  readonly mails: MailWatch;
  /** How long an answer waits for the mail; 0: not at all. */
  readonly mailWaitMs: number;
};

/** What a request made of a booking; `position` is null where it wrote nothing. */
type Written = Pick<Booked, 'id' | 'booking' | 'revision' | 'position'> & { readonly kind: string };

/**
 * What is answered to a request that issued a voucher: its outcome once the first attempt to mail that voucher has ended,
 * or as it is when the wait or the response's own deadline is over. A request that wrote nothing, and a booking without a
 * voucher, wait for nothing.
 */
export async function withItsMail<Outcome extends Written>(
  answer: Outcome | Refused,
  cause: Pick<Cause, 'at'>,
  context: Waiting,
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
 * It listens before it looks, so that no attempt ends unseen between the two. An attempt that ends may have been one at
 * the voucher before. Where something else has changed the booking meanwhile, the answer is the outcome as it was.
 */
async function whenMailed<Outcome extends Written>(
  written: Outcome,
  untilMs: number,
  { mails, streams, clock }: Waiting,
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
