import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Service, startService } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { type Booked, bookVoucher, PHONE, scanned, verify } from './booked-voucher.ts';
import { openBrowser } from './chromium.ts';

const START_MS = 60_000;
/** What answers in place of the service. */
const STRANGERS = {
  unavailable: 'HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n',
  portal: 'HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 7\r\nconnection: close\r\n\r\nWelcome',
};
const SAVED = '.saved:not([hidden])';

/** What happens to connections between the phone and the service. */
type Network = 'open' | 'cut' | 'silent' | keyof typeof STRANGERS;

const directory = temporaryDirectory();
let service: Service;
let browser: Browser;
let line: Line;
let context: BrowserContext;

beforeAll(async () => {
  service = await startService({ DATA_DIR: directory.path, PORT: '0', LOG_LEVEL: 'warn' });
  browser = await openBrowser();
  line = await openLine(Number(new URL(service.url).port));
}, START_MS);

afterAll(async () => {
  await browser.close();
  line.close();
  await service[Symbol.asyncDispose]();
  directory.remove();
});

beforeEach(async () => {
  line.become('open');
  context = await browser.newContext({ viewport: PHONE });
});

type Line = { readonly port: number; become(network: Network): void; close(): void };

/** A TCP server that passes the phone's connections on to the service, as the network allows. */
async function openLine(servicePort: number): Promise<Line> {
  let network: Network = 'open';
  const sockets = new Set<Socket>();
  const endAll = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const server = createServer((phone) => {
    sockets.add(phone);
    phone.on('error', () => phone.destroy());
    if (network === 'cut') phone.destroy();
    if (network === 'unavailable' || network === 'portal') phone.once('data', answerAs(phone, network));
    if (network !== 'open') return;
    const upstream = connect(servicePort, '127.0.0.1');
    sockets.add(upstream);
    upstream.on('error', () => phone.destroy());
    upstream.on('close', () => phone.destroy());
    phone.on('close', () => upstream.destroy());
    phone.pipe(upstream).pipe(phone);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    become(next) {
      network = next;
      endAll();
    },
    close() {
      endAll();
      server.close();
    },
  };
}

function answerAs(phone: Socket, stranger: keyof typeof STRANGERS): () => void {
  return () => phone.end(STRANGERS[stranger]);
}

const urlOf = (path: string): string => `http://127.0.0.1:${line.port}${path}`;

/** Opens a voucher's page, and waits until the phone has kept it. */
async function openedOnce({ voucher }: Booked, query = ''): Promise<Page> {
  const page = await context.newPage();
  await page.goto(urlOf(`/api/vouchers/${voucher.code}${query}`));
  await untilKept(page, 1);
  return page;
}

const keptCopies = (page: Page): Promise<number> =>
  page.evaluate("caches.open('voucher-pages').then((pages) => pages.keys()).then(({ length }) => length)");

/** The worker keeps copies after the page has loaded. */
async function untilKept(page: Page, copies: number): Promise<void> {
  while ((await keptCopies(page)) < copies) await page.waitForTimeout(20);
}

describe('a voucher that was opened once', () => {
  test('given no connection, when it is opened again, then the saved copy has the QR code and says its time', async () => {
    const booked = await bookVoucher(service, 'ja');
    const page = await openedOnce(booked);
    expect(await page.locator(SAVED).count()).toBe(0);
    line.become('cut');
    await page.reload();
    expect(await page.locator(SAVED).textContent()).toMatch(/に保存したページです。.*/);
    expect(await page.evaluate('document.documentElement.lang')).toBe('ja');
    const text = await scanned(page);
    line.become('open');
    expect(text).toStartWith(booked.voucher.url);
    expect((await verify(service, text, booked.activity.venue_id)).status).toBe(200);
    await context.close();
  });

  test('given a service that does not answer, when it is opened, then the saved copy is shown after some seconds', async () => {
    const page = await openedOnce(await bookVoucher(service, 'en'));
    line.become('silent');
    const beganMs = performance.now();
    await page.reload({ waitUntil: 'domcontentloaded' });
    expect(performance.now() - beganMs).toBeGreaterThan(2_500);
    expect(await page.locator(SAVED).textContent()).toContain('Saved copy of ');
    await context.close();
  }, 20_000);

  test.each(['unavailable', 'portal'] as const)(
    'given a network that is %s, when it is opened, then the saved copy is shown and kept',
    async (network) => {
      const page = await openedOnce(await bookVoucher(service, 'en'));
      line.become(network);
      await page.reload();
      expect([await page.locator(SAVED).count(), await keptCopies(page)]).toEqual([1, 1]);
      line.become('open');
      await page.reload();
      expect(await page.locator(SAVED).count()).toBe(0);
      await context.close();
    },
  );

  test('given no connection, when a language is chosen that was opened too, then its copy is shown; else another one', async () => {
    const page = await openedOnce(await bookVoucher(service, 'en'));
    await page.getByRole('link', { name: '한국어' }).click();
    await untilKept(page, 2);
    line.become('cut');
    await page.getByRole('link', { name: 'English' }).click();
    expect(await page.evaluate('document.documentElement.lang')).toBe('en');
    await page.getByRole('link', { name: '한국어' }).click();
    expect(await page.evaluate('document.documentElement.lang')).toBe('ko');
    await page.getByRole('link', { name: 'ไทย' }).click();
    expect(['en', 'ko']).toContain(await page.evaluate<string>('document.documentElement.lang'));
    expect(await page.locator(SAVED).count()).toBe(1);
    line.become('open');
    await context.close();
  });

  test('given a visit, when the service shows the voucher as used, then every copy is deleted', async () => {
    const booked = await bookVoucher(service, 'en');
    const page = await openedOnce(booked);
    await page.getByRole('link', { name: 'ไทย' }).click();
    await untilKept(page, 2);
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
    line.become('cut');
    const failed = await page.reload().then(() => 'shown', String);
    expect(failed).toContain('ERR_');
    line.become('open');
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
