import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { ACTOR_LIMITS } from '../../../src/actors/limits.ts';
import { createActorSystem } from '../../../src/actors/system.ts';
import { createMailNotifier, type MailNotifier } from '../../../src/application/booking/mail-notifier.ts';
import { openStreams, type Streams } from '../../../src/application/streams.ts';
import type { BookingCommand } from '../../../src/domain/booking/commands.ts';
import { guestId, NO_CALLER_DATA } from '../../../src/domain/guest/guest.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import type { MailOutcome } from '../../../src/ports/mailer.ts';
import { runSendBookingMails } from '../../../src/processes/send-booking-mails/run.ts';
import type { Running } from '../../../src/runtime/running.ts';
import { createSigningKey } from '../../../src/vouchers/signing-key.ts';
import {
  A_VOUCHER,
  anActivity,
  bookingFacts,
  bookingId,
  claimId,
  fingerprint,
  ISSUED,
} from '../../support/examples.ts';
import { seededIds } from '../../support/ids.ts';
import { SOME_CAUSE } from '../../support/recorded.ts';
import { type MailScene, openMailScene } from './mail-scene.ts';

const BOOKING = bookingId('bk_7gk2m0q9xw4t1zc8rb5n');
const somewhere = () => 'https://waymark.example';
const ACCEPTED: MailOutcome = { kind: 'accepted', providerId: null };

let scene: MailScene;
let mails: Running;
let notifier: MailNotifier;

beforeEach(() => {
  scene = openMailScene();
  notifier = createMailNotifier();
});
afterEach(async () => {
  await mails.stop();
  await scene[Symbol.asyncDispose]();
});

type Change = { readonly streams?: Streams; readonly publicUrl?: () => string; readonly domain?: string };

async function start({
  streams: given = scene.streams,
  publicUrl = somewhere,
  domain = 'waymark.example',
}: Change = {}) {
  const venue = { ...anActivity().venue, contact: { email: 'desk@venue.example', language: 'en' } as const };
  const entry = { activity: anActivity({ venue }), revision: 0, listed: true, updatedAt: '2026-11-01T00:00:00.000Z' };
  mails = await runSendBookingMails({
    ...scene,
    streams: given,
    catalogue: { get: () => entry },
    ids: seededIds(2),
    signingKey: createSigningKey(),
    support: null,
    config: { from: { name: 'Waymark', address: `vouchers@${domain}` }, connections: 2 },
    publicUrl,
    onFatal: () => {},
    notifier,
  });
}

async function book(
  command: BookingCommand = { type: 'ConfirmWithoutVenue', facts: bookingFacts(), ...ISSUED },
): Promise<void> {
  const deadlineMs = scene.clock.nowMs() + 60_000;
  const guest = { ...NO_CALLER_DATA, name: 'Ada Lovelace', email: 'ada@example.com', specialRequests: null };
  const recordGuest = { type: 'RecordGuest', bookingId: BOOKING, fingerprint: fingerprint('GUEST1'), guest } as const;
  await scene.streams.guests.handle(guestId(claimId('claim_1')), recordGuest, SOME_CAUSE, deadlineMs);
  expect(await scene.streams.bookings.handle(BOOKING, command, SOME_CAUSE, deadlineMs)).toMatchObject({
    kind: 'accepted',
  });
}

/** Advances the clock by a second per turn of the event loop, until the condition holds. */
async function passTime(come: () => boolean): Promise<void> {
  while (!come()) {
    scene.clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the mail of a voucher', () => {
  test('contains the voucher’s URL and the token for the gate', async () => {
    await start();
    await book();
    const { mail, answer } = await scene.mailNumber(1);
    expect(mail).toMatchObject({
      messageId: `<${BOOKING}.1@waymark.example>`,
      from: { name: 'Waymark', address: 'vouchers@waymark.example' },
      to: { name: 'Ada Lovelace', address: 'ada@example.com' },
      subject: 'Your voucher: Siam Ocean World, 24 Dec 2026',
      language: 'en',
      dateMs: scene.clock.nowMs(),
      qr: {
        contentId: `qr.${BOOKING}.1@waymark.example`,
        fileName: 'voucher-qr.png',
        text: expect.stringMatching(new RegExp(`/api/vouchers/${A_VOUCHER.code}#WM2\\.`)),
      },
    });
    expect(mail.text).toContain(`https://waymark.example/api/vouchers/${A_VOUCHER.code}`);
    answer(ACCEPTED);
    expect(await scene.mailEvents(1)).toMatchObject([{ type: 'VoucherMailed.v3' }]);
  });

  test('that was accepted while the store was unavailable is recorded later, and not sent again', async () => {
    let away = true;
    let refusals = 0;
    const refused = Promise.withResolvers<undefined>();
    const handled: BookingCommand[] = [];
    const bookings: Streams['bookings'] = {
      ...scene.streams.bookings,
      async handle(id, command, ...rest) {
        if (command.type !== 'RecordVoucherMailed') return scene.streams.bookings.handle(id, command, ...rest);
        handled.push(command);
        if (!away) return scene.streams.bookings.handle(id, command, ...rest);
        refusals += 1;
        refused.resolve(undefined);
        return { kind: 'unavailable', reason: 'stopping', cause: { call: 'ask' } };
      },
    };
    await start({ streams: { ...scene.streams, bookings } });
    await book();
    (await scene.mailNumber(1)).answer(ACCEPTED);
    await refused.promise;
    away = false;
    await passTime(() => handled.length > 1);
    expect(await scene.mailEvents(1)).toMatchObject([{ type: 'VoucherMailed.v3' }]);
    expect([scene.outbox.length, refusals]).toEqual([1, 1]);
    expect(handled[1]).toEqual(handled[0] as BookingCommand);
  });

  test('is sent and recorded without a read of the booking, whose events the process manager has', async () => {
    const reads: string[] = [];
    const read: typeof scene.store.read = (stream, ...range) => {
      reads.push(stream);
      return scene.store.read(stream, ...range);
    };
    const system = createActorSystem({ clock: scene.clock, log: scene.log, limits: ACTOR_LIMITS });
    // The streams of another node: no actor has the booking in memory.
    const streams = openStreams({ store: { ...scene.store, exclusive: false, read }, ids: seededIds(3), system });
    await start({ streams });
    await book();
    (await scene.mailNumber(1)).answer(ACCEPTED);
    expect(await scene.mailEvents(1)).toMatchObject([{ type: 'VoucherMailed.v3' }]);
    expect(reads).toEqual([`guest-${guestId(claimId('claim_1'))}`]);
    await system.drain();
  });

  test('is recorded once for the present voucher if the booking changes during the attempt', async () => {
    await start();
    await book();
    const first = await scene.mailNumber(1);
    const erase = { type: 'EraseGuest', by: 'operator', at: SOME_CAUSE.at } as const;
    const erased = await scene.streams.bookings.handle(BOOKING, erase, SOME_CAUSE, scene.clock.nowMs() + 60_000);
    expect(erased).toMatchObject({ kind: 'accepted', revision: 3 });
    first.answer(ACCEPTED);
    expect(await scene.mailEvents(1)).toMatchObject([{ type: 'VoucherMailed.v3' }]);
    expect(await scene.streams.bookings.read(BOOKING, scene.clock.nowMs() + 60_000)).toMatchObject({
      revision: 4,
      state: { guestErased: true, mail: { status: 'sent' } },
    });
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
    expect(scene.outbox).toEqual([]);
    url = 'http://127.0.0.1:3000';
    scene.clock.advance(1_000);
    expect((await scene.mailNumber(1)).mail.html).toContain('href="http://127.0.0.1:3000/api/vouchers/');
  });

  test('keeps its Message-ID if the sender’s domain changes before the next attempt', async () => {
    await start();
    await book();
    (await scene.mailNumber(1)).answer({ kind: 'failed', reason: 'ECONNREFUSED', permanent: false });
    await scene.mailEvents(1);
    await mails.stop();
    scene.outbox.length = 0;
    await start({ domain: 'tours.example' });
    scene.clock.advance(10_000);
    expect((await scene.mailNumber(1)).mail.messageId).toBe(`<${BOOKING}.1@waymark.example>`);
  });

  test('notifies waiting requests, whether it was accepted or not', async () => {
    await start();
    await book();
    const outcomes = [{ kind: 'failed', reason: 'DATA 451', permanent: false } as const, ACCEPTED];
    for (const [n, outcome] of outcomes.entries()) {
      const { answer } = await scene.mailNumber(n + 1);
      const ended = notifier.next(BOOKING, n + 2, new AbortController().signal);
      answer(outcome);
      const type = outcome === ACCEPTED ? 'VoucherMailed' : 'VoucherMailFailed';
      expect(await ended).toMatchObject({ revision: n + 3, event: { type } });
      await scene.mailEvents(n + 1);
      scene.clock.advance(10_000);
    }
    expect(await scene.mailEvents(2)).toMatchObject([{ type: 'VoucherMailFailed.v1' }, { type: 'VoucherMailed.v3' }]);
  });
});

test('a notice that was not tried within 24 hours is no news to the guest, but the venue is asked until its deadline', async () => {
  const askedMs = Date.parse(SOME_CAUSE.at);
  await book({ type: 'PlaceOnRequest', facts: bookingFacts(), answerByMs: askedMs + 48 * HOUR_MS });
  scene.clock.set(askedMs + 24 * HOUR_MS + 1);
  await start();
  const { mail, answer } = await scene.mailNumber(1);
  expect(mail.to.address).toBe('desk@venue.example');
  answer(ACCEPTED);
  expect(await scene.mailEvents(1)).toMatchObject([{ type: 'NoticeMailed.v1', data: { kind: 'venue_request' } }]);
  expect(scene.outbox).toHaveLength(1);
});
