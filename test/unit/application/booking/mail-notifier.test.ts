import { describe, expect, test } from 'bun:test';
import { openEventStore } from '../../../../src/adapters/sqlite/event-store.ts';
import {
  awaitVoucherMail,
  createMailNotifier,
  followMails,
} from '../../../../src/application/booking/mail-notifier.ts';
import type { Streams } from '../../../../src/application/streams.ts';
import { bookingDecider } from '../../../../src/domain/booking/decider.ts';
import { type BookingEvent, bookingCodec } from '../../../../src/domain/booking/events.ts';
import type { ExistingBooking, VoucherMail } from '../../../../src/domain/booking/state.ts';
import { fold } from '../../../../src/eventsourcing/decider.ts';
import { START } from '../../../../src/eventsourcing/message.ts';
import { movedClock } from '../../../support/clock.ts';
import { decoded } from '../../../support/decoded.ts';
import { A_VOUCHER, allotment, bookingFacts, bookingId, claimId } from '../../../support/examples.ts';
import { seededIds } from '../../../support/ids.ts';
import { collectedLog } from '../../../support/log.ts';
import { SOME_CAUSE } from '../../../support/recorded.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const AT = '2026-11-21T03:00:00.000Z';
const MAILED: BookingEvent = {
  type: 'VoucherMailed',
  data: { messageId: '<bk_1.1@waymark.localhost>', providerId: null, at: AT },
};
const FAILED: BookingEvent = {
  type: 'VoucherMailFailed',
  data: { messageId: '<bk_1.1@waymark.localhost>', attempt: 1, reason: 'DATA 451', retryAtMs: null, at: AT },
};

describe('mails that another node sends', () => {
  test.each([
    ['was accepted', MAILED],
    ['was not', FAILED],
  ])('end the wait for the mail that %s, and for no other', async (_, event) => {
    using directory = temporaryDirectory();
    const store = decoded(openEventStore(directory.file('events.db')));
    const [ids, log, notifier] = [seededIds(), collectedLog(), createMailNotifier()];
    const following = followMails(notifier, START, { store, log });
    const over = new AbortController();
    const ended: string[] = [];
    const [first, second] = [bookingId('bk_1'), bookingId('bk_2')];
    const waiting = notifier.next(first, over.signal).then(() => ended.push(first));
    void notifier.next(second, over.signal).then(() => ended.push(second));
    const append = (stream: string, happened: BookingEvent) =>
      store.append(stream, -1, [{ id: ids.uuid(), ...bookingCodec.encode(happened), cause: SOME_CAUSE }]);
    await append('booking-bk_2', {
      type: 'ClaimAbandoned',
      data: { claim: claimId('c'), allotment: allotment('a-2026-11-21') },
    });
    await append('booking-bk_1', event);
    await waiting;
    expect(ended).toEqual([first]);
    expect(log.lines).toEqual([]);
    over.abort();
    await following.stop();
    await store.close();
  });
});

describe('the answer to a request that issued a voucher', () => {
  const ID = bookingId('bk_1');
  type Look = { readonly version: number; readonly mail: 'unsent' | 'sent' };

  function bookingAt({ version, mail: status }: Look): ExistingBooking {
    const made = fold(bookingDecider, [
      { type: 'BookingConfirmed', data: { ...bookingFacts(), follows: null } },
      { type: 'VoucherIssued', data: A_VOUCHER },
    ]);
    if (made.status === 'none') throw new Error('there is no booking');
    const mail: VoucherMail = status === 'sent' ? { issue: 2, status, messageId: '<2>', at: AT } : { issue: 2, status };
    return { ...made, version, mail };
  }

  /** The answer, given the successive states of the booking, with an ended attempt between them. */
  async function answered(...looks: readonly Look[]) {
    const notifier = createMailNotifier();
    let looked = 0;
    const read: Streams['bookings']['read'] = async () => {
      const look = looks[looked++];
      if (look === undefined) throw new Error('it is looked at too often');
      queueMicrotask(() => notifier.ended(ID));
      return { kind: 'state', state: bookingAt(look), revision: looked };
    };
    const clock = movedClock(Date.parse(AT));
    const asked = {
      kind: 'modified',
      id: ID,
      booking: bookingAt({ version: 2, mail: 'unsent' }),
      revision: 0,
    } as const;
    const waiting = { streams: { bookings: { read } }, clock, limits: { responseMs: 10_000 }, mails: notifier };
    const answer = await awaitVoucherMail({ ...asked, position: START }, { at: AT }, { ...waiting, mailWaitMs: 5_000 });
    return answer.kind === 'refused' ? answer : [answer.booking.version, answer.booking.mail.status, answer.revision];
  }

  const [UNSENT, SENT] = [{ version: 2, mail: 'unsent' } as const, { version: 2, mail: 'sent' } as const];

  test('keeps waiting if the ended attempt was for an earlier voucher', async () => {
    expect(await answered(UNSENT, UNSENT, SENT)).toEqual([2, 'sent', 3]);
  });

  test('is unchanged if another command has changed the booking meanwhile', async () => {
    expect(await answered(UNSENT, { ...SENT, version: 3 })).toEqual([2, 'unsent', 0]);
  });
});
