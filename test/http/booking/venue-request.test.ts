import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { LANGUAGES } from '../../../src/domain/activity/vocabulary.ts';
import { HOUR_MS } from '../../../src/eventsourcing/durations.ts';
import { VENUE_TEXTS } from '../../../src/vouchers/venue-texts.ts';
import { modify } from '../../support/modifications.ts';
import type { Service } from '../../support/service.ts';
import type { Booking } from '../../support/service-answers.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';
import { CONTACT, giveContact, KITCHEN, linksOf, open, openAsking } from '../../support/venue-requests.ts';

const HEADINGS = VENUE_TEXTS.en.heading;

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

/** A booking that waits for the venue, and the path of its request. */
async function asked(change: object = {}): Promise<{ readonly booking: Booking; readonly path: string }> {
  service = await openAsking(peer);
  const { data: booking } = await service.book({ ...KITCHEN, ...change });
  const [path = ''] = await linksOf(peer, 2);
  return { booking, path };
}

async function statusOf({ booking_id: id }: Pick<Booking, 'booking_id'>): Promise<string> {
  return (await service.booking(id)).data.status;
}

/** Until when the venue may answer, ms since the epoch. */
async function deadlineOf({ booking_id: id }: Pick<Booking, 'booking_id'>): Promise<number> {
  const { data } = await service.get<{ history: readonly { text: string }[] }>(
    `/api/b2a/bookings/${id}?include=history`,
    service.key,
  );
  return Date.parse(/until (\S+)\./.exec(data.history[0]?.text ?? '')?.[1] ?? '');
}

/** The time passes the deadline once a command is on its way to a booking. */
function passDeadline(untilMs: number): void {
  const { bookings } = service.node.context.streams;
  const handle = bookings.handle.bind(bookings);
  const late: typeof bookings.handle = (...command) => {
    service.clock.set(untilMs);
    return handle(...command);
  };
  Object.assign(bookings, { handle: late });
}

async function typesOf({ booking_id: id }: Pick<Booking, 'booking_id'>): Promise<readonly string[]> {
  const events = (await service.events()).filter(({ stream }) => stream === `booking-${id}`);
  return events.map(({ type }) => type);
}

describe('the mail to the venue', () => {
  test.each(LANGUAGES)('is in the language of its contact, and names no guest: %s', async (language) => {
    service = await openAsking(peer, language);
    const { data } = await service.book({ ...KITCHEN, special_requests: 'No nuts' });
    await linksOf(peer, 2);
    const mail = peer.arrived.find(({ to }) => to === CONTACT)?.mail;
    expect(mail?.subject).toContain(`Village Kitchen (${language})`);
    for (const said of [VENUE_TEXTS[language].please, VENUE_TEXTS[language].answerBy, data.booking_id, 'GMT+8'])
      expect(mail?.text).toContain(said);
    const all = `${mail?.text}${mail?.html}`;
    expect(all).not.toContain('Ada');
    expect(all).not.toContain('No nuts');
    expect(all).not.toContain('undefined');
  });

  test('is not sent for a test booking', async () => {
    service = await openAsking(peer);
    const { key } = await service.createKey({ mode: 'test', contact_email: 'owner@agent.example' });
    await service.book(KITCHEN, { 'x-api-key': key });
    const [mail] = await peer.arrivals(1);
    expect(mail?.mail.subject).toStartWith('[TEST] Your booking request');
    await service.book(KITCHEN);
    expect((await peer.arrivals(3)).filter(({ to }) => to === CONTACT)).toHaveLength(1);
  });

  test('is at most 20 a day for the bookings of one key, which take nothing from another key', async () => {
    service = await openAsking(peer, 'en', { settings: { MAIL_WAIT_MS: '0' } });
    for (let n = 0; n < 21; n++) {
      const wish = { ...KITCHEN, booking_date: `2026-12-${String(n + 1).padStart(2, '0')}` };
      await service.book({ ...wish, user_email: `guest${n}@example.com` });
    }
    expect(await linksOf(peer, 41)).toHaveLength(20);
    const { key } = await service.createKey();
    await service.book({ ...KITCHEN, user_email: 'other@example.com' }, { 'x-api-key': key });
    expect(await linksOf(peer, 43)).toHaveLength(21);
  });
});

describe('the page of a request', () => {
  test('shows what is asked, and changes nothing', async () => {
    const { booking, path } = await asked({ special_requests: '<b>No nuts</b>' });
    const before = await typesOf(booking);
    const page = await open(service, path);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain("form-action 'self'");
    expect(page.headers.get('cache-control')).toBe('private, no-store');
    for (const shown of [
      HEADINGS.waiting,
      'Village Kitchen (en)',
      '2 adults',
      '&lt;b&gt;No nuts&lt;/b&gt;',
      `action="${path.replace('/venue-requests/', '')}/confirm"`,
    ])
      expect(page.text).toContain(shown);
    expect(page.text).not.toContain('Ada');
    await open(service, path, 'HEAD');
    expect(await typesOf(booking)).toEqual(before);
  });

  test('confirms once, as the venue, and says so afterwards', async () => {
    const { booking, path } = await asked();
    const pages = await Promise.all([
      open(service, `${path}/confirm`, 'POST'),
      open(service, `${path}/confirm`, 'POST'),
    ]);
    for (const { status, text } of pages) {
      expect(status).toBe(200);
      expect(text).toContain(HEADINGS.confirmed);
      expect(text).toContain('by the venue');
      expect(text).not.toContain('<form');
    }
    const types = await typesOf(booking);
    expect(types.filter((type) => type.startsWith('BookingConfirmed'))).toHaveLength(1);
    expect((await open(service, `${path}/decline`, 'POST')).text).toContain(HEADINGS.confirmed);
    expect(await statusOf(booking)).toBe('confirmed');
    const { data } = await service.get<{ history: readonly object[] }>(
      `/api/b2a/bookings/${booking.booking_id}?include=history`,
      service.key,
    );
    expect(data.history).toContainEqual(expect.objectContaining({ event: 'confirmed', by: 'venue' }));
  });

  test('declines as the venue', async () => {
    const { booking, path } = await asked();
    expect((await open(service, `${path}/decline`, 'POST')).text).toContain(HEADINGS.declined);
    const { data } = await service.booking(booking.booking_id);
    expect(data).toMatchObject({ status: 'rejected', code: 'ACTIVITY_UNAVAILABLE' });
    expect((await open(service, `${path}/confirm`, 'POST')).text).toContain(HEADINGS.declined);
    expect(await statusOf(booking)).toBe('rejected');
  });

  test('of confirm and decline at once decides one', async () => {
    const { booking, path } = await asked();
    const pages = await Promise.all(['confirm', 'decline'].map((verb) => open(service, `${path}/${verb}`, 'POST')));
    const heading = (await statusOf(booking)) === 'confirmed' ? HEADINGS.confirmed : HEADINGS.declined;
    expect(pages.map(({ text }) => text.includes(heading))).toEqual([true, true]);
  });

  test('expires with the request', async () => {
    const { booking, path } = await asked();
    const until = await deadlineOf(booking);
    service.clock.set(until);
    expect((await open(service, path)).text).toContain(HEADINGS.expired);
    expect((await open(service, `${path}/confirm`, 'POST')).text).toContain(HEADINGS.expired);
    expect(await statusOf(booking)).not.toBe('confirmed');
  });

  test('expires between the reading of the request and its decision', async () => {
    const { booking, path } = await asked();
    const until = await deadlineOf(booking);
    service.clock.set(until - 1);
    // The confirmation reads the date after the request.
    const { allotments } = service.node.context.streams;
    const read = allotments.read.bind(allotments);
    const slow: typeof allotments.read = (...asking) => {
      service.clock.set(until);
      return read(...asking);
    };
    Object.assign(allotments, { read: slow });
    const page = await open(service, `${path}/confirm`, 'POST');
    expect([page.status, page.text.includes(HEADINGS.expired)]).toEqual([200, true]);
    expect((await typesOf(booking)).filter((type) => type.startsWith('BookingConfirmed'))).toEqual([]);
  });

  test.each(['confirm', 'decline'])('expires while the command to %s waits for its turn', async (verb) => {
    const { booking, path } = await asked();
    const until = await deadlineOf(booking);
    service.clock.set(until - 1);
    passDeadline(until);
    const page = await open(service, `${path}/${verb}`, 'POST');
    expect([page.status, page.text.includes(HEADINGS.expired)]).toEqual([200, true]);
    expect((await typesOf(booking)).filter((type) => type.startsWith('BookingConfirmed'))).toEqual([]);
  });

  test('leaves the operator’s answer as it is: no deadline', async () => {
    const { booking } = await asked();
    const until = await deadlineOf(booking);
    service.clock.set(until - 1);
    passDeadline(until);
    const { status } = await service.post(`/api/bookings/${booking.booking_id}/confirm`, {}, service.admin);
    expect([status, await statusOf(booking)]).toEqual([200, 'confirmed']);
  });

  test('of a changed request asks for the newer mail, whose link answers', async () => {
    const { booking, path } = await asked();
    await modify(service, booking, { num_adults: 1 });
    const links = await linksOf(peer, 4);
    expect((await open(service, `${path}/confirm`, 'POST')).text).toContain(HEADINGS.changed);
    expect(await statusOf(booking)).toBe('pending');
    const newer = links.find((link) => link !== path) ?? '';
    expect((await open(service, newer)).text).toContain('1 adult');
    expect((await open(service, `${newer}/confirm`, 'POST')).text).toContain(HEADINGS.confirmed);
  });

  test('says that the guests cancelled, or that an operator answered', async () => {
    const { booking, path } = await asked();
    const { data: second } = await service.book(KITCHEN);
    const paths = await linksOf(peer, 4);
    await service.post(`/api/b2a/bookings/${booking.booking_id}/cancel`, { reason: 'user_requested' }, service.key);
    expect((await open(service, `${path}/confirm`, 'POST')).text).toContain(HEADINGS.cancelled);
    await service.post(`/api/bookings/${second.booking_id}/confirm`, {}, service.admin);
    const { text } = await open(service, paths.find((other) => other !== path) ?? '');
    expect(text).toContain(HEADINGS.confirmed);
    expect(text).toContain('by the operator');
  });

  test('is a page too if the link is wrong, and a changed link is wrong', async () => {
    const { booking, path } = await asked();
    const token = path.split('/').at(-1) ?? '';
    const [kid = '', ...rest] = token.split('.').slice(1);
    const forged = `/venue-requests/${['VR1', kid, rest[0], '2', ...rest.slice(2)].join('.')}`;
    for (const wrong of [forged, '/venue-requests/x', `${path}A`]) {
      const page = await open(service, `${wrong}/confirm`, 'POST');
      expect(page.status).toBe(404);
      expect(page.headers.get('content-type')).toStartWith('text/html');
    }
    expect(await statusOf(booking)).toBe('pending');
  });

  test('leaves its token out of the log', async () => {
    const { path } = await asked();
    await open(service, path);
    await open(service, `${path}/decline`, 'POST');
    expect(JSON.stringify(service.logged)).not.toContain(path.split('.').at(-1) ?? 'no token');
  });
});

describe('an operator sees', () => {
  async function requestOf({ booking_id: id }: Pick<Booking, 'booking_id'>) {
    return (await service.get<{ venue_request?: string }>(`/api/bookings/${id}`, service.admin)).data.venue_request;
  }

  test('that the venue was mailed, and nothing once it answered', async () => {
    const { booking, path } = await asked();
    while ((await typesOf(booking)).filter((type) => type === 'NoticeMailed.v1').length < 2)
      await new Promise(setImmediate);
    expect(await requestOf(booking)).toBe('mailed');
    await open(service, `${path}/confirm`, 'POST');
    expect(await requestOf(booking)).toBeUndefined();
  });

  test('that the venue has no contact, so that the operator must decide', async () => {
    service = await openAsking(peer, null);
    expect(await requestOf((await service.book(KITCHEN)).data)).toBe('no_contact');
  });

  test('that the venue was not mailed, if it got its contact after the request', async () => {
    service = await openAsking(peer, null);
    const { data } = await service.book(KITCHEN);
    await service.restart(() => giveContact(service.catalogueDirectory, 'en'));
    service.clock.advance(HOUR_MS);
    expect(await requestOf(data)).toBe('waiting');
    service.clock.advance(1);
    expect(await requestOf(data)).toBe('not_mailed');
  });

  test('that the mail to the venue was refused', async () => {
    service = await openAsking(peer);
    peer.recipientReplies.push(550, 550);
    const { data } = await service.book(KITCHEN);
    while ((await typesOf(data)).filter((type) => type === 'NoticeMailFailed.v1').length < 2)
      await new Promise(setImmediate);
    expect(await requestOf(data)).toBe('not_mailed');
  });
});
