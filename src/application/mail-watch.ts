import type { BookingId } from '../domain/allotment/allotment.ts';
import { bookingCodec } from '../domain/booking/decider.ts';
import { UnknownEvent } from '../eventsourcing/codec.ts';
import type { Cause, Position } from '../eventsourcing/message.ts';
import type { EventStore, StoredEvent } from '../ports/event-store.ts';
import type { Log } from '../ports/log.ts';
import type { Booked } from './book-activity.ts';
import type { BookingContext } from './booking-context.ts';
import type { Refused } from './refusal.ts';
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

type Waiting = Pick<BookingContext, 'streams' | 'clock' | 'limits'> & {
  readonly mails: MailWatch;
  /** How long an answer waits for the mail; 0: not at all. */
  readonly mailWaitMs: number;
};

/**
 * What is answered to a booking: itself once the first attempt to mail its voucher has ended, or as it is when the wait
 * or the response's own deadline is over. A repetition, and a booking without a voucher, wait for nothing.
 */
export async function withItsMail(
  answer: Booked | Refused,
  cause: Pick<Cause, 'at'>,
  context: Waiting,
): Promise<Booked | Refused> {
  const { clock, limits, mailWaitMs } = context;
  if (answer.kind === 'refused' || answer.replayed || answer.booking.voucher === null || mailWaitMs === 0)
    return answer;
  return whenMailed(answer, Math.min(clock.nowMs() + mailWaitMs, Date.parse(cause.at) + limits.responseMs), context);
}

/** It listens before it looks, so that no attempt ends unseen between the two. */
async function whenMailed(booked: Booked, untilMs: number, { mails, streams, clock }: Waiting): Promise<Booked> {
  const over = new AbortController();
  try {
    const ended = mails.next(booked.id, over.signal);
    const before = await look();
    if (before.booking.mail.status !== 'unsent') return before;
    await Promise.race([ended, clock.until(untilMs, over.signal)]);
    return await look();
  } finally {
    over.abort();
  }

  async function look(): Promise<Booked> {
    const reply = await streams.bookings.read(booked.id, untilMs);
    if (reply.kind !== 'state' || reply.state.status === 'none') return booked;
    return { ...booked, booking: reply.state, revision: reply.revision };
  }
}
