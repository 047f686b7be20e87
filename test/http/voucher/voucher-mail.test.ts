import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { LANGUAGES } from '../../../src/domain/activity/vocabulary.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/eventsourcing/durations.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import type { StoredEvent } from '../../../src/ports/event-store.ts';
import { readToken } from '../../../src/vouchers/token.ts';
import { mailsIn } from '../../support/mails.ts';
import { scanPng, tokenIn } from '../../support/scan.ts';
import { NOW, openService, type Service } from '../../support/service.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';

let peer: SmtpPeer;
let service: Service;
beforeEach(async () => {
  peer = await SmtpPeer.listen();
});
afterEach(async () => {
  peer.speak();
  await service.stop();
  await peer.close();
});

/** A service that mails through the test mail server. */
async function open(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  service = await openService({ mails: 'sent', settings: { SMTP_URL: peer.url, ...settings } });
}

/** Resolves with the events of a type once there are that many. */
async function recorded(type: string, count: number): Promise<readonly StoredEvent[]> {
  const events: StoredEvent[] = [];
  const over = new AbortController();
  for await (const batch of service.node.stores.store.subscribe({ after: START, signal: over.signal })) {
    events.push(...batch.events.filter((event) => event.type === type));
    if (events.length >= count) break;
  }
  return events;
}

async function publishedKeys(): Promise<ReadonlyMap<string, KeyObject>> {
  const answer = await service.send('/.well-known/waymark-voucher-keys.json');
  const { keys } = (await answer.json()) as { readonly keys: readonly { readonly kid: string; readonly x: string }[] };
  const ring = keys.map(({ kid, x }) => {
    const publicKey = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    return [kid, publicKey] as const;
  });
  return new Map(ring);
}

/** The token in a mail's QR image, as a phone reads it. */
function scanned({ attachments: [picture] }: Email): string {
  return picture === undefined || typeof picture.content === 'string' ? '' : tokenIn(scanPng(picture.content));
}

describe('a booking', () => {
  test('is returned once its mail is accepted, with that status', async () => {
    await open();
    const { data } = await service.book();
    expect(data).toMatchObject({ email_sent: true, email_sent_at: new Date(NOW).toISOString() });
    expect(peer.arrived.map(({ to, encrypted }) => [to, encrypted])).toEqual([['ada@example.com', true]]);
    const { data: later } = await service.booking(data.booking_id);
    expect(later).toEqual(data);
    const [mailed] = await recorded('VoucherMailed.v3', 1);
    const messageId = `<${data.booking_id}.1@waymark.localhost>`;
    expect(mailed?.data).toMatchObject({ messageId, providerId: '00000001', at: new Date(NOW).toISOString() });
    expect(mailed?.cause.by).toBe('voucher-mailer');
  });

  test('mails a QR code with a valid token', async () => {
    await open();
    const { data } = await service.book({ num_children: 1 });
    const [arrived] = await peer.arrivals(1);
    const token = arrived === undefined ? '' : scanned(arrived.mail);
    expect(readToken(token, await publishedKeys())).toMatchObject({
      kind: 'token',
      facts: { code: data.voucher.code, venueId: 'old-pier', numAdults: 2, numChildren: 1 },
    });
    const [picture] = arrived?.mail.attachments ?? [];
    expect(picture).toMatchObject({ mimeType: 'image/png', filename: 'voucher-qr.png', related: true });
    expect(arrived?.mail.html).toContain(`src="cid:${picture?.contentId?.replace(/^<|>$/g, '')}"`);
    service.clock.set(Date.parse('2026-11-22T03:00:00Z'));
    expect((await service.verify({ code: token })).data).toMatchObject({ booking_id: data.booking_id });
  });

  test('is mailed to the guest, with activity, price and address', async () => {
    await open();
    const { data } = await service.book();
    const [{ mail } = { mail: {} as Email }] = await peer.arrivals(1);
    expect(mail).toMatchObject({
      subject: 'Your voucher: River Walk (en), 22 Nov 2026',
      from: { name: 'Waymark', address: 'vouchers@waymark.localhost' },
      to: [{ name: 'Ada Lovelace', address: 'ada@example.com' }],
    });
    for (const text of ['Old Pier', 'THB 241.00', '2 adults', data.voucher.code, data.booking_id]) {
      expect(mail.text?.replaceAll('\u00a0', ' ')).toContain(text);
    }
    expect(mail.text).toContain(data.voucher.qr_url.replace(/\/qr\.png$/, '\n').trim());
  });

  test.each(LANGUAGES)('is mailed in its language: %s', async (language) => {
    await open();
    await service.book({}, { 'accept-language': language });
    const [arrived] = await peer.arrivals(1);
    expect(arrived?.mail.subject).toContain(`River Walk (${language})`);
    expect(arrived?.raw).toContain(`Content-Language: ${language}`);
  });

  test('for a guest whose name looks like a header is mailed to the guest only', async () => {
    await open();
    const name = '"Eve" <eve@example.com>, Bcc: eve@example.com שלום';
    expect((await service.book({ user_name: name })).data.email_sent).toBe(true);
    const [arrived] = await peer.arrivals(1);
    expect(arrived?.to).toBe('ada@example.com');
    const shown = '"Eve" <eve@example. com>, Bcc: eve@example. com שלום';
    expect(arrived?.mail.to).toMatchObject([{ name: shown, address: 'ada@example.com' }]);
    expect(arrived?.mail.bcc).toBeUndefined();
  });

  test('sends no mail and does not wait for a replay or a read', async () => {
    await open();
    const key = { 'idempotency-key': 'once' };
    const { data } = await service.book({}, key);
    const again = await service.book({}, key);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(again.data).toEqual(data);
    peer.mailReplies.push('silence');
    await service.book({ dry_run: true });
    expect(peer.arrived).toHaveLength(1);
    expect(peer.mailReplies).toHaveLength(1);
  });

  test('with a wait of 0 is returned at once, and still mailed', async () => {
    await open({ MAIL_WAIT_MS: '0' });
    peer.mailReplies.push('silence');
    expect((await service.book()).data).toMatchObject({ email_sent: false, email_sent_at: null });
    await peer.silences(1);
    expect((await service.book()).data.email_sent).toBe(false);
    expect((await peer.arrivals(1)).map(({ to }) => to)).toEqual(['ada@example.com']);
  });
});

describe('a mail server that', () => {
  test('does not respond delays the answer by MAIL_WAIT_MS, to the millisecond', async () => {
    await open({ MAIL_WAIT_MS: '5000' });
    peer.mailReplies.push('silence');
    let answered = false;
    const answer = service.book().then((booked) => {
      answered = true;
      return booked;
    });
    await peer.silences(1);
    service.clock.advance(4_999);
    await service.get('/livez');
    expect(answered).toBe(false);
    service.clock.advance(1);
    const { data } = await answer;
    expect(data.email_sent).toBe(false);
    peer.speak();
    await recorded('VoucherMailed.v3', 1);
    expect((await service.booking(data.booking_id)).data.email_sent).toBe(true);
  });

  test('never delays the answer past the response deadline', async () => {
    await open({ MAIL_WAIT_MS: '30000', RESPONSE_DEADLINE_MS: '2000' });
    peer.mailReplies.push('silence');
    const answer = service.book();
    await peer.silences(1);
    service.clock.advance(2_000);
    expect((await answer).data.email_sent).toBe(false);
  });

  test.each([
    ['defers the recipient', 450, 'recipientReplies', 'RCPT TO 450'],
    ['defers the mail', 451, 'mailReplies', 'DATA 451'],
  ] as const)('%s is asked again after ten seconds, with the same Message-ID', async (_, code, replies, reason) => {
    await open();
    peer[replies].push(code);
    const { data } = await service.book();
    expect(data.email_sent).toBe(false);
    const [failed] = await recorded('VoucherMailFailed.v1', 1);
    const messageId = `<${data.booking_id}.1@waymark.localhost>`;
    const at = new Date(NOW).toISOString();
    expect(failed?.data).toEqual({ messageId, attempt: 1, reason, retryAtMs: NOW + 10 * SECOND_MS, at });
    service.clock.advance(10 * SECOND_MS);
    const [arrived] = await peer.arrivals(1);
    expect(arrived?.mail.messageId).toBe(messageId);
    await recorded('VoucherMailed.v3', 1);
    expect((await service.booking(data.booking_id)).data.email_sent).toBe(true);
  });

  test('refuses the recipient permanently gets no retry, and the booking stays confirmed', async () => {
    await open();
    peer.recipientReplies.push(550);
    const { data } = await service.book();
    expect(data).toMatchObject({ status: 'confirmed', email_sent: false });
    const [failed] = await recorded('VoucherMailFailed.v1', 1);
    expect(failed?.data).toMatchObject({ reason: 'RCPT TO 550', retryAtMs: null });
    service.clock.advance(48 * HOUR_MS);
    expect((await service.book({ booking_date: '2026-11-25' })).data.email_sent).toBe(true);
    expect(peer.arrived).toHaveLength(1);
  });

  test('disconnects in the middle of a mail gets that mail again', async () => {
    await open();
    peer.mailReplies.push('hang-up');
    const { data } = await service.book();
    expect(data.email_sent).toBe(false);
    await recorded('VoucherMailFailed.v1', 1);
    service.clock.advance(10 * SECOND_MS);
    expect((await peer.arrivals(1)).map(({ mail }) => mail.messageId)).toEqual([
      `<${data.booking_id}.1@waymark.localhost>`,
    ]);
  });

  test('is unavailable for an hour, across a restart, delays no booking, and then gets every mail once', async () => {
    await open();
    const { port } = peer;
    await peer.close();
    const bookings = [];
    for (let n = 0; n < 3; n++) bookings.push((await service.book({ num_adults: 1 })).data);
    expect(bookings.map(({ email_sent: sent }) => sent)).toEqual([false, false, false]);
    // Attempts after 10 s, 30 s, 2 min, 10 min and half an hour, with a restart among them.
    const delays = [10 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS];
    for (const [n, delayMs] of delays.entries()) {
      if (n === 2) await service.restart();
      service.clock.advance(delayMs);
      const failed = await recorded('VoucherMailFailed.v1', 3 * (n + 2));
      expect(failed.slice(-3).map(({ data }) => (data as { attempt: number }).attempt)).toEqual([n + 2, n + 2, n + 2]);
    }
    peer = await SmtpPeer.listen({ port });
    service.clock.advance(30 * MINUTE_MS);
    const mailed = await recorded('VoucherMailed.v3', 3);
    const ids = bookings.map(({ booking_id: id }) => `<${id}.1@waymark.localhost>`).toSorted();
    expect(peer.arrived.map(({ mail }) => mail.messageId ?? '').toSorted()).toEqual(ids);
    expect(mailed.map(({ data }) => (data as { messageId: string }).messageId).toSorted()).toEqual(ids);
    for (const { booking_id: id } of bookings) expect((await service.booking(id)).data.email_sent).toBe(true);
  });

  test('had a mail in flight when the service stopped gets it again with the same Message-ID', async () => {
    await open({ MAIL_WAIT_MS: '0' });
    peer.mailReplies.push('silence');
    const { data } = await service.book();
    await peer.silences(1);
    await service.restart();
    const [arrived] = await peer.arrivals(1);
    expect(arrived?.mail.messageId).toBe(`<${data.booking_id}.1@waymark.localhost>`);
    await recorded('VoucherMailed.v3', 1);
    const types = (await service.events()).map(({ type }) => type);
    expect(types.filter((type) => type.startsWith('VoucherMail'))).toEqual(['VoucherMailed.v3']);
  });

  test('is unavailable until the voucher has expired gets no retry', async () => {
    await open();
    await peer.close();
    const { data } = await service.book();
    service.clock.set(Date.parse(data.voucher.valid_until));
    const failed = await recorded('VoucherMailFailed.v1', 2);
    expect(failed[1]?.data).toMatchObject({ attempt: 2, reason: 'voucher expired', retryAtMs: null });
    peer = await SmtpPeer.listen();
  });
});

describe('a guest', () => {
  test('whose data was erased gets no mail', async () => {
    await open();
    peer.recipientReplies.push(450);
    const { data } = await service.book();
    const [guest] = await recorded('GuestRecorded.v1', 1);
    await service.node.stores.store.erase(guest?.stream ?? '');
    await service.restart();
    service.clock.advance(10 * SECOND_MS);
    const failed = await recorded('VoucherMailFailed.v1', 2);
    expect(failed[1]?.data).toMatchObject({ reason: 'guest erased', retryAtMs: null });
    expect(peer.arrived).toEqual([]);
    expect((await service.booking(data.booking_id)).data.email_sent).toBe(false);
  });

  test('has no name or address in the booking’s events or the log, whatever the server replies', async () => {
    await open();
    peer.recipientReplies.push(450, 550);
    await service.book();
    await recorded('VoucherMailFailed.v1', 1);
    service.clock.advance(10 * SECOND_MS);
    await recorded('VoucherMailFailed.v1', 2);
    const events = (await service.events()).filter(({ stream }) => !stream.startsWith('guest-'));
    expect(JSON.stringify([events, service.logged])).not.toMatch(/ada@example|Lovelace/);
  });
});

describe('without a mail server', () => {
  test.each(['on', 'off'])('mails are files, composed in a worker thread: %s', async (thread) => {
    service = await openService({ mails: 'sent', settings: { MAIL_THREAD: thread } });
    const { data } = await service.book();
    expect(data.email_sent).toBe(true);
    const outbox = join(service.directory, 'outbox');
    const name = `${data.booking_id}.1@waymark.localhost.eml`;
    expect(mailsIn(outbox)).toEqual([name]);
    const mail = await PostalMime.parse(readFileSync(join(outbox, name)));
    expect(mail.to).toMatchObject([{ name: 'Ada Lovelace', address: 'ada@example.com' }]);
    const read = readToken(scanned(mail), await publishedKeys());
    expect(read).toMatchObject({ kind: 'token', facts: { code: data.voucher.code } });
    const [mailed] = await recorded('VoucherMailed.v3', 1);
    expect(mailed?.data).toMatchObject({ providerId: name });
  });
});
