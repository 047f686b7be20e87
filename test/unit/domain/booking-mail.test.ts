import { describe, expect, test } from 'bun:test';
import type { BookingCommand } from '../../../src/domain/booking/commands.ts';
import { bookingDecider } from '../../../src/domain/booking/decider.ts';
import type { BookingEvent } from '../../../src/domain/booking/events.ts';
import { publicFactsOf } from '../../../src/domain/booking/facts.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { PLACED, visited as verified } from '../../support/booking-life.ts';
import { A_VOUCHER, bookingFacts, commandId, confirmation, fingerprint } from '../../support/examples.ts';
import { given } from '../../support/given.ts';

const ISSUED: BookingEvent = { type: 'VoucherIssued', data: A_VOUCHER };
const booked: readonly BookingEvent[] = [confirmation(), ISSUED];
const AT = '2026-11-21T03:00:05.000Z';
const RECIPIENT = fingerprint('ADA');
const mailedAs = (messageId: string): BookingEvent => ({
  type: 'VoucherMailed',
  data: { messageId, providerId: null, recipient: RECIPIENT, at: AT, publicFacts: publicFactsOf(bookingFacts()) },
});
const mailed = mailedAs('mail_1');
const mailFailed = (attempt: number): BookingEvent => ({
  type: 'VoucherMailFailed',
  data: { messageId: 'mail_1', attempt, reason: '451 try again', retryAtMs: attempt * 60_000, at: AT },
});

describe("the voucher's mail", () => {
  const sent = {
    type: 'RecordVoucherMailed',
    issue: 1,
    messageId: 'mail_1',
    providerId: null,
    recipient: RECIPIENT,
    at: AT,
  } as const;
  const replaced: BookingEvent = {
    type: 'ReplacedVoucherMailed',
    data: { issue: 1, messageId: 'mail_1', recipient: RECIPIENT, at: AT },
  };
  const failed = (attempt: number) =>
    ({ ...mailFailed(attempt).data, type: 'RecordVoucherMailFailed', issue: 1 }) as Extract<
      BookingCommand,
      { type: 'RecordVoucherMailFailed' }
    >;

  test('is recorded once when it was accepted', () => {
    given(bookingDecider, booked).when(sent).then([mailed]);
    given(bookingDecider, [...booked, mailed])
      .when(sent)
      .thenNothing();
  });

  test('is recorded once per failed attempt', () => {
    given(bookingDecider, booked)
      .when(failed(1))
      .then([mailFailed(1)]);
    given(bookingDecider, [...booked, mailFailed(1), mailFailed(2)])
      .when(failed(2))
      .thenNothing();
    given(bookingDecider, [...booked, mailFailed(1)])
      .when(failed(2))
      .then([mailFailed(2)]);
  });

  test('cannot fail after it was accepted', () => {
    given(bookingDecider, [...booked, mailed])
      .when(failed(1))
      .thenNothing();
  });

  test('with a replaced voucher counts once for the bounds, and the new voucher needs its own mail', () => {
    given(bookingDecider, [...booked, mailed, ISSUED])
      .when(sent)
      .thenNothing();
    given(bookingDecider, [...booked, mailFailed(1), ISSUED])
      .when(sent)
      .then([replaced]);
    given(bookingDecider, [...booked, mailFailed(1), ISSUED, replaced])
      .when(sent)
      .thenNothing();
    for (const before of [mailed, mailFailed(1)]) {
      given(bookingDecider, [...booked, before, ISSUED])
        .when(failed(2))
        .thenNothing();
      expect(fold(bookingDecider, [...booked, before, ISSUED])).toMatchObject({ mail: { issue: 2, status: 'unsent' } });
      given(bookingDecider, [...booked, before, ISSUED])
        .when({ ...sent, issue: 2, messageId: 'mail_2' })
        .then([mailedAs('mail_2')]);
    }
  });

  test('is recorded even after the visit', () => {
    given(bookingDecider, [...booked, verified()])
      .when(sent)
      .then([mailed]);
  });

  test('is refused if nothing was booked', () => {
    given(bookingDecider, []).when(sent).thenRejected({ code: 'BOOKING_NOT_FOUND' });
  });
});

describe('a voucher that is to be mailed again', () => {
  const ask = { type: 'RequestVoucherMail', commandId: commandId('AGAIN'), by: 'operator', nowMs: 0, at: AT } as const;
  const requested = (command = 'AGAIN'): BookingEvent => ({
    type: 'VoucherMailRequested',
    data: { command: commandId(command), by: 'operator', at: AT },
  });
  const accepted = (issue: number) =>
    ({
      type: 'RecordVoucherMailed',
      issue,
      messageId: 'mail_2',
      providerId: null,
      recipient: RECIPIENT,
      at: AT,
    }) as const;

  test('needs its own mail, whatever became of the first one', () => {
    for (const before of [[], [mailed], [mailFailed(1)]]) {
      given(bookingDecider, [...booked, ...before])
        .when(ask)
        .then([requested()]);
      given(bookingDecider, [...booked, ...before, requested()])
        .when(accepted(2))
        .then([mailedAs('mail_2')]);
    }
  });

  test('is asked for once by each command, also after its mail', () => {
    given(bookingDecider, [...booked, mailed, requested()])
      .when(ask)
      .thenNothing();
    given(bookingDecider, [...booked, mailed, requested(), mailedAs('mail_2')])
      .when(ask)
      .thenNothing();
    given(bookingDecider, [...booked, mailed, requested('OTHER'), mailedAs('mail_2')])
      .when(ask)
      .then([requested()]);
  });

  test('counts for the bounds of mails as a mail of its own', () => {
    const booking = fold(bookingDecider, [...booked, mailed, requested(), mailedAs('mail_2')]);
    expect(booking.status !== 'none' && booking.sentMails.last.map(({ issue }) => issue)).toEqual([1, 2]);
  });

  test('is refused without a voucher that somebody can still use, and without a guest', () => {
    const erased: BookingEvent = { type: 'GuestErased', data: { records: [], by: 'operator', at: AT } };
    given(bookingDecider, []).when(ask).thenRejected({ code: 'BOOKING_NOT_FOUND' });
    for (const [events, nowMs, why] of [
      [[PLACED], 0, 'pending'],
      [booked, A_VOUCHER.validUntilMs, 'past'],
      [[...booked, verified()], 0, 'completed'],
      [[...booked, erased], 0, 'erased'],
    ] as const)
      given(bookingDecider, events)
        .when({ ...ask, nowMs })
        .thenRejected({ code: 'BOOKING_NOT_MODIFIABLE', why });
  });
});
