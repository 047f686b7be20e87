import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { LANGUAGES } from '../../../src/domain/activity/vocabulary.ts';
import { HOUR_MS, SECOND_MS } from '../../../src/eventsourcing/durations.ts';
import { modify } from '../../support/modifications.ts';
import type { Service } from '../../support/service.ts';
import type { Booking } from '../../support/service-answers.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';
import { CONTACT, KITCHEN, openAsking } from '../../support/venue-requests.ts';

let peer: SmtpPeer;
let service: Service;
beforeEach(async () => {
  peer = await SmtpPeer.listen();
});
afterEach(async () => {
  peer.speak();
  await service?.stop();
  await peer.close();
});

function cancel({ booking_id: id }: Pick<Booking, 'booking_id'>) {
  return service.post(`/api/b2a/bookings/${id}/cancel`, { reason: 'user_requested' }, service.key);
}

function answer({ booking_id: id }: Pick<Booking, 'booking_id'>, verb: 'confirm' | 'reject') {
  return service.post(`/api/bookings/${id}/${verb}`, {}, service.admin);
}

/** The subjects of the guest's mails, once `count` mails arrived in all. */
async function subjects(count: number): Promise<readonly string[]> {
  const arrived = await peer.arrivals(count);
  return arrived.filter(({ to }) => to !== CONTACT).map(({ mail }) => mail.subject ?? '');
}

async function textOf(count: number): Promise<string> {
  return ((await peer.arrivals(count)).at(-1)?.mail.text ?? '').replaceAll('\u00a0', ' ');
}

async function typesOf({ booking_id: id }: Pick<Booking, 'booking_id'>): Promise<readonly string[]> {
  const events = (await service.events()).filter(({ stream }) => stream === `booking-${id}`);
  return events.map(({ type }) => type).filter((type) => type.startsWith('Notice'));
}

/** Resolves once a booking has that many events of notices. */
async function noticed(booking: Pick<Booking, 'booking_id'>, count: number): Promise<readonly string[]> {
  for (;;) {
    const types = await typesOf(booking);
    if (types.length >= count) return types;
    await new Promise(setImmediate);
  }
}

describe('the guest of a booking on request', () => {
  test('learns what was asked, until when the venue answers, and that nothing is charged', async () => {
    service = await openAsking(peer, null);
    const { data } = await service.book(KITCHEN);
    const text = await textOf(1);
    expect(await subjects(1)).toEqual(['Your booking request: Village Kitchen (en), 22 Nov 2026']);
    for (const said of [
      'Hello Ada Lovelace,',
      'It is not confirmed yet',
      'IDR 900,000.00',
      '2 adults',
      data.booking_id,
    ])
      expect(text).toContain(said);
    expect(text).toContain('The venue answers by: 22 November 2026');
    expect(text).toContain('Nothing is charged until the venue confirms.');
    expect(await noticed(data, 1)).toEqual(['NoticeMailed.v1']);
  });

  test('gets the voucher once the venue confirms', async () => {
    service = await openAsking(peer, null);
    const { data } = await service.book(KITCHEN);
    await subjects(1);
    await answer(data, 'confirm');
    expect((await subjects(2)).at(-1)).toBe('Your voucher: Village Kitchen (en), 22 Nov 2026');
  });

  test('learns of a rejection', async () => {
    service = await openAsking(peer, null);
    const { data } = await service.book(KITCHEN);
    await subjects(1);
    await answer(data, 'reject');
    expect((await subjects(2)).at(-1)).toBe('Not confirmed: Village Kitchen (en), 22 Nov 2026');
    expect(await textOf(2)).toContain('Nothing was charged.');
  });

  test('learns of a change, and of nothing older that was not sent yet', async () => {
    service = await openAsking(peer, null);
    peer.mailReplies.push(451);
    const { data } = await service.book(KITCHEN);
    expect(await noticed(data, 1)).toEqual(['NoticeMailFailed.v1']);
    await modify(service, data, { num_adults: 1 });
    expect(await subjects(1)).toEqual(['Your changed booking request: Village Kitchen (en), 22 Nov 2026']);
    expect(await textOf(1)).toContain('1 adult');
    service.clock.set(service.clock.nowMs() + 30 * SECOND_MS);
    await cancel(data);
    expect((await subjects(2)).at(-1)).toBe('Cancelled: Village Kitchen (en), 22 Nov 2026');
    expect(await textOf(2)).toContain('Nothing was charged.');
  });
});

describe('the guest of a confirmed booking', () => {
  test('is asked to use the new QR code of a changed booking', async () => {
    service = await openAsking(peer);
    const { data } = await service.book();
    await modify(service, data, { num_adults: 1 });
    expect(await subjects(2)).toEqual([
      'Your voucher: River Walk (en), 22 Nov 2026',
      'Your changed voucher: River Walk (en), 22 Nov 2026',
    ]);
    expect(await textOf(2)).toContain('Please use its QR code, not the old one');
  });

  test.each(LANGUAGES)('learns of the cancellation with its refund: %s', async (language) => {
    service = await openAsking(peer);
    const { data } = await service.book({}, { 'accept-language': language });
    await cancel(data);
    const [, cancelled] = await peer.arrivals(2);
    expect(cancelled?.mail.subject).toContain(`River Walk (${language})`);
    expect(cancelled?.raw).toContain(`Content-Language: ${language}`);
    expect(cancelled?.mail.text).toContain('241');
    expect(`${cancelled?.mail.text}${cancelled?.mail.html}`).not.toContain('undefined');
  });

  test('is not mailed again after a restart, and a failed notice is, with the same Message-ID', async () => {
    service = await openAsking(peer);
    const { data } = await service.book();
    peer.mailReplies.push(451);
    await cancel(data);
    expect(await noticed(data, 1)).toEqual(['NoticeMailFailed.v1']);
    await service.restart();
    service.clock.set(service.clock.nowMs() + 11 * SECOND_MS);
    const [, mailed] = await peer.arrivals(2);
    expect(mailed?.mail.messageId).toBe(`<${data.booking_id}.cancelled.2@waymark.localhost>`);
    expect(await noticed(data, 2)).toEqual(['NoticeMailFailed.v1', 'NoticeMailed.v1']);
    await service.restart();
    service.clock.set(service.clock.nowMs() + HOUR_MS);
    await service.book();
    expect(await subjects(3)).toHaveLength(3);
  });
});

test('a mail contains no text of the caller but the name, and no subject has that', async () => {
  service = await openAsking(peer);
  const name = `${'A'.repeat(80)} https://evil.example`;
  const { data } = await service.book({ ...KITCHEN, user_name: name, special_requests: 'Visit evil.example now' });
  const arrived = await peer.arrivals(2);
  for (const { mail } of arrived) {
    expect(mail.subject).not.toContain('AAA');
    expect(`${mail.text}${mail.html}`).not.toContain('evil.example');
    expect(`${mail.text}${mail.html}`).not.toContain('A'.repeat(61));
  }
  expect(arrived.map(({ to }) => to).toSorted()).toEqual(['ada@example.com', CONTACT]);
  expect(data.status).toBe('pending');
});

test('beyond the bounds a notice is recorded as not sent, and the first voucher still is', async () => {
  service = await openAsking(peer, null);
  const { data } = await service.book(KITCHEN);
  await noticed(data, 1);
  for (const [n, adults] of [1, 2, 1, 2].entries()) {
    await modify(service, data, { num_adults: adults });
    await noticed(data, n + 2);
  }
  expect((await noticed(data, 5)).at(-1)).toBe('NoticeMailFailed.v1');
  const { data: history } = await service.get<{ history: readonly { event: string; text: string }[] }>(
    `/api/b2a/bookings/${data.booking_id}?include=history`,
    service.key,
  );
  expect(history.history.at(-1)).toMatchObject({
    event: 'notice_mail_failed',
    text: 'The notice that the venue was asked was not mailed to the guest: the limit of mails was reached.',
  });
  await answer(data, 'confirm');
  expect((await subjects(5)).at(-1)).toStartWith('Your voucher: ');
});

test('an erased guest is not mailed', async () => {
  service = await openAsking(peer);
  const { data } = await service.book();
  peer.mailReplies.push(451);
  await cancel(data);
  await noticed(data, 1);
  await service.post(`/api/bookings/${data.booking_id}/erase`, {}, service.admin);
  service.clock.set(service.clock.nowMs() + HOUR_MS);
  await service.book();
  expect(await subjects(2)).toHaveLength(2);
  expect(await typesOf(data)).toEqual(['NoticeMailFailed.v1']);
});
