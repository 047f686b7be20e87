import { describe, expect, test } from 'bun:test';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { createMailWatch, followMails, withItsMail } from '../../../src/application/mail-watch.ts';
import type { Streams } from '../../../src/application/streams.ts';
import type { BookingEvent, ExistingBooking, VoucherMail } from '../../../src/domain/booking/booking.ts';
import { bookingCodec, bookingDecider } from '../../../src/domain/booking/decider.ts';
import { fold } from '../../../src/eventsourcing/decider.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import { movedClock } from '../../support/clock.ts';
import { A_VOUCHER, allotment, bookingFacts, bookingId, claimId } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

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
  ])('end the wait of who asked for the one that %s, and of nobody else', async (_, event) => {
    using directory = temporaryDirectory();
    const store = openEventStore(directory.file('events.db'));
    const [ids, log, watch] = [seededIds(), collectedLog(), createMailWatch()];
    const following = followMails(watch, START, { store, log });
    const over = new AbortController();
    const ended: string[] = [];
    const [first, second] = [bookingId('bk_1'), bookingId('bk_2')];
    const waiting = watch.next(first, over.signal).then(() => ended.push(first));
    void watch.next(second, over.signal).then(() => ended.push(second));
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

  /** What is answered where the booking looks like this one time after the other, with an ended attempt in between. */
  async function answered(...looks: readonly Look[]) {
    const watch = createMailWatch();
    let looked = 0;
    const read: Streams['bookings']['read'] = async () => {
      const look = looks[looked++];
      if (look === undefined) throw new Error('it is looked at too often');
      queueMicrotask(() => watch.ended(ID));
      return { kind: 'state', state: bookingAt(look), revision: looked };
    };
    const clock = movedClock(Date.parse(AT));
    const asked = {
      kind: 'modified',
      id: ID,
      booking: bookingAt({ version: 2, mail: 'unsent' }),
      revision: 0,
    } as const;
    const waiting = { streams: { bookings: { read } }, clock, limits: { responseMs: 10_000 }, mails: watch };
    const answer = await withItsMail({ ...asked, position: START }, { at: AT }, { ...waiting, mailWaitMs: 5_000 });
    return answer.kind === 'refused' ? answer : [answer.booking.version, answer.booking.mail.status, answer.revision];
  }

  const [UNSENT, SENT] = [{ version: 2, mail: 'unsent' } as const, { version: 2, mail: 'sent' } as const];

  test('waits on where the attempt that ended was one at the voucher before', async () => {
    expect(await answered(UNSENT, UNSENT, SENT)).toEqual([2, 'sent', 3]);
  });

  test('is the outcome as it was, where something else has changed the booking meanwhile', async () => {
    expect(await answered(UNSENT, { ...SENT, version: 3 })).toEqual([2, 'unsent', 0]);
  });
});
