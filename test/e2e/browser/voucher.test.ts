import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { type Service, startService } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type Booked, bookVoucher, PHONE, scanned, verify } from './booked-voucher.ts';
import { openBrowser } from './chromium.ts';

const START_MS = 60_000;
/** The texts smaller than 18 pixels, which are hard to read in sunlight. */
const SMALL_TEXTS = `[...document.querySelectorAll('main *')]
  .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== ''))
  .filter((element) => element.closest('svg') === null && Number.parseFloat(getComputedStyle(element).fontSize) < 18)
  .map((element) => element.outerHTML)`;

const directory = temporaryDirectory();
let service: Service;
let browser: Browser;

beforeAll(async () => {
  service = await startService({ DATA_DIR: directory.path, PORT: '0', LOG_LEVEL: 'warn' });
  browser = await openBrowser();
}, START_MS);

afterAll(async () => {
  await browser.close();
  await service[Symbol.asyncDispose]();
  directory.remove();
});

async function open(path: string): Promise<Page> {
  const page = await browser.newPage({ viewport: PHONE, deviceScaleFactor: 2 });
  const loaded = await page.goto(`${service.url}${path}`);
  expect(loaded?.status()).toBe(200);
  return page;
}

describe('the voucher on a phone', () => {
  test('given a booking, when the gate scans the screen, then the visit is verified by QR code', async () => {
    const { voucher, activity } = await bookVoucher(service, 'en');
    const page = await open(`/api/vouchers/${voucher.code}`);
    const verified = (await (await verify(service, await scanned(page), activity.venue_id)).json()) as { data: object };
    expect(verified.data).toMatchObject({ verification_method: 'qr_scan', user_name: 'Ada Lovelace', num_guests: 2 });
    await page.close();
  });

  test('given a used voucher, when it is opened again, then it says so and shows no code to scan', async () => {
    const { voucher, activity } = await bookVoucher(service, 'en');
    await verify(service, voucher.code, activity.venue_id);
    const page = await open(`/api/vouchers/${voucher.code}`);
    expect(await page.locator('svg').count()).toBe(0);
    expect(await scanned(page)).toBeUndefined();
    await page.close();
  });

  test.each(['en', 'th', 'vi', 'id', 'ms', 'zh', 'ja', 'ko'])(
    'given a booking in %s, when it is opened, then nothing is wider than the screen, loaded from elsewhere or broken',
    async (language) => {
      const { voucher } = await bookVoucher(service, language, '<b>Ada</b> & Grace');
      const page = await browser.newPage({ viewport: PHONE });
      const [requested, complaints]: [string[], string[]] = [[], []];
      page.on('request', (request) => requested.push(new URL(request.url()).pathname));
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (fault) => complaints.push(String(fault)));
      await page.goto(`${service.url}/api/vouchers/${voucher.code}`);
      expect(await page.evaluate('document.documentElement.lang')).toBe(language);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
      expect(await page.getByText('<b>Ada</b> & Grace').count()).toBe(1);
      const [address, ...files] = requested.filter((path) => path !== '/favicon.ico');
      expect(address).toBe(`/api/vouchers/${voucher.code}`);
      expect(files.filter((path) => !/^\/(api\/vouchers\/page\.js|pictures\/[\w-]+\.svg)$/.test(path))).toEqual([]);
      expect(complaints).toEqual([]);
      expect(await smallTexts(page)).toEqual([]);
      expect(await seriousFindings(page)).toEqual([]);
      await photograph(page, `voucher.${language}`);
      await page.close();
    },
  );

  test('given the QR image by itself, when a browser opens it, then it can be scanned', async () => {
    const { voucher, activity } = await bookVoucher(service, 'en');
    const page = await open(new URL(voucher.qr_url).pathname);
    expect((await verify(service, await scanned(page), activity.venue_id)).status).toBe(200);
    await page.close();
  });
});

describe('what a guest sees of a voucher that does not open a gate', () => {
  test('given a cancelled booking, then the page says so, what was refunded and what to do next', async () => {
    const { voucher, booking_id } = await bookVoucher(service, 'en');
    await fetch(`${service.url}/api/b2a/bookings/${booking_id}/cancel`, {
      method: 'POST',
      headers: { 'x-api-key': service.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ reason: 'user_requested' }),
    });
    const page = await open(`/api/vouchers/${voucher.code}`);
    expect(await page.locator('.stop').textContent()).toContain('ask where you booked');
    expect(await page.getByText('Refund', { exact: true }).count()).toBe(1);
    expect(await seriousFindings(page)).toEqual([]);
    await photograph(page, 'voucher.cancelled');
    await page.close();
  });

  test('given a wrong address, then a page in the language of the browser says what to do', async () => {
    const context = await browser.newContext({ viewport: PHONE, locale: 'th-TH' });
    const page = await context.newPage();
    const loaded = await page.goto(`${service.url}/api/vouchers/WM-0`);
    expect(loaded?.status()).toBe(404);
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('ไม่พบวอเชอร์');
    expect(await seriousFindings(page)).toEqual([]);
    await photograph(page, 'voucher.not-found');
    await context.close();
  });

  test('given a language of the list, when it is chosen, then the page is in it and keeps the voucher', async () => {
    const { voucher }: Booked = await bookVoucher(service, 'en');
    const page = await open(`/api/vouchers/${voucher.code}`);
    await page.getByRole('link', { name: 'Tiếng Việt' }).click();
    expect(await page.evaluate('document.documentElement.lang')).toBe('vi');
    expect(await scanned(page)).toStartWith(`${voucher.url}#WM2.`);
    await page.close();
  });
});

test.each(['A4', 'A5', 'A6'])(
  'given a printer, when the voucher is printed, then it fits one sheet of %s',
  async (format) => {
    const { voucher } = await bookVoucher(service, 'ms');
    const page = await open(`/api/vouchers/${voucher.code}`);
    const pdf = (await page.pdf({ format })).toString('latin1');
    expect(pdf.match(/\/Type \/Page\b/g)).toHaveLength(1);
    await page.close();
  },
);

/** The QR code is black on white in the dark too. */
test('given a phone in dark mode, when the voucher is opened, then the gate can scan it', async () => {
  const { voucher, activity } = await bookVoucher(service, 'en');
  const page = await open(`/api/vouchers/${voucher.code}`);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect((await verify(service, await scanned(page), activity.venue_id)).status).toBe(200);
  await page.close();
});

function smallTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(SMALL_TEXTS);
}

/** Findings of axe that are serious or critical, light and dark. */
async function seriousFindings(page: Page): Promise<readonly string[]> {
  type Finding = { readonly id: string; readonly impact: string; readonly nodes: readonly { readonly html: string }[] };
  const findings: string[] = [];
  await page.evaluate(axe.source);
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate<readonly Finding[]>('axe.run().then(({ violations }) => violations)');
    const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    findings.push(...serious.map(({ id, nodes }) => `${colorScheme} ${id}: ${nodes[0]?.html}`));
  }
  return findings;
}

/** Pictures for people, light and dark, in the folder that WAYMARK_PICTURES names, if any. */
async function photograph(page: Page, name: string): Promise<void> {
  const folder = process.env['WAYMARK_PICTURES'];
  if (folder === undefined) return;
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(folder, `${name}.${colorScheme}.png`), fullPage: true });
  }
}
