import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ACTOR_LIMITS } from '../../../src/actors/limits.ts';
import { type ActorSystem, createActorSystem } from '../../../src/actors/system.ts';
import { openEventStore } from '../../../src/adapters/sqlite/event-store.ts';
import { createMailNotifier, type MailNotifier } from '../../../src/application/booking/mail-notifier.ts';

import { openStreams, type Streams } from '../../../src/application/streams.ts';
import type { BookingCommand } from '../../../src/domain/booking/commands.ts';
import { guestId } from '../../../src/domain/guest/guest.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { DecodedEventStore, StoredEvent } from '../../../src/ports/event-store.ts';
import type { MailOutcome } from '../../../src/ports/mailer.ts';
import { runSendVoucherMails } from '../../../src/processes/send-voucher-mails/run.ts';
import type { Running } from '../../../src/runtime/running.ts';

import type { OutgoingMail } from '../../../src/vouchers/outgoing-mail.ts';
import { createSigningKey } from '../../../src/vouchers/signing-key.ts';
import { type MovedClock, movedClock } from '../../support/clock.ts';
import { decoded } from '../../support/decoded.ts';
import { A_VOUCHER, anActivity, bookingFacts, bookingId, claimId, fingerprint } from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { collectedLog } from '../../support/log.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const BOOKING = bookingId('bk_7gk2m0q9xw4t1zc8rb5n');
const somewhere = () => 'https://waymark.example';
const ACCEPTED: MailOutcome = { kind: 'accepted', providerId: null };

let directory: ReturnType<typeof temporaryDirectory>;
let store: DecodedEventStore;
let system: ActorSystem;
let streams: Streams;
let clock: MovedClock;
let mails: Running;
let notifier: MailNotifier;
let outbox: { readonly mail: OutgoingMail; readonly answer: (outcome: MailOutcome) => void }[];
let sent: () => void;

beforeEach(() => {
  directory = temporaryDirectory();
  store = decoded(openEventStore(directory.file('events.db')));
  clock = movedClock();
  system = createActorSystem({ clock, log: collectedLog(), limits: ACTOR_LIMITS });
  streams = openStreams({ store, ids: seededIds(), system });
  outbox = [];
  notifier = createMailNotifier();
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
  mails = await runSendVoucherMails({
    store,
    streams: given,
    catalogue: { get: () => entry },
    clock,
    ids: seededIds(2),
    log: collectedLog(),
    signingKey: createSigningKey(),
    config: { from: { name: 'Waymark', address: `vouchers@${domain}` }, connections: 2 },
    publicUrl,
    abandon: () => {},
    notifier,
    sender: {
      send: (mail) =>
        new Promise((answer) => {
          outbox.push({ mail, answer });
          sent();
        }),
      async close() {
        for (const { answer } of outbox) answer({ kind: 'failed', reason: 'closed', permanent: false });
      },
    },
  });
}

async function book(): Promise<void> {
  const deadlineMs = clock.nowMs() + 60_000;
  const guest = { name: 'Ada Lovelace', email: 'ada@example.com', specialRequests: null };
  const recordGuest = { type: 'RecordGuest', booking: BOOKING, fingerprint: fingerprint('GUEST1'), guest } as const;
  await streams.guests.handle(guestId(claimId('claim_1')), recordGuest, SOME_CAUSE, deadlineMs);
  const command = { type: 'ConfirmInstantly', facts: bookingFacts(), voucher: A_VOUCHER } as const;
  expect(await streams.bookings.handle(BOOKING, command, SOME_CAUSE, deadlineMs)).toMatchObject({ kind: 'accepted' });
}

/** The n-th mail, once it was given to the sender. */
async function mailNumber(count: number): Promise<(typeof outbox)[number]> {
  await new Promise<void>((resolve) => {
    sent = () => outbox.length >= count && resolve();
    sent();
  });
  const last = outbox[count - 1];
  if (last === undefined) throw new Error('no mail');
  return last;
}

/** Advances the clock by a second per turn of the event loop, until the condition holds. */
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
  test('contains the voucher’s URL and the token for the gate', async () => {
    await start();
    await book();
    const { mail, answer } = await mailNumber(1);
    expect(mail).toMatchObject({
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
    expect(mail.text).toContain(`https://waymark.example/api/vouchers/${A_VOUCHER.code}`);
    answer(ACCEPTED);
    expect(await mailEvents(1)).toMatchObject([{ type: 'VoucherMailed.v1' }]);
  });

  test('that was accepted while the store was unavailable is recorded later, and not sent again', async () => {
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
        return { kind: 'unavailable', reason: 'stopping', cause: { call: 'ask' } };
      },
    };
    await start({ streams: { ...streams, bookings } });
    await book();
    (await mailNumber(1)).answer(ACCEPTED);
    await refused.promise;
    away = false;
    await passTime(() => told.length > 1);
    expect(await mailEvents(1)).toMatchObject([{ type: 'VoucherMailed.v1' }]);
    expect([outbox.length, refusals]).toEqual([1, 1]);
    expect(told[1]).toEqual(told[0] as BookingCommand);
  });

  test('waits until the public URL is known, which is in the mail', async () => {
    let url = '';
    const asked = Promise.withResolvers<undefined>();
    const publicUrl = (): string => {
      asked.resolve(undefined);
      return url;
    };
    await start({ publicUrl });
    await book();
    await asked.promise;
    expect(outbox).toEqual([]);
    url = 'http://127.0.0.1:3000';
    clock.advance(1_000);
    expect((await mailNumber(1)).mail.html).toContain('href="http://127.0.0.1:3000/api/vouchers/');
  });

  test('keeps its Message-ID if the sender’s domain changes before the next attempt', async () => {
    await start();
    await book();
    (await mailNumber(1)).answer({ kind: 'failed', reason: 'ECONNREFUSED', permanent: false });
    await mailEvents(1);
    await mails.stop();
    outbox = [];
    await start({ domain: 'tours.example' });
    clock.advance(10_000);
    expect((await mailNumber(1)).mail.messageId).toBe(`<${BOOKING}.1@waymark.example>`);
  });

  test('notifies waiting requests, whether it was accepted or not', async () => {
    await start();
    await book();
    const outcomes = [{ kind: 'failed', reason: 'DATA 451', permanent: false } as const, ACCEPTED];
    for (const [n, outcome] of outcomes.entries()) {
      const { answer } = await mailNumber(n + 1);
      const ended = notifier.next(BOOKING, new AbortController().signal);
      answer(outcome);
      await ended;
      await mailEvents(n + 1);
      clock.advance(10_000);
    }
    expect(await mailEvents(2)).toMatchObject([{ type: 'VoucherMailFailed.v1' }, { type: 'VoucherMailed.v1' }]);
  });
});
