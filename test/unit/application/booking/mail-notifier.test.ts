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
  data: { messageId: '<bk_1.1@waymark.localhost>', providerId: null, recipient: null, at: AT },
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
    const waiting = notifier.next(first, -1, over.signal).then(() => ended.push(first));
    void notifier.next(second, -1, over.signal).then(() => ended.push(second));
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

describe('a notifier', () => {
  const [ID, OTHER] = [bookingId('bk_1'), bookingId('bk_2')];
  const { signal } = new AbortController();

  test('remembers the last attempt of a booking, for a request that waits only after it', async () => {
    const notifier = createMailNotifier();
    notifier.ended(ID, { revision: 3, event: FAILED });
    notifier.ended(ID, { revision: 4, event: MAILED });
    expect(await notifier.next(ID, 2, signal)).toEqual({ revision: 4, event: MAILED });
  });

  test('does not notify of an attempt that was recorded before the revision', async () => {
    const notifier = createMailNotifier();
    notifier.ended(ID, { revision: 3, event: FAILED });
    const next = notifier.next(ID, 3, signal);
    notifier.ended(ID, { revision: 3, event: FAILED });
    notifier.ended(OTHER, { revision: 9, event: MAILED });
    notifier.ended(ID, { revision: 4, event: MAILED });
    expect(await next).toEqual({ revision: 4, event: MAILED });
  });

  test('forgets the oldest of more than 1,024 bookings', async () => {
    const notifier = createMailNotifier();
    for (let n = 0; n <= 1_024; n++) notifier.ended(bookingId(`bk_${n}`), { revision: n, event: null });
    const waiting = notifier.next(bookingId('bk_0'), -1, signal);
    const remembered = notifier.next(bookingId('bk_1'), -1, signal);
    expect(await Promise.race([waiting, remembered])).toEqual({ revision: 1, event: null });
  });
});

describe('the answer to a request that issued a voucher', () => {
  const ID = bookingId('bk_1');
  const WAIT_MS = 5_000;
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

  /** A request that wrote the booking at revision 1, and the states that reads return at revisions 10, 11, … */
  function asked(...looks: readonly Look[]) {
    const notifier = createMailNotifier();
    const reads: number[] = [];
    const read: Streams['bookings']['read'] = async () => {
      const look = looks[reads.length];
      if (look === undefined) throw new Error('it is read too often');
      const revision = reads.length + 10;
      reads.push(revision);
      return { kind: 'state', state: bookingAt(look), revision };
    };
    const clock = movedClock(Date.parse(AT));
    const written = {
      kind: 'modified',
      id: ID,
      booking: bookingAt({ version: 2, mail: 'unsent' }),
      revision: 1,
    } as const;
    const waiting = { streams: { bookings: { read } }, clock, limits: { responseMs: 10_000 }, mails: notifier };
    const context = { ...waiting, mailWaitMs: WAIT_MS };
    const answer = awaitVoucherMail({ ...written, position: START }, { at: AT }, context);
    const seen = async () => {
      const given = await answer;
      return given.kind === 'refused' ? given : [given.booking.version, given.booking.mail.status, given.revision];
    };
    return { notifier, clock, reads, answer: seen };
  }

  const [UNSENT, SENT] = [{ version: 2, mail: 'unsent' } as const, { version: 2, mail: 'sent' } as const];
  /** The waiting request goes on before the next statement. */
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  test.each([
    ['sent', MAILED],
    ['failing', FAILED],
  ] as const)('applies the next event, without a read: %s', async (status, event) => {
    const { notifier, answer, reads } = asked();
    notifier.ended(ID, { revision: 2, event });
    expect([await answer(), reads]).toEqual([[2, status, 2], []]);
  });

  test('reads the booking if an event is missing between, or if the attempt recorded none', async () => {
    for (const ended of [
      { revision: 3, event: MAILED },
      { revision: 2, event: null },
    ]) {
      const { notifier, answer, reads } = asked(SENT);
      notifier.ended(ID, ended);
      expect([await answer(), reads]).toEqual([[2, 'sent', 10], [10]]);
    }
  });

  test('keeps waiting if the ended attempt was for an earlier voucher', async () => {
    const { notifier, answer, reads } = asked(UNSENT, SENT);
    notifier.ended(ID, { revision: 3, event: null });
    await turn();
    expect(reads).toEqual([10]);
    notifier.ended(ID, { revision: 10, event: null });
    await turn();
    expect(reads).toEqual([10]);
    notifier.ended(ID, { revision: 11, event: MAILED });
    expect(await answer()).toEqual([2, 'sent', 11]);
  });

  test('is unchanged if another command has changed the booking meanwhile', async () => {
    const { notifier, answer } = asked({ ...SENT, version: 3 });
    notifier.ended(ID, { revision: 3, event: MAILED });
    expect(await answer()).toEqual([2, 'unsent', 1]);
  });

  test('is unchanged, without a read, if no attempt ends in time', async () => {
    const { clock, answer, reads } = asked();
    clock.advance(WAIT_MS);
    expect([await answer(), reads]).toEqual([[2, 'unsent', 1], []]);
  });
});
