import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ACTOR_LIMITS } from '../../../src/actors/limits.ts';
import { type ActorSystem, createActorSystem } from '../../../src/actors/system.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { createMailWatch, type MailWatch } from '../../../src/application/mail-watch.ts';
import { openStreams, type Streams } from '../../../src/application/streams.ts';
import type { Begun } from '../../../src/application/under-lease.ts';
import type { BookingCommand } from '../../../src/domain/booking/booking.ts';
import { guestId } from '../../../src/domain/guest/guest.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { EventStore, StoredEvent } from '../../../src/ports/event-store.ts';
import type { MailOutcome } from '../../../src/ports/mailer.ts';
import type { Letter } from '../../../src/roles/letters.ts';
import { runVoucherMails } from '../../../src/roles/voucher-mails.ts';
import { createSigningKey } from '../../../src/vouchers/signing-key.ts';
import { type MovedClock, movedClock } from '../../support/clock.ts';
import { A_VOUCHER, anActivity, bookingFacts, bookingId, claimId, fingerprint } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const BOOKING = bookingId('bk_7gk2m0q9xw4t1zc8rb5n');
const somewhere = () => 'https://waymark.example';
const ACCEPTED: MailOutcome = { kind: 'accepted', providerId: null };

let directory: ReturnType<typeof temporaryDirectory>;
let store: EventStore;
let system: ActorSystem;
let streams: Streams;
let clock: MovedClock;
let mails: Begun;
let watch: MailWatch;
let letters: { readonly letter: Letter; readonly answer: (outcome: MailOutcome) => void }[];
let sent: () => void;

beforeEach(() => {
  directory = temporaryDirectory();
  store = openEventStore(directory.file('events.db'));
  clock = movedClock();
  system = createActorSystem({ clock, log: collectedLog(), limits: ACTOR_LIMITS });
  streams = openStreams({ store, ids: seededIds(), system });
  letters = [];
  watch = createMailWatch();
  sent = () => {};
});
afterEach(async () => {
  await mails.stop();
  await system.drain();
  await store.close();
  directory.remove();
});

type Change = { readonly streams?: Streams; readonly publicUrl?: () => string; readonly domain?: string };

async function start({ streams: given = streams, publicUrl = somewhere, domain = 'waymark.example' }: Change = {}) {
  const entry = { activity: anActivity(), revision: 0, listed: true, updatedAt: '2026-11-01T00:00:00.000Z' };
  mails = await runVoucherMails({
    store,
    streams: given,
    catalogue: { get: () => entry },
    clock,
    ids: seededIds(2),
    log: collectedLog(),
    signingKey: createSigningKey(),
    config: { from: { name: 'Waymark', address: `vouchers@${domain}` }, connections: 2 },
    publicUrl,
    giveUp: () => {},
    watch,
    sender: {
      send: (letter) =>
        new Promise((answer) => {
          letters.push({ letter, answer });
          sent();
        }),
      async close() {
        for (const { answer } of letters) answer({ kind: 'failed', reason: 'closed', permanent: false });
      },
    },
  });
}

async function book(): Promise<void> {
  const deadlineMs = clock.nowMs() + 60_000;
  const guest = { name: 'Ada Lovelace', email: 'ada@example.com', specialRequests: null };
  const recordGuest = { type: 'RecordGuest', booking: BOOKING, fingerprint: fingerprint('GUEST1'), guest } as const;
  await streams.guests.handle(guestId(claimId('claim_1')), recordGuest, SOME_CAUSE, deadlineMs);
  const command = { type: 'Book', facts: bookingFacts(), voucher: A_VOUCHER } as const;
  expect(await streams.bookings.handle(BOOKING, command, SOME_CAUSE, deadlineMs)).toMatchObject({ kind: 'accepted' });
}

/** The letter of that number, once it was given to the sender. */
async function letterNumber(count: number): Promise<(typeof letters)[number]> {
  await new Promise<void>((resolve) => {
    sent = () => letters.length >= count && resolve();
    sent();
  });
  const last = letters[count - 1];
  if (last === undefined) throw new Error('no letter');
  return last;
}

/** Moves the time on by a second in each turn of the event loop, until something has come of it. */
async function passTime(come: () => boolean): Promise<void> {
  while (!come()) {
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function mailEvents(count: number): Promise<readonly Pick<StoredEvent, 'type' | 'data'>[]> {
  const events: StoredEvent[] = [];
  for await (const batch of store.subscribe({ after: START, signal: new AbortController().signal })) {
    events.push(...batch.events.filter(({ type }) => type.startsWith('VoucherMail')));
    if (events.length >= count) break;
  }
  return events.map(({ type, data }) => ({ type, data }));
}

describe('the mail of a voucher', () => {
  test('says where the voucher is, and holds what the gate reads', async () => {
    await start();
    await book();
    const { letter, answer } = await letterNumber(1);
    expect(letter).toMatchObject({
      messageId: `<${BOOKING}.1@waymark.example>`,
      from: { name: 'Waymark', address: 'vouchers@waymark.example' },
      to: { name: 'Ada Lovelace', address: 'ada@example.com' },
      subject: 'Your voucher: Siam Ocean World, 24 Dec 2026',
      language: 'en',
      dateMs: clock.nowMs(),
      qr: {
        contentId: `qr.${BOOKING}.1@waymark.example`,
        fileName: 'voucher-qr.png',
        token: expect.stringContaining(A_VOUCHER.code),
      },
    });
    expect(letter.text).toContain(`https://waymark.example/api/vouchers/${A_VOUCHER.code}`);
    answer(ACCEPTED);
    expect(await mailEvents(1)).toMatchObject([{ type: 'VoucherMailed.v1' }]);
  });

  test('that was accepted while the store could not be told is told later, and not sent again', async () => {
    let away = true;
    let refusals = 0;
    const refused = Promise.withResolvers<undefined>();
    const told: BookingCommand[] = [];
    const bookings: Streams['bookings'] = {
      ...streams.bookings,
      async handle(id, command, ...rest) {
        if (command.type !== 'RecordVoucherMailed') return streams.bookings.handle(id, command, ...rest);
        told.push(command);
        if (!away) return streams.bookings.handle(id, command, ...rest);
        refusals += 1;
        refused.resolve(undefined);
        return { kind: 'unavailable', reason: 'stopping' };
      },
    };
    await start({ streams: { ...streams, bookings } });
    await book();
    (await letterNumber(1)).answer(ACCEPTED);
    await refused.promise;
    away = false;
    await passTime(() => told.length > 1);
    expect(await mailEvents(1)).toMatchObject([{ type: 'VoucherMailed.v1' }]);
    expect([letters.length, refusals]).toEqual([1, 1]);
    expect(told[1]).toEqual(told[0] as BookingCommand);
  });

  test('waits until the service knows its own address, which is in the mail', async () => {
    let url = '';
    const asked = Promise.withResolvers<undefined>();
    const publicUrl = (): string => {
      asked.resolve(undefined);
      return url;
    };
    await start({ publicUrl });
    await book();
    await asked.promise;
    expect(letters).toEqual([]);
    url = 'http://127.0.0.1:3000';
    clock.advance(1_000);
    expect((await letterNumber(1)).letter.html).toContain('href="http://127.0.0.1:3000/api/vouchers/');
  });

  test('keeps its Message-ID where the sender has another domain by the next attempt', async () => {
    await start();
    await book();
    (await letterNumber(1)).answer({ kind: 'failed', reason: 'ECONNREFUSED', permanent: false });
    await mailEvents(1);
    await mails.stop();
    letters = [];
    await start({ domain: 'tours.example' });
    clock.advance(10_000);
    expect((await letterNumber(1)).letter.messageId).toBe(`<${BOOKING}.1@waymark.example>`);
  });

  test('ends the wait of who asked for it, when it was accepted and when it was not', async () => {
    await start();
    await book();
    const outcomes = [{ kind: 'failed', reason: 'DATA 451', permanent: false } as const, ACCEPTED];
    for (const [n, outcome] of outcomes.entries()) {
      const { answer } = await letterNumber(n + 1);
      const ended = watch.next(BOOKING, new AbortController().signal);
      answer(outcome);
      await ended;
      await mailEvents(n + 1);
      clock.advance(10_000);
    }
    expect(await mailEvents(2)).toMatchObject([{ type: 'VoucherMailFailed.v1' }, { type: 'VoucherMailed.v1' }]);
  });
});
