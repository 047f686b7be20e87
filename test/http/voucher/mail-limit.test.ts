import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../src/eventsourcing/durations.ts';
import { START } from '../../../src/eventsourcing/message.ts';
import { mailsIn } from '../../support/mails.ts';
import { NOW, openService, type Service, withKey } from '../../support/service.ts';
import type { Booking } from '../../support/service-answers.ts';

const DATE = '2026-11-25';

let service: Service;
beforeEach(async () => {
  service = await openService({ mails: 'sent' });
});
afterEach(() => service.stop());

function book(change: object = {}): Promise<{ readonly data: Booking }> {
  return service.book({ activity_id: 'sea-tunnel', booking_date: DATE, num_adults: 1, ...change });
}

async function modify(id: string, change: object): Promise<Booking> {
  const { status, data } = await service.post<Booking>(`/api/b2a/bookings/${id}/modify`, change, service.key);
  expect(status).toBe(200);
  return data;
}

/** Changes a booking, a minute later. */
function modifyLater(id: string, change: object): Promise<Booking> {
  service.clock.advance(MINUTE_MS);
  return modify(id, change);
}

/** The mails in the outbox, by Message-ID. */
async function outbox(): Promise<readonly Email[]> {
  const directory = join(service.directory, 'outbox');
  const mails = mailsIn(directory).map((name) => PostalMime.parse(readFileSync(join(directory, name))));
  return Promise.all(mails);
}

async function recipients(): Promise<readonly (string | undefined)[]> {
  return (await outbox()).map(({ to }) => to?.[0]?.address);
}

/** Resolves once the log has `count` events of a type. */
async function recorded(type: string, count: number): Promise<void> {
  let found = 0;
  for await (const { events } of service.node.stores.store.subscribe({
    after: START,
    signal: AbortSignal.timeout(9_000),
  })) {
    found += events.filter((event) => event.type === type).length;
    if (found >= count) return;
  }
}

const LIMITED = { email_sent: false, email_sent_at: null, email_reason: 'MAIL_LIMIT' };

describe('a booking that is changed again and again', () => {
  test('sends 5 mails, and each further change succeeds with email_sent false and MAIL_LIMIT', async () => {
    const { data } = await book();
    const answers: Booking[] = [];
    for (let n = 1; n <= 50; n++)
      answers.push(await modify(data.booking_id, { special_requests: `Buy now, offer ${n}` }));
    expect(answers.map(({ email_sent: sent }) => sent)).toEqual([...Array(4).fill(true), ...Array(46).fill(false)]);
    expect(answers.slice(4).map((answer) => answer.email_reason)).toEqual(Array(46).fill('MAIL_LIMIT'));
    expect(await recipients()).toEqual(Array(5).fill('ada@example.com'));
    expect((await service.booking(data.booking_id)).data).toMatchObject({
      ...LIMITED,
      special_requests: 'Buy now, offer 50',
    });
  });

  test('is mailed again one hour after the first of the last five mails', async () => {
    const { data } = await book();
    for (let n = 1; n <= 4; n++)
      expect(await modifyLater(data.booking_id, { special_requests: `${n}` })).toMatchObject({ email_sent: true });
    service.clock.set(NOW + HOUR_MS - 1);
    expect(await modify(data.booking_id, { special_requests: '5' })).toMatchObject(LIMITED);
    service.clock.set(NOW + HOUR_MS);
    const { email_reason: reason, ...changed } = await modify(data.booking_id, { special_requests: '6' });
    expect([reason, changed.email_sent]).toEqual([undefined, true]);
    expect(await modify(data.booking_id, { special_requests: '7' })).toMatchObject(LIMITED);
  });

  test('is mailed to at most 6 addresses, ever, and still to those', async () => {
    const { data } = await book({ user_email: 'guest-1@example.com' });
    for (let n = 2; n <= 6; n++) {
      service.clock.advance(HOUR_MS);
      expect(await modify(data.booking_id, { user_email: `guest-${n}@example.com` })).toMatchObject({
        email_sent: true,
      });
    }
    service.clock.advance(HOUR_MS);
    expect(await modify(data.booking_id, { user_email: 'guest-7@example.com' })).toMatchObject(LIMITED);
    expect(await modify(data.booking_id, { user_email: 'GUEST-2@EXAMPLE.com' })).toMatchObject({ email_sent: true });
    expect(await recipients()).not.toContain('guest-7@example.com');
  });

  test('four times by a family gets every mail', async () => {
    const { data } = await book({ num_adults: 2 });
    for (const change of [
      { num_children: 1 },
      { special_requests: 'A pram comes along.' },
      { num_children: 2 },
      { booking_date: '2026-11-26' },
    ])
      expect(await modifyLater(data.booking_id, change)).toMatchObject({ email_sent: true });
    expect(await outbox()).toHaveLength(5);
  });

  test('has the bounds of all its mails after a restart', async () => {
    const { data } = await book();
    for (let n = 1; n <= 4; n++) await modify(data.booking_id, { special_requests: `${n}` });
    await service.restart();
    expect(await modify(data.booking_id, { special_requests: '5' })).toMatchObject(LIMITED);
    expect(await outbox()).toHaveLength(5);
  });
});

describe('an address', () => {
  test('gets 20 mails in 24 hours: a changed voucher is not sent, and a first one is sent once the bound eases', async () => {
    const bookings: Booking[] = [];
    for (let n = 0; n < 20; n++) bookings.push((await book()).data);
    expect(bookings.map(({ email_sent: sent }) => sent)).toEqual(Array(20).fill(true));
    const [first] = bookings;
    expect(await modifyLater(first?.booking_id ?? '', { special_requests: 'One more' })).toMatchObject(LIMITED);
    const { data: delayed } = await book();
    expect(delayed).toMatchObject({ status: 'confirmed', ...LIMITED });
    // Waits for the projection.
    await service.documents('bookings');
    const { items } = (await service.get<{ items: readonly Booking[] }>('/api/b2a/bookings?limit=1', service.key)).data;
    expect(items).toMatchObject([{ booking_id: delayed.booking_id, ...LIMITED }]);
    const { data } = await service.get<Booking>(`/api/b2a/bookings/${delayed.booking_id}?include=history`, service.key);
    expect(data.history?.at(-1)?.text).toBe(
      'The voucher is mailed at 2026-11-22T03:00:00.000Z: the limit of mails to its address was reached.',
    );
    service.clock.set(NOW + DAY_MS - 1);
    await service.restart();
    expect(await outbox()).toHaveLength(20);
    // The process manager looks for due mails once a second.
    service.clock.advance(SECOND_MS + 1);
    await recorded('VoucherMailed.v3', 21);
    const { email_reason: reason, ...sent } = (await service.booking(delayed.booking_id)).data;
    expect([reason, sent.email_sent, sent.email_sent_at]).toEqual([undefined, true, '2026-11-22T03:00:01.000Z']);
    expect(await outbox()).toHaveLength(21);
  });

  test('in any case of its letters is one address, and other addresses are not affected', async () => {
    for (let n = 0; n < 20; n++) await book({ user_email: n % 2 === 0 ? 'Ada@example.com' : 'ada@example.com' });
    expect((await book()).data).toMatchObject(LIMITED);
    expect((await book({ user_email: 'grace@example.com' })).data).toMatchObject({ email_sent: true });
  });

  test('gets the changed voucher of a booking whose first mail waits, once, at the time of that mail', async () => {
    for (let n = 0; n < 20; n++) await book();
    const { data } = await book();
    expect(await modifyLater(data.booking_id, { special_requests: 'A pram comes along.' })).toMatchObject(LIMITED);
    service.clock.set(NOW + DAY_MS);
    await recorded('VoucherMailed.v3', 21);
    const ids = (await outbox()).map(({ messageId }) => messageId);
    expect(ids.filter((id) => id?.includes(data.booking_id))).toEqual([`<${data.booking_id}.2@waymark.localhost>`]);
  });

  test('is counted without being stored: the files of the service hold no address of it', async () => {
    await book({ user_email: 'quetzal@example.com' });
    const files = ['mails.db', 'mails.db-wal'].map((name) => readFileSync(join(service.directory, name), 'latin1'));
    expect(files.join('')).toContain('@waymark.localhost');
    expect(files.join('')).not.toContain('quetzal');
  });

  test('of a test key’s contact has the same bound', async () => {
    const { key } = await service.createKey({ mode: 'test', contact_email: 'ops@agent.example' });
    const answers: boolean[] = [];
    for (let n = 0; n < 21; n++) {
      const wish = {
        activity_id: 'sea-tunnel',
        booking_date: DATE,
        num_adults: 1,
        user_email: `guest-${n}@example.com`,
      };
      answers.push((await service.book(wish, withKey(key))).data.email_sent);
    }
    expect(answers).toEqual([...Array(20).fill(true), false]);
  });
});

describe('a mail', () => {
  test('has at most 60 characters of the name that a caller chose, makes no link of it, and has no other text of the caller', async () => {
    const name = 'Claim your prize at https://evil.example/win before it is too late, Ada';
    const given = {
      user_name: name,
      special_requests: 'Call +66 2 123 4567',
      reference: 'trip-42',
      metadata: { note: 'pay now' },
    };
    await book(given);
    const [mail] = await outbox();
    const shown = 'Claim your prize at https: //evil. example/win before it is…';
    expect(shown).toHaveLength(60);
    expect(mail?.subject).toBe('Your voucher: Sea Tunnel (en), 25 Nov 2026');
    expect(mail?.to).toMatchObject([{ name: shown, address: 'ada@example.com' }]);
    expect(mail?.text).toStartWith(`Hello ${shown},\n`);
    for (const part of [mail?.text, mail?.html]) {
      expect(part).toContain(shown);
      expect(part).not.toMatch(/evil\.example|too late|Call|trip-42|pay now/);
    }
  });
});
