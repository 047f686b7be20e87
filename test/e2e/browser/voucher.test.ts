import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import jsQR from 'jsqr';
import type { Browser, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { type Service, startService } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { openBrowser } from './chromium.ts';

const PHONE = { width: 360, height: 780 };
const START_MS = 60_000;

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

type Booked = {
  readonly voucher: { readonly code: string; readonly qr_url: string };
  readonly activity: { readonly venue_id: string };
};

async function book(language: string, userName = 'Ada Lovelace'): Promise<Booked> {
  const headers = { 'x-api-key': service.apiKey, 'content-type': 'application/json', 'accept-language': language };
  const today = await fetch(`${service.url}/api/b2a/inventory?city=Bangkok&limit=50`, { headers });
  const { data } = (await today.json()) as {
    data: { inventory: { activity_id: string; venue_id: string }[]; metadata: { query_date: string } };
  };
  const known = data.inventory.find(({ venue_id }) => service.deviceKeys[venue_id] !== undefined);
  const wish = {
    activity_id: known?.activity_id,
    booking_date: data.metadata.query_date,
    user_name: userName,
    user_email: 'ada@example.com',
    num_adults: 2,
  };
  const answer = await fetch(`${service.url}/api/b2a/execute_booking`, {
    method: 'POST',
    headers,
    body: JSON.stringify(wish),
  });
  return ((await answer.json()) as { data: Booked }).data;
}

async function open(path: string): Promise<Page> {
  const page = await browser.newPage({ viewport: PHONE, deviceScaleFactor: 2 });
  const loaded = await page.goto(`${service.url}${path}`);
  expect(loaded?.status()).toBe(200);
  return page;
}

/** What a gate's camera reads on the phone's screen. */
async function scanned(page: Page): Promise<string | undefined> {
  const { data, width, height } = PNG.sync.read(await page.screenshot());
  return jsQR(new Uint8ClampedArray(data), width, height)?.data;
}

function verify(code: string | undefined, venue: string): Promise<Response> {
  const headers = { 'x-device-key': service.deviceKeys[venue] ?? '', 'content-type': 'application/json' };
  return fetch(`${service.url}/api/venue/verify`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ code, gate: 'north' }),
  });
}

describe('the voucher on a phone', () => {
  test('given a booking, when the gate scans the screen, then the visit is verified by QR code', async () => {
    const { voucher, activity } = await book('en');
    const page = await open(`/api/vouchers/${voucher.code}`);
    const verified = (await (await verify(await scanned(page), activity.venue_id)).json()) as { data: object };
    expect(verified.data).toMatchObject({ verification_method: 'qr_scan', user_name: 'Ada Lovelace', num_guests: 2 });
    await page.close();
  });

  test('given a used voucher, when it is opened again, then it says so and shows no code to scan', async () => {
    const { voucher, activity } = await book('en');
    await verify(voucher.code, activity.venue_id);
    const page = await open(`/api/vouchers/${voucher.code}`);
    expect(await page.locator('svg').count()).toBe(0);
    expect(await scanned(page)).toBeUndefined();
    await page.close();
  });

  test.each(['en', 'th', 'vi', 'id', 'ms', 'zh', 'ja', 'ko'])(
    'given a booking in %s, when it is opened, then nothing is wider than the screen, loaded from elsewhere or broken',
    async (language) => {
      const { voucher } = await book(language, '<b>Ada</b> & Grace');
      const page = await browser.newPage({ viewport: PHONE });
      const [requested, complaints]: [string[], string[]] = [[], []];
      page.on('request', (request) => requested.push(new URL(request.url()).pathname));
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (fault) => complaints.push(String(fault)));
      await page.goto(`${service.url}/api/vouchers/${voucher.code}`);
      expect(await page.evaluate('document.documentElement.lang')).toBe(language);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(PHONE.width);
      expect(await page.getByText('<b>Ada</b> & Grace').count()).toBe(1);
      expect(requested.filter((path) => path !== '/favicon.ico')).toEqual([`/api/vouchers/${voucher.code}`]);
      expect(complaints).toEqual([]);
      await page.close();
    },
  );

  test('given the QR image by itself, when a browser opens it, then it can be scanned', async () => {
    const { voucher, activity } = await book('en');
    const page = await open(new URL(voucher.qr_url).pathname);
    expect((await verify(await scanned(page), activity.venue_id)).status).toBe(200);
    await page.close();
  });
});
