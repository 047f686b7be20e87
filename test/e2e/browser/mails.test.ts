import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { LANGUAGES, type Language } from '../../../src/domain/activity/vocabulary.ts';
import { NOTICE_TEXTS } from '../../../src/vouchers/notice-texts.ts';
import { VENUE_TEXTS } from '../../../src/vouchers/venue-texts.ts';
import { modify } from '../../support/modifications.ts';
import type { Service } from '../../support/service.ts';
import { SmtpPeer } from '../../support/smtp-peer.ts';
import { CONTACT, KITCHEN, open, openAsking } from '../../support/venue-requests.ts';
import { openBrowser } from './chromium.ts';

const PHONE = { width: 360, height: 780 };
const START_MS = 60_000;

let browser: Browser;
let peer: SmtpPeer;
let service: Service | undefined;
beforeAll(async () => {
  browser = await openBrowser();
}, START_MS);
afterAll(() => browser.close());
beforeEach(async () => {
  peer = await SmtpPeer.listen();
});
afterEach(async () => {
  await service?.stop();
  await peer.close();
});

/** Shows markup as a phone does. A picture goes to the folder that WAYMARK_PICTURES names, if any. */
async function shown(markup: string, name: string, colorScheme: 'light' | 'dark' = 'light'): Promise<Page> {
  const page = await browser.newPage({ viewport: PHONE, deviceScaleFactor: 2, colorScheme });
  await page.setContent(markup);
  const folder = process.env['WAYMARK_PICTURES'];
  if (folder !== undefined) {
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }
  return page;
}

async function fits(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth <= window.innerWidth');
}

/** Every mail of a booking in one language, by its name, as it arrived. */
async function mailsIn(language: Language, at: Service): Promise<ReadonlyMap<string, string>> {
  const spoken = { 'accept-language': language };
  const mails = new Map<string, string>();
  let count = 0;
  /** The mails that arrived since the last call, by recipient. */
  const take = async (added: number, guest: string, venue: string | null = null): Promise<void> => {
    const arrived = (await peer.arrivals(count + added)).slice(count);
    count += added;
    for (const { to, mail } of arrived) {
      const name = to === CONTACT ? venue : guest;
      if (name !== null) mails.set(name, mail.html ?? '');
      expect(`${mail.subject}${mail.text}${mail.html}`).not.toContain('undefined');
    }
  };
  const { data: first } = await at.book({ ...KITCHEN, num_children: 1 }, spoken);
  await take(2, 'pending', 'venue-request');
  await modify(at, first, { num_adults: 1 });
  await take(2, 'pending-changed');
  await at.post(`/api/bookings/${first.booking_id}/reject`, {}, at.admin);
  await take(1, 'rejected');
  const { data: second } = await at.book({}, spoken);
  await take(1, 'voucher');
  await modify(at, second, { num_adults: 1 });
  await take(1, 'voucher-changed');
  await at.post(`/api/b2a/bookings/${second.booking_id}/cancel`, { reason: 'user_requested' }, at.key);
  await take(1, 'cancelled');
  return mails;
}

test.each(LANGUAGES)(
  'every mail of a booking is complete and fits a phone: %s',
  async (language) => {
    service = await openAsking(peer, language);
    const mails = await mailsIn(language, service);
    const texts = NOTICE_TEXTS[language];
    const says: Readonly<Record<string, readonly string[]>> = {
      pending: [texts.pending.heading, texts.answerBy, texts.notChargedYet],
      'pending-changed': [texts.pendingChanged.heading, texts.notChargedYet],
      rejected: [texts.rejected.heading, texts.nothingCharged],
      voucher: [],
      'voucher-changed': [texts.voucherChanged.heading],
      cancelled: [texts.cancelled.heading, texts.refund, texts.voucherInvalid],
      'venue-request': [
        VENUE_TEXTS[language].please,
        VENUE_TEXTS[language].answerBy,
        VENUE_TEXTS[language].keepPrivate,
      ],
    };
    expect([...mails.keys()].toSorted()).toEqual(Object.keys(says).toSorted());
    for (const [name, html] of mails) {
      const page = await shown(html, `mail-${name}-${language}`);
      const text = await page.innerText('body');
      for (const said of says[name] ?? []) expect(text).toContain(said);
      expect(await fits(page)).toBe(true);
      await page.close();
    }
  },
  START_MS,
);

test.each(LANGUAGES)(
  'the page of a request fits a phone, in light and dark: %s',
  async (language) => {
    service = await openAsking(peer, language);
    await service.book({ ...KITCHEN, special_requests: 'Two vegetarian meals' });
    const request = (await peer.arrivals(2)).find(({ to }) => to === CONTACT)?.mail.text ?? '';
    const path = /\/venue-requests\/\S+/.exec(request)?.[0] ?? '';
    const texts = VENUE_TEXTS[language];
    for (const scheme of ['light', 'dark'] as const) {
      const { text } = await open(service, path);
      const page = await shown(text, `venue-page-${language}-${scheme}`, scheme);
      expect(await page.getByRole('button').allInnerTexts()).toEqual([texts.confirm, texts.decline]);
      expect(await fits(page)).toBe(true);
      await page.close();
    }
    const { text } = await open(service, `${path}/confirm`, 'POST');
    const page = await shown(text, `venue-page-${language}-confirmed`);
    expect(await page.innerText('h1')).toBe(texts.heading.confirmed);
    expect(await page.getByRole('button').count()).toBe(0);
    await page.close();
  },
  START_MS,
);
