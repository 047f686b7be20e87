import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { sendKept } from '../../../../src/http/kept-answer.ts';
import { type GatePages, gatePages } from '../../../../src/http/pages/gate.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { openBrowser } from '../chromium.ts';
import { START_MS } from './gate.ts';

setDefaultTimeout(120_000);

const ROOT = join(import.meta.dir, '../../../..');
const CONTROLLED = `new Promise((resolve) => navigator.serviceWorker.controller === null
  ? navigator.serviceWorker.addEventListener('controllerchange', () => resolve(), { once: true })
  : resolve())`;

const directory = temporaryDirectory();
let before: GatePages;
let after: GatePages;
let browser: Browser;
let context: BrowserContext;
let server: ReturnType<typeof Bun.serve>;
/** The release of the node that answers a path. */
let nodeOf: (path: string) => GatePages;

beforeAll(async () => {
  before = await gatePages(join(ROOT, 'src/pages'));
  after = await gatePages(nextRelease());
  browser = await openBrowser();
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url, headers }) {
      const { pathname } = new URL(url);
      const { page, files } = nodeOf(pathname);
      const file = pathname === '/gate' ? page : files.get(pathname.replace('/gate/', ''));
      return file === undefined ? new Response('{}', { status: 404 }) : sendKept(file, headers);
    },
  });
}, START_MS);
afterAll(async () => {
  await browser.close();
  await server.stop(true);
  directory.remove();
});
beforeEach(async () => {
  nodeOf = () => before;
  context = await browser.newContext();
});

/** The sources of the pages, with another script, decoder and style. */
function nextRelease(): string {
  const sources = directory.file('src');
  cpSync(join(ROOT, 'src'), sources, { recursive: true });
  cpSync(join(ROOT, 'tsconfig.json'), directory.file('tsconfig.json'));
  symlinkSync(join(ROOT, 'node_modules'), directory.file('node_modules'));
  appendFileSync(join(sources, 'pages/gate/main.tsx'), "document.documentElement.dataset['release'] = 'next';\n");
  appendFileSync(join(sources, 'pages/gate/decoder.ts'), "console.debug('next');\n");
  appendFileSync(join(sources, 'pages/gate/styles/base.css'), 'html { --release: next; }\n');
  return join(sources, 'pages');
}

/** The names of a release's script, style and decoder. */
function namesIn({ files }: GatePages): readonly string[] {
  return [...files.keys()].filter((name) => /^(main|styles|decoder)\./.test(name)).toSorted();
}

/** What an open page consists of. */
async function namesOn(page: Page): Promise<readonly string[]> {
  const html = await page.content();
  const names = [...html.matchAll(/\/gate\/((?:main|styles|decoder)\.[^"]+)"/g)].map(([, name]) => name ?? '');
  return [...new Set(names)].toSorted();
}

const caches = (page: Page): Promise<number> =>
  page.evaluate<number>(
    "caches.keys().then((names) => names.filter((name) => name.startsWith('waymark-gate-')).length)",
  );

/** The browser asks for another worker, and installs it if it can. */
const update = (page: Page): Promise<string> =>
  page.evaluate<string>(`navigator.serviceWorker.ready.then(async (registration) => {
    await registration.update().catch(() => undefined);
    const worker = registration.installing ?? registration.waiting;
    if (worker === null) return 'same';
    if (!['activated', 'redundant'].includes(worker.state))
      await new Promise((resolve) => worker.addEventListener('statechange', () =>
        ['activated', 'redundant'].includes(worker.state) && resolve()));
    return worker.state;
  })`);

async function opened(): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${server.url.href}gate`);
  await page.evaluate(CONTROLLED);
  await page.reload();
  return page;
}

/** Whether a page gets a file of a release, from its worker or from a node. */
const has = (page: Page, { files }: GatePages, prefix: string): Promise<boolean> =>
  page.evaluate<boolean>(
    `fetch('/gate/${[...files.keys()].find((name) => name.startsWith(prefix))}', { cache: 'no-store' }).then(({ ok }) => ok)`,
  );

test('given a release with another script, decoder and style, then each has another address', () => {
  const [old, next] = [namesIn(before), namesIn(after)];
  expect([old.length, next.length]).toEqual([3, 3]);
  expect(next.filter((name) => old.includes(name))).toEqual([]);
  expect([...after.files.keys()].filter((name) => name.startsWith('reader.'))).toEqual(
    [...before.files.keys()].filter((name) => name.startsWith('reader.')),
  );
});

describe('nodes of two releases behind one proxy', () => {
  test.each([
    ['the page of the old one', (path: string) => path === '/gate', 'redundant'],
    ['the script of the old one', (path: string) => path.startsWith('/gate/main'), 'redundant'],
    // They are the same in both releases.
    ['the manifest and the icons of the old one', (path: string) => /manifest|icon/.test(path), 'activated'],
  ])('given the new worker and %s, then the phone has one release, whole', async (_, isOld, becomes) => {
    const page = await opened();
    nodeOf = (path) => (isOld(path) ? before : after);
    const isMixed = becomes === 'redundant';
    expect(await update(page)).toBe(becomes);
    await page.reload();
    expect(await namesOn(page)).toEqual(namesIn(isMixed ? before : after));
    expect(await page.getAttribute('html', 'data-release')).toBe(isMixed ? null : 'next');
    if (isMixed) for (const prefix of ['main', 'decoder']) expect(await has(page, before, prefix)).toBe(true);
    await context.close();
  });
});

test('given all nodes have the new release, then the phone has it whole, and the old files go with the last old page', async () => {
  const [page, other] = [await opened(), await opened()];
  nodeOf = () => after;
  expect(await update(page)).toBe('activated');
  await page.reload();
  expect(await namesOn(page)).toEqual(namesIn(after));
  expect(await page.getAttribute('html', 'data-release')).toBe('next');
  // The other page is of the old release, and loads its decoder although no node has it any more.
  expect(await namesOn(other)).toEqual(namesIn(before));
  expect([await has(other, before, 'decoder'), await caches(page)]).toEqual([true, 2]);
  await other.close();
  await page.reload();
  while ((await caches(page)) > 1) await page.waitForTimeout(20);
  expect([await has(page, before, 'decoder'), await has(page, after, 'decoder')]).toEqual([false, true]);
  await context.close();
});
