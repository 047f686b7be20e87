import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Service, startService } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type Booked, bookVoucher, PHONE, scanned, verify } from './booked-voucher.ts';
import { openBrowser } from './chromium.ts';

const START_MS = 60_000;
const SAVED = '.saved:not([hidden])';

/** What stands between the phone and the service. */
type Network = 'open' | 'silent' | 'unavailable';

const directory = temporaryDirectory();
let service: Service;
let browser: Browser;
let network: Network = 'open';
/** Forwards to the service; stopped, the phone has no connection. */
let proxy = { port: 0, stop: async (): Promise<void> => {}, start: (): void => {} };
let context: BrowserContext;

beforeAll(async () => {
  service = await startService({ DATA_DIR: directory.path, PORT: '0', LOG_LEVEL: 'warn' });
  browser = await openBrowser();
  proxy = openProxy();
}, START_MS);

afterAll(async () => {
  await browser.close();
  await proxy.stop();
  await service[Symbol.asyncDispose]();
  directory.remove();
});

beforeEach(async () => {
  network = 'open';
  context = await browser.newContext({ viewport: PHONE });
});

function openProxy() {
  const listen = (port: number) =>
    Bun.serve({
      port,
      hostname: '127.0.0.1',
      idleTimeout: 30,
      async fetch(request) {
        const { pathname, search } = new URL(request.url);
        if (network === 'silent') return new Promise<Response>(() => {});
        if (network === 'unavailable') return new Response('{}', { status: 503 });
        const headers = new Headers(request.headers);
        headers.delete('accept-encoding');
        return fetch(`${service.url}${pathname}${search}`, { headers });
      },
    });
  let server = listen(0);
  const port = server.port ?? 0;
  return {
    port,
    stop: () => server.stop(true),
    start: () => {
      server = listen(port);
    },
  };
}

const urlOf = (path: string): string => `http://127.0.0.1:${proxy.port}${path}`;

/** Opens a voucher's page, and waits until the phone has kept it. */
async function openedOnce({ voucher }: Booked, query = ''): Promise<Page> {
  const page = await context.newPage();
  await page.goto(urlOf(`/api/vouchers/${voucher.code}${query}`));
  await page.waitForFunction(
    "caches.open('voucher-pages').then((pages) => pages.keys()).then(({ length }) => length > 0)",
  );
  return page;
}

const keptCopies = (page: Page): Promise<number> =>
  page.evaluate("caches.open('voucher-pages').then((pages) => pages.keys()).then(({ length }) => length)");

describe('a voucher that was opened once', () => {
  test('given no connection, when it is opened again, then the saved copy has the QR code and says its time', async () => {
    const booked = await bookVoucher(service, 'ja');
    const page = await openedOnce(booked);
    expect(await page.locator(SAVED).count()).toBe(0);
    await proxy.stop();
    await page.reload();
    expect(await page.locator(SAVED).textContent()).toMatch(/に保存したページです。.*/);
    expect(await page.evaluate('document.documentElement.lang')).toBe('ja');
    const text = await scanned(page);
    proxy.start();
    expect(text).toStartWith(booked.voucher.url);
    expect((await verify(service, text, booked.activity.venue_id)).status).toBe(200);
    await context.close();
  });

  test('given a service that does not answer, when it is opened, then the saved copy is shown after some seconds', async () => {
    const page = await openedOnce(await bookVoucher(service, 'en'));
    network = 'silent';
    const beganMs = performance.now();
    await page.reload({ waitUntil: 'domcontentloaded' });
    expect(performance.now() - beganMs).toBeGreaterThan(2_500);
    expect(await page.locator(SAVED).textContent()).toContain('Saved copy of ');
    await context.close();
  }, 20_000);

  test('given a service that is unavailable, when it is opened, then the saved copy is shown', async () => {
    const page = await openedOnce(await bookVoucher(service, 'en'));
    network = 'unavailable';
    await page.reload();
    expect(await page.locator(SAVED).count()).toBe(1);
    network = 'open';
    await page.reload();
    expect(await page.locator(SAVED).count()).toBe(0);
    await context.close();
  });

  test('given no connection, when a language is chosen that was opened too, then its copy is shown; else another one', async () => {
    const page = await openedOnce(await bookVoucher(service, 'en'));
    await page.getByRole('link', { name: '한국어' }).click();
    await page.waitForFunction(
      "caches.open('voucher-pages').then((pages) => pages.keys()).then(({ length }) => length === 2)",
    );
    await proxy.stop();
    await page.getByRole('link', { name: 'English' }).click();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    await page.getByRole('link', { name: '한국어' }).click();
    expect(await page.evaluate('document.documentElement.lang')).toBe('ko');
    await page.getByRole('link', { name: 'ไทย' }).click();
    expect(['en', 'ko']).toContain(await page.evaluate<string>('document.documentElement.lang'));
    expect(await page.locator(SAVED).count()).toBe(1);
    proxy.start();
    await context.close();
  });

  test('given a visit, when the service shows the voucher as used, then every copy is deleted', async () => {
    const booked = await bookVoucher(service, 'en');
    const page = await openedOnce(booked);
    await page.getByRole('link', { name: 'ไทย' }).click();
    await page.waitForFunction(
      "caches.open('voucher-pages').then((pages) => pages.keys()).then(({ length }) => length === 2)",
    );
    await verify(service, booked.voucher.code, booked.activity.venue_id);
    await page.reload();
    expect([await page.locator('.stop').count(), await keptCopies(page)]).toEqual([1, 0]);
    await context.close();
  });

  test('given a copy whose time is over, when there is no connection, then it is deleted and not shown', async () => {
    const page = await openedOnce(await bookVoucher(service, 'en'));
    await page.evaluate(`(async () => {
      const pages = await caches.open('voucher-pages');
      const headers = { 'content-type': 'text/html', 'x-voucher-keep-until': new Date(Date.now() - 1000).toISOString() };
      for (const key of await pages.keys()) await pages.put(key, new Response('<p>over</p>', { headers }));
    })()`);
    await proxy.stop();
    await expect(page.reload()).rejects.toThrow('ERR_');
    proxy.start();
    await context.close();
  });

  test('given no JavaScript, when it is opened, then the page is whole', async () => {
    const booked = await bookVoucher(service, 'en');
    const plain = await browser.newContext({ viewport: PHONE, javaScriptEnabled: false });
    const page = await plain.newPage();
    await page.goto(urlOf(`/api/vouchers/${booked.voucher.code}`));
    expect(await scanned(page)).toStartWith(booked.voucher.url);
    expect(await page.getByRole('link', { name: 'Add to calendar' }).count()).toBe(1);
    await plain.close();
  });
});
