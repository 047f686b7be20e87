import type { BookingId } from '../domain/allotment/allotment.ts';
import type { Booked } from './book-activity.ts';
import type { BookingContext } from './booking-context.ts';

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

/**
 * A new booking once the first attempt to mail its voucher has ended, or as it was where the wait lasts until `untilMs`
 * (ms since the epoch). It listens before it looks, so that no attempt ends unseen between the two.
 */
export async function whenMailed(
  booked: Booked,
  untilMs: number,
  { mails, streams, clock }: Pick<BookingContext, 'streams' | 'clock'> & { readonly mails: MailWatch },
): Promise<Booked> {
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
