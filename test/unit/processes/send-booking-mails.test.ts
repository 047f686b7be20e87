import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import type { Recorded } from '../../../src/eventsourcing/message.ts';
import { MAX_MAIL_ATTEMPTS, mailRetryDelayMs } from '../../../src/processes/pending-mails.ts';
import {
  KNOWN_FOR_MS,
  type SendBookingMailsState,
  sendBookingMails,
  sendBookingMailsKey,
} from '../../../src/processes/send-booking-mails/process-manager.ts';
import { A_VOUCHER, bookingId, commandId, confirmation, keyId } from '../../support/examples.ts';
import { givenEvents } from '../../support/given.ts';
import { positionAt, recorder } from '../../support/recorded.ts';
import { roomFor } from '../../support/room.ts';

const NOW_MS = Date.parse('2026-11-21T03:00:00Z');
const AT = '2026-11-21T03:00:00.000Z';

/** The log of one test: events of bookings `bk_1`, `bk_2`, … */
function happenings() {
  const recorded = recorder();
  const to = (booking: number, event: BookingEvent): Recorded<BookingEvent> => recorded(`booking-bk_${booking}`, event);
  return {
    confirmed: (booking: number) => to(booking, confirmation()),
    issued: (booking: number) => to(booking, { type: 'VoucherIssued', data: A_VOUCHER }),
    requested: (booking: number) =>
      to(booking, {
        type: 'VoucherMailRequested',
        data: { command: commandId('again'), by: 'operator', at: AT },
      }),
    mailed: (booking: number) =>
      to(booking, {
        type: 'VoucherMailed',
        data: { messageId: `mail_${booking}`, providerId: null, recipient: null, at: AT },
      }),
    failed: (booking: number, retryAtMs: number | null, attempt = 1) =>
      to(booking, {
        type: 'VoucherMailFailed',
        data: { messageId: `mail_${booking}`, attempt, reason: 'RCPT TO 450', retryAtMs, at: AT },
      }),
    charged: (booking: number) =>
      to(booking, {
        type: 'ChargeRecorded',
        data: { keyId: keyId('key_1'), amountMinor: booking, currency: 'THB' },
      }),
  };
}

function foldAll(events: readonly Recorded<BookingEvent>[]): SendBookingMailsState {
  return events.reduce((state, event) => sendBookingMails.react(state, event), sendBookingMails.initial);
}

const mail = (booking: number) => ({ type: 'MailVoucher', booking: bookingId(`bk_${booking}`), known: null }) as const;

describe('a voucher', () => {
  test('is mailed once it is issued, and not before', () => {
    const { confirmed, issued } = happenings();
    givenEvents(sendBookingMails, confirmed(1)).thenDue(NOW_MS, []).thenOldestOpen(null);
    givenEvents(sendBookingMails, issued(2))
      .thenDue(0, [mail(2)])
      .thenOldestOpen(positionAt(2));
  });

  test('that was mailed is closed', () => {
    const { issued, mailed } = happenings();
    givenEvents(sendBookingMails, issued(1), mailed(1)).thenDue(NOW_MS, []).thenOldestOpen(null);
  });

  test('whose mail failed is due again at the recorded retry time, and not before', () => {
    const { issued, failed } = happenings();
    givenEvents(sendBookingMails, issued(1), failed(1, NOW_MS))
      .thenDue(NOW_MS - 1, [])
      .thenDue(NOW_MS, [mail(1)])
      .thenOldestOpen(positionAt(2));
  });

  test('whose mail failed permanently is closed', () => {
    const { issued, failed } = happenings();
    givenEvents(sendBookingMails, issued(1), failed(1, NOW_MS), failed(1, null, 2))
      .thenDue(NOW_MS, [])
      .thenOldestOpen(null);
  });

  test('that replaces another one is mailed too, whatever the outcome of the first', () => {
    for (const before of ['mailed', 'failed', 'given up', 'owed'] as const) {
      const { issued, mailed, failed } = happenings();
      const first = issued(1);
      const then = {
        mailed: () => [mailed(1)],
        failed: () => [failed(1, NOW_MS + 1)],
        'given up': () => [failed(1, null)],
        owed: () => [],
      }[before]();
      givenEvents(sendBookingMails, first, ...then, issued(1)).thenDue(NOW_MS, [mail(1)]);
    }
  });

  test('that is requested again is mailed again, whatever the outcome of the first mail, and then closed', () => {
    const { issued, mailed, failed, requested } = happenings();
    for (const before of [[mailed(1)], [failed(1, null)], []])
      givenEvents(sendBookingMails, issued(1), ...before, requested(1)).thenDue(NOW_MS, [mail(1)]);
    givenEvents(sendBookingMails, issued(1), mailed(1), requested(1), mailed(1))
      .thenDue(NOW_MS, [])
      .thenOldestOpen(null);
  });

  test('stays pending through other events of its booking', () => {
    const { issued, charged } = happenings();
    givenEvents(sendBookingMails, issued(1), charged(1)).thenDue(NOW_MS, [mail(1)]);
  });
});

describe('many mails', () => {
  test('are due in the order of the log, the first attempts before repetitions that have waited for longer', () => {
    const { issued, failed } = happenings();
    const log = [issued(1), issued(2), failed(2, NOW_MS - 5), issued(3), failed(1, NOW_MS - 9), issued(4)];
    givenEvents(sendBookingMails, ...log).thenDue(NOW_MS, [mail(3), mail(4), mail(1), mail(2)]);
  });

  test('are limited, and do not include those in flight', () => {
    const { issued } = happenings();
    const state = foldAll([1, 2, 3, 4].map((n) => issued(n)));
    const busy = (key: string): boolean => key === sendBookingMailsKey(mail(2));
    expect(sendBookingMails.due(state, NOW_MS, { ...roomFor(2), busy })).toEqual([mail(1), mail(3)]);
  });

  test('are found without iterating over those not yet due', () => {
    const { issued, failed } = happenings();
    const waiting = Array.from({ length: 5_000 }, (_, n) => [issued(n), failed(n, NOW_MS + 1 + n)]).flat();
    const state = foldAll(waiting);
    expect(sendBookingMails.due(state, NOW_MS, roomFor(10))).toEqual([]);
    expect(sendBookingMails.due(state, NOW_MS + 2, roomFor(10))).toEqual([mail(0), mail(1)]);
  });
});

describe('the state of the booking in its command', () => {
  /** The booking after the given events, which are all it has. */
  const known = (...events: readonly Recorded<BookingEvent>[]) => ({
    id: bookingId('bk_1'),
    state: fold(bookingDecider, events),
    revision: events.length - 1,
  });
  const dueAfter = (events: readonly Recorded<BookingEvent>[], nowMs = NOW_MS) =>
    sendBookingMails.due(foldAll(events), nowMs, roomFor(10));

  test('is that of its events until the voucher, whatever happens to other bookings', () => {
    const { confirmed, charged, issued } = happenings();
    const own = [confirmed(1), charged(1), issued(1)];
    const others = [confirmed(2), charged(2), confirmed(3)];
    expect(dueAfter(own)).toEqual([{ ...mail(1), known: known(...own) }]);
    expect(dueAfter([...own, ...others])).toEqual([{ ...mail(1), known: known(...own) }]);
  });

  test('follows the booking to its next voucher', () => {
    const { confirmed, charged, issued } = happenings();
    const own = [confirmed(1), issued(1), charged(1), issued(1)];
    const [first, second, ...later] = own;
    if (first === undefined || second === undefined) throw new Error('there are no events');
    expect(dueAfter([first, second, confirmed(2), ...later])).toEqual([{ ...mail(1), known: known(...own) }]);
  });

  test('is not known if an event before the voucher was not received', () => {
    const { confirmed, charged, issued } = happenings();
    const [first, second, voucher] = [confirmed(1), charged(1), issued(1)];
    expect(dueAfter([second, voucher])).toEqual([mail(1)]);
    expect(dueAfter([first, voucher])).toEqual([mail(1)]);
    expect(dueAfter([first, confirmed(2), second, voucher])).toEqual([mail(1)]);
  });

  test('is used for ten seconds after the voucher was issued, and not for a repetition', () => {
    const { confirmed, issued, failed } = happenings();
    const own = [confirmed(1), issued(1)];
    expect(dueAfter(own, NOW_MS + KNOWN_FOR_MS - 1)).toEqual([{ ...mail(1), known: known(...own) }]);
    expect(dueAfter(own, NOW_MS + KNOWN_FOR_MS)).toEqual([mail(1)]);
    expect(dueAfter([...own, failed(1, NOW_MS)])).toEqual([mail(1)]);
  });

  test('is kept for the first 1,000 mails', () => {
    const { confirmed, issued } = happenings();
    const numbers = Array.from({ length: 1_001 }, (_, n) => n);
    const state = foldAll(numbers.flatMap((n) => [confirmed(n), issued(n)]));
    const due = sendBookingMails.due(state, NOW_MS, roomFor(2_000));
    expect(due.filter((command) => command.type === 'MailVoucher' && command.known === null)).toEqual([mail(1_000)]);
  });
});

test('the oldest open position is a sufficient checkpoint', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('issued', 'mailed', 'failed', 'given up'), fc.nat({ max: 4 })));
  fc.assert(
    fc.property(steps, fc.nat({ max: 60_000 }), (history, laterMs) => {
      const log = happenings();
      const events = history.map(([what, booking]) => {
        if (what === 'issued') return log.issued(booking);
        if (what === 'mailed') return log.mailed(booking);
        return log.failed(booking, what === 'failed' ? NOW_MS + booking * 10_000 : null);
      });
      const state = foldAll(events);
      const oldest = sendBookingMails.oldestOpen(state);
      const again = foldAll(events.filter(({ position }) => oldest !== null && position >= oldest));
      const due = (of: typeof state) => sendBookingMails.due(of, NOW_MS + laterMs, roomFor(100));
      expect(due(again)).toEqual(due(state));
    }),
  );
});

describe('the retry schedule of a mail', () => {
  test('is 10 s, 30 s, 2 min and 10 min, then every half hour, and ends within 48 hours', () => {
    const delays = Array.from({ length: MAX_MAIL_ATTEMPTS }, (_, n) => mailRetryDelayMs(n + 1));
    expect(delays.slice(0, 6)).toEqual([10_000, 30_000, 120_000, 600_000, 1_800_000, 1_800_000]);
    expect(new Set(delays.slice(4, -1))).toEqual(new Set([1_800_000]));
    expect(delays.at(-1)).toBeNull();
    const sumMs = delays.reduce<number>((sum, delay) => sum + (delay ?? 0), 0);
    expect(sumMs).toBe(((47 * 60 + 42) * 60 + 40) * 1_000);
  });
});
