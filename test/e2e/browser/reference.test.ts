import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Browser, Page } from 'playwright-core';
import { type Service, startService } from '../../support/process.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { openBrowser } from './chromium.ts';

const START_MS = 240_000;
const DESK = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 780 };

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

type Opened = AsyncDisposable & {
  readonly page: Page;
  readonly requested: readonly string[];
  /** What the browser's console said, a breach of the page's policy included. */
  readonly complaints: readonly string[];
};

/** The reference, in a browser that reaches our origin and nothing else. */
async function openReference(viewport = DESK, path = '/docs'): Promise<Opened> {
  const page = await browser.newPage({ viewport });
  const [requested, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => requested.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (fault) => complaints.push(String(fault)));
  await page.route(
    (url) => url.origin !== service.url,
    (route) => route.abort(),
  );
  await page.goto(`${service.url}${path}`);
  await page.locator('.opblock').first().waitFor();
  return { page, requested, complaints, [Symbol.asyncDispose]: () => page.close() };
}

/** What a document tells of: operations by their path, and what is sent to receivers by its event. */
async function documented(path: string): Promise<string[]> {
  type Told = Readonly<Record<string, object>>;
  type Document = { readonly paths: Told; readonly webhooks?: Told };
  const { paths, webhooks } = (await (await fetch(`${service.url}${path}`)).json()) as Document;
  return Object.entries({ ...paths, ...webhooks }).flatMap(([target, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${target}`),
  );
}

function shownOn(page: Page): Promise<string[]> {
  return page.locator('.opblock').evaluateAll((blocks) =>
    blocks.map((block) => {
      const [method, path] = ['.opblock-summary-method', '.opblock-summary-path'].map(
        (part) => block.querySelector(part)?.textContent.replaceAll('\u200b', '') ?? '',
      );
      return `${method} ${path}`;
    }),
  );
}

test('without internet access the page shows every operation of both documents, sends requests only to the service, and logs no error', async () => {
  await using opened = await openReference();
  const { page, requested, complaints } = opened;
  const current = page.locator('nav [aria-current="page"]');
  expect(await current.innerText()).toBe('Agents, key owners and gates');
  expect((await shownOn(page)).toSorted()).toEqual((await documented('/openapi.json')).toSorted());
  await page.screenshot({ path: directory.file('reference.png') });
  await page.getByRole('link', { name: 'Operators and the dashboard' }).click();
  await page.locator('#operations-Keys-create_key').waitFor();
  expect(await current.innerText()).toBe('Operators and the dashboard');
  expect((await shownOn(page)).toSorted()).toEqual((await documented('/openapi-operators.json')).toSorted());
  await page.goBack();
  await page.locator('#operations-Bookings-execute_booking').waitFor();
  expect(requested.filter((url) => !url.startsWith(`${service.url}/`) && !url.startsWith('data:'))).toEqual([]);
  expect(complaints).toEqual([]);
});

test('an opened operation shows its fields, its errors and an example booking', async () => {
  await using opened = await openReference();
  const { page, complaints } = opened;
  const booking = page.locator('#operations-Bookings-execute_booking');
  await booking.locator('.opblock-summary').click();
  await booking.locator('.responses-wrapper').waitFor();
  const text = await booking.innerText();
  for (const expected of ['Idempotency-Key', 'bkk-bamboo-bar-jazz', 'INVENTORY_EXHAUSTED', 'IDEMPOTENCY_KEY_REUSED']) {
    expect(text).toContain(expected);
  }
  await page.screenshot({ path: directory.file('operation.png'), fullPage: true });
  expect(complaints).toEqual([]);
});

test('an opened operation shows who may call it, and an example that is composed of those of its schemas', async () => {
  const textOf = async (path: string, chapter: string, id: string): Promise<string> => {
    await using opened = await openReference(DESK, path);
    const { page } = opened;
    const operation = page.locator(`#operations-${chapter}-${id}`);
    await operation.locator('.opblock-summary').click();
    await operation.locator('.responses-wrapper').waitFor();
    return await operation.innerText();
  };
  const created = await textOf('/docs?for=operators', 'Keys', 'create_key');
  for (const expected of ['Callers: OperatorToken with the role admin.', 'pk_9c41d7', '"key": "<API_KEY>"'])
    expect(created).toContain(expected);
  const listed = await textOf('/docs', 'Bookings', 'list_bookings');
  for (const expected of [
    'Callers: ApiKey with the permission execute_booking.',
    'bk_h76cfakt2c43vdqm2ryg',
    '"next_cursor": null',
  ])
    expect(listed).toContain(expected);
});

test('the service answers a request from the page', async () => {
  await using opened = await openReference();
  const { page } = opened;
  const livez = page.locator('#operations-Operation-livez');
  await livez.locator('.opblock-summary').click();
  await livez.getByRole('button', { name: 'Try it out' }).click();
  await livez.getByRole('button', { name: 'Execute' }).click();
  await livez.locator('.live-responses-table').waitFor();
  expect(await livez.locator('.live-responses-table').innerText()).toContain('"status": "ok"');
});

test('on a phone nothing is wider than the screen', async () => {
  await using opened = await openReference(PHONE);
  const { page } = opened;
  const width = (): Promise<unknown> => page.evaluate('document.documentElement.scrollWidth');
  expect(await width()).toBeLessThanOrEqual(PHONE.width);
  await page.locator('#operations-Bookings-execute_booking .opblock-summary').click();
  await page.locator('#operations-Bookings-execute_booking .responses-wrapper').waitFor();
  expect(await width()).toBeLessThanOrEqual(PHONE.width);
  await page.screenshot({ path: directory.file('phone.png') });
});
