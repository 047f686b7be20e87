import { describe, expect, test } from 'bun:test';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { createMailWatch, followMails } from '../../../src/application/mail-watch.ts';
import type { BookingEvent } from '../../../src/domain/booking/booking.ts';
import { bookingCodec } from '../../../src/domain/booking/decider.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import { allotment, bookingId, claimId } from '../../support/examples.ts';
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
